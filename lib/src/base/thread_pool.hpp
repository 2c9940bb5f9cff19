// Worker threads of the host back end.
#pragma once

#include "base/cpus.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace steadfold::inline v0::base {

/// Threads worth waking to reduce so many elements in host memory: 1 to `most`.
[[nodiscard]] int useful_threads(std::int64_t elements, int most) noexcept;

/// A fixed set of threads that run one job at a time together with the caller. One caller at a time.
///
/// They inherit the caller's CPU set. A pool that has a thread for every allowed CPU keeps each on one NUMA node, see
/// thread_homes(); the caller goes where it likes. For some microseconds after a job they wait for the next one
/// without sleeping, unless there are more threads than CPUs: waking fifteen threads takes longer than many a sum.
class thread_pool {
  public:
    /// `threads` in all, the caller included; 0: allowed_cpu_count().
    /// @throws library_error if they cannot be started; none stays behind
    explicit thread_pool(int threads);
    /// Thread i stays on homes[i], if there are as many homes as threads.
    thread_pool(int threads, std::vector<cpu_list> const& homes);
    ~thread_pool();
    thread_pool(thread_pool const&) = delete;
    thread_pool& operator=(thread_pool const&) = delete;

    [[nodiscard]] int size() const noexcept { return size_; }

    /// Runs job(0) ... job(size() - 1), job(0) on the calling thread, and returns when all are done. The first
    /// exception of a job is thrown again here.
    void run(std::function<void(int)> const& job);

  private:
    void work(int index);
    void execute(std::function<void(int)> const& job, int index) noexcept;
    void stop() noexcept;
    template <class T>
    void wait_while(std::atomic<T> const& value, T old) const noexcept;

    int size_;
    bool impatient_;                                // more threads than CPUs: waiting takes time from those that work
    std::function<void(int)> const* job_ = nullptr; // written before `round_` is raised
    alignas(64) std::atomic<std::uint32_t> round_ = 0;  // raised for every job, and to stop
    alignas(64) std::atomic<std::int32_t> running_ = 0; // workers that have not ended the job
    std::atomic<bool> stopping_ = false;
    std::mutex failure_mutex_;
    std::exception_ptr failure_;
    std::vector<std::jthread> workers_;
};

} // namespace steadfold::inline v0::base
