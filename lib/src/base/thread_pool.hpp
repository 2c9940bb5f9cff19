// Worker threads of the host back end.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace steadfold::inline v0::base {

/// CPUs this process may run on (its affinity mask, so what Slurm or mpirun gave); at least 1.
[[nodiscard]] int allowed_cpu_count() noexcept;

/// A fixed set of threads that run one job at a time together with the caller. They inherit the caller's CPU set and
/// are not bound further. One caller at a time.
class thread_pool {
  public:
    /// `threads` in all, the caller included; 0: allowed_cpu_count().
    explicit thread_pool(int threads);
    ~thread_pool();
    thread_pool(thread_pool const&) = delete;
    thread_pool& operator=(thread_pool const&) = delete;

    [[nodiscard]] int size() const noexcept { return size_; }

    /// Runs job(0) ... job(size() - 1), job(0) on the calling thread, and returns when all are done. The first
    /// exception of a job is thrown again here.
    void run(std::function<void(int)> const& job);

  private:
    void work(std::stop_token stop, int index);
    void execute(std::function<void(int)> const& job, int index) noexcept;

    int size_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::condition_variable done_;
    std::function<void(int)> const* job_ = nullptr;
    std::uint64_t round_ = 0;
    int running_ = 0;
    std::exception_ptr failure_;
    std::vector<std::jthread> workers_;
};

} // namespace steadfold::inline v0::base
