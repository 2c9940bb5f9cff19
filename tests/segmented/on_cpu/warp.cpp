#include "segmented/on_cpu/warp.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

namespace on_cpu {

namespace {

constexpr std::size_t stack_bytes = 256 * 1024;
warp* running_warp = nullptr;

std::string place(std::source_location const& where) {
    return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

} // namespace

warp& warp::current() {
    return *running_warp;
}

void warp::begin() {
    warp& self = current();
    (*self.program_)();
    self.lanes_[self.running_].done = true;
    swapcontext(&self.lanes_[self.running_].context, &self.scheduler_);
}

void warp::turn(unsigned lane) {
    running_ = lane;
    this_thread.x = base_ + lane;
    swapcontext(&scheduler_, &lanes_[lane].context);
}

bool warp::all_done() const {
    return std::all_of(lanes_.begin(), lanes_.end(), [](lane const& l) { return l.done; });
}

void warp::run(unsigned block, unsigned number, std::function<void()> const& program) {
    running_warp = this;
    program_ = &program;
    this_block.x = block;
    base_ = 32 * number;
    for (lane& l : lanes_) {
        if (!l.stack) l.stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
        l.done = false;
        l.exchanges = 0;
        getcontext(&l.context);
        l.context.uc_stack.ss_sp = l.stack.get();
        l.context.uc_stack.ss_size = stack_bytes;
        l.context.uc_link = nullptr;
        makecontext(&l.context, &warp::begin, 0);
    }
    std::array<unsigned, 32> order;
    std::iota(order.begin(), order.end(), 0u);
    std::minstd_rand random{static_cast<unsigned>(seed_++)};
    while (!all_done()) {
        std::shuffle(order.begin(), order.end(), random);
        for (unsigned const lane : order) turn(lane);
        for (lane const& l : lanes_)
            if (l.done != lanes_[0].done ||
                (!l.done && (l.where.line() != lanes_[0].where.line() ||
                             std::string_view{l.where.file_name()} != lanes_[0].where.file_name())))
                throw std::runtime_error("lanes wait for each other in different places: " + place(l.where) + " and " +
                                         place(lanes_[0].where));
    }
}

std::array<std::uint64_t, 32> const& warp::exchange(std::uint64_t mine, std::source_location const& where) {
    lane& self = lanes_[running_];
    auto& all = brought_[self.exchanges++ % 2];
    all[running_] = mine;
    self.where = where;
    swapcontext(&self.context, &scheduler_);
    return all;
}

} // namespace on_cpu
