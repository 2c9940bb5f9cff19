#include "on_cpu/fibers.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string_view>

namespace on_cpu {

namespace {

constexpr std::size_t stack_bytes = 256 * 1024;
fibers* running_block = nullptr;

std::string place(std::source_location const& where) {
    return std::string(where.file_name()) + ":" + std::to_string(where.line());
}
bool same(std::source_location const& a, std::source_location const& b) {
    return a.line() == b.line() && std::string_view{a.file_name()} == b.file_name();
}

} // namespace

fibers::fibers(index shape, std::uint64_t seed)
    : shape_{shape}, random_{static_cast<unsigned>(seed)}, threads_(shape.x * shape.y * shape.z),
      warps_((threads_.size() + 31) / 32) {
    for (fiber& f : threads_) f.stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
    for (warp& w : warps_)
        for (auto& all : w.brought) all.fill(0xdeadbeefdeadbeef);
}

unsigned fibers::lanes() const {
    return std::min(32u, static_cast<unsigned>(threads_.size()) - running_ / 32 * 32);
}
unsigned fibers::mask() const {
    return 0xffffffffu >> (32 - lanes());
}

fibers& fibers::current() {
    return *running_block;
}

void fibers::begin() {
    fibers& self = current();
    (*self.program_)();
    self.threads_[self.running_].done = true;
    ++self.progress_;
    swapcontext(&self.threads_[self.running_].context, &self.scheduler_);
}

void fibers::turn(unsigned thread) {
    running_ = thread;
    this_thread = {first_ + thread % shape_.x, thread / shape_.x % shape_.y, thread / shape_.x / shape_.y};
    swapcontext(&scheduler_, &threads_[thread].context);
}

void fibers::run(unsigned block, std::function<void()> const& program, unsigned first) {
    running_block = this;
    program_ = &program;
    this_block.x = block;
    first_ = first;
    block_size = shape_;
    failure_.reset();
    for (warp& w : warps_) w.at = {};
    whole_block_ = {};
    for (fiber& f : threads_) {
        f.done = false;
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = f.stack.get();
        f.context.uc_stack.ss_size = stack_bytes;
        f.context.uc_link = nullptr;
        makecontext(&f.context, &fibers::begin, 0);
    }
    std::vector<unsigned> order(threads_.size());
    std::iota(order.begin(), order.end(), 0u);
    while (std::any_of(threads_.begin(), threads_.end(), [](fiber const& f) { return !f.done; })) {
        std::shuffle(order.begin(), order.end(), random_);
        std::uint64_t const before = progress_;
        for (unsigned const thread : order)
            if (!threads_[thread].done && !failure_) turn(thread);
        if (!failure_ && progress_ == before)
            failure_ = "threads wait for others that do not come, " + place(whole_block_.where);
        if (failure_) throw std::runtime_error(*failure_);
    }
}

void fibers::fail(std::string const& what) {
    failure_ = what;
    for (;;) swapcontext(&threads_[running_].context, &scheduler_); // never to come back
}

void fibers::meet(meeting& at, unsigned all, std::source_location const& where) {
    if (at.arrived == 0)
        at.where = where;
    else if (!same(at.where, where))
        fail("threads wait for each other in different places: " + place(where) + " and " + place(at.where));
    unsigned const generation = at.generation, me = running_;
    ++progress_;
    if (++at.arrived == all) {
        at.arrived = 0;
        ++at.generation;
    }
    while (at.generation == generation) swapcontext(&threads_[me].context, &scheduler_);
}

std::array<std::uint64_t, 32> const& fibers::exchange(std::uint64_t mine, std::source_location const& where) {
    warp& w = warps_[running_ / 32];
    auto& all = w.brought[w.at.generation % 2];
    all[running_ % 32] = mine;
    meet(w.at, lanes(), where);
    return all;
}

void fibers::barrier(std::source_location const& where) {
    meet(whole_block_, static_cast<unsigned>(threads_.size()), where);
}

} // namespace on_cpu
