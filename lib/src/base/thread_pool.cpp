#include "base/thread_pool.hpp"

#include "steadfold/error.hpp"

#include <algorithm>
#include <sched.h>
#include <string>
#include <system_error>
#include <utility>

namespace steadfold::inline v0::base {

int allowed_cpu_count() noexcept {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

thread_pool::thread_pool(int threads) : size_{threads > 0 ? threads : allowed_cpu_count()} {
    workers_.reserve(static_cast<std::size_t>(size_ - 1));
    try {
        for (int i = 1; i < size_; ++i) workers_.emplace_back([this, i](std::stop_token stop) { work(stop, i); });
    } catch (std::system_error const& e) {
        throw library_error("only " + std::to_string(workers_.size()) + " of " + std::to_string(size_ - 1) +
                            " worker threads could be started (" + e.what() +
                            "): give a smaller execution::threads, or raise the limit of threads");
    }
}

thread_pool::~thread_pool() = default; // jthread asks its thread to stop, which wakes the wait, and joins

void thread_pool::run(std::function<void(int)> const& job) {
    {
        std::lock_guard const lock{mutex_};
        job_ = &job;
        running_ = size_ - 1;
        ++round_;
    }
    wake_.notify_all();
    execute(job, 0);
    std::unique_lock lock{mutex_};
    done_.wait(lock, [this] { return running_ == 0; }); // ends when the jobs do: they are ours and bounded
    job_ = nullptr;
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void thread_pool::work(std::stop_token stop, int index) {
    std::uint64_t seen = 0;
    for (;;) {
        std::function<void(int)> const* job;
        {
            std::unique_lock lock{mutex_};
            if (!wake_.wait(lock, stop, [&] { return round_ != seen; })) return;
            seen = round_;
            job = job_;
        }
        execute(*job, index);
        bool last;
        {
            std::lock_guard const lock{mutex_};
            last = --running_ == 0;
        }
        if (last) done_.notify_one();
    }
}

void thread_pool::execute(std::function<void(int)> const& job, int index) noexcept {
    try {
        job(index);
    } catch (...) {
        std::lock_guard const lock{mutex_};
        if (!failure_) failure_ = std::current_exception();
    }
}

} // namespace steadfold::inline v0::base
