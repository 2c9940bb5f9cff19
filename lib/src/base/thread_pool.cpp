#include "base/thread_pool.hpp"

#include "steadfold/error.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>

namespace steadfold::inline v0::base {

namespace {

// Long enough for the next call of a solver's loop, short enough not to be felt by whoever else has work for the CPU.
// Soon it is offered to others, since among them may be the thread that is waited for.
constexpr std::chrono::microseconds spin_time{5}, awake_time{50};

// Below this many elements a thread, waking it costs more than the work.
constexpr std::int64_t elements_worth_a_thread = 16 * 1024;

void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

std::vector<cpu_list> homes_here() {
    static std::vector<cpu_list> const nodes = node_cpus();
    return thread_homes(allowed_cpus(), nodes);
}

} // namespace

int useful_threads(std::int64_t elements, int most) noexcept {
    return static_cast<int>(std::clamp<std::int64_t>(elements / elements_worth_a_thread, 1, most));
}

thread_pool::thread_pool(int threads) : thread_pool(threads, homes_here()) {}

thread_pool::thread_pool(int threads, std::vector<cpu_list> const& homes)
    : size_{threads > 0 ? threads : allowed_cpu_count()}, impatient_{size_ > allowed_cpu_count()} {
    bool const at_home = homes.size() == static_cast<std::size_t>(size_);
    workers_.reserve(static_cast<std::size_t>(size_ - 1));
    try {
        for (int i = 1; i < size_; ++i) {
            cpu_list home = at_home ? homes[static_cast<std::size_t>(i)] : cpu_list{};
            workers_.emplace_back([this, i, home = std::move(home)] {
                stay_on(home);
                work(i);
            });
        }
    } catch (std::system_error const& e) {
        stop();
        throw library_error("only " + std::to_string(workers_.size()) + " of " + std::to_string(size_ - 1) +
                            " worker threads could be started (" + e.what() +
                            "): give a smaller execution::threads, or raise the limit of threads");
    }
}

thread_pool::~thread_pool() {
    stop();
}

void thread_pool::stop() noexcept { // the threads are joined with `workers_`
    stopping_ = true;
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
}

void thread_pool::run(std::function<void(int)> const& job) {
    job_ = &job;
    running_.store(size_ - 1, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    execute(job, 0);
    // Ends when the jobs do: they are ours and bounded.
    for (std::int32_t left; (left = running_.load(std::memory_order_acquire)) != 0;) wait_while(running_, left);
    job_ = nullptr;
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void thread_pool::work(int index) {
    for (std::uint32_t seen = 0;;) {
        wait_while(round_, seen);
        seen = round_.load(std::memory_order_acquire);
        if (stopping_) return;
        execute(*job_, index);
        if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
    }
}

template <class T>
void thread_pool::wait_while(std::atomic<T> const& value, T old) const noexcept {
    if (!impatient_) {
        auto const begin = std::chrono::steady_clock::now();
        for (auto waited = begin - begin; waited < awake_time; waited = std::chrono::steady_clock::now() - begin) {
            for (int i = 0; i < 16; ++i) {
                if (value.load(std::memory_order_acquire) != old) return;
                pause();
            }
            if (waited > spin_time) std::this_thread::yield();
        }
    }
    value.wait(old, std::memory_order_acquire);
}

void thread_pool::execute(std::function<void(int)> const& job, int index) noexcept {
    try {
        job(index);
    } catch (...) {
        std::lock_guard const lock{failure_mutex_};
        if (!failure_) failure_ = std::current_exception();
    }
}

} // namespace steadfold::inline v0::base
