// The elements of one call, divided among threads that help each other out.
#pragma once

#include "steadfold/partition.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

namespace steadfold::inline v0::host {

/// Every thread has a contiguous range, always the same one for the same count and number of threads, and takes chunks
/// from its front. One that is done takes chunks of the others': exact sums allow any division, and a thread that
/// woke late, or whose CPU someone else uses, no longer keeps all waiting.
class shared_work {
  public:
    shared_work(std::int64_t count, int threads, std::int64_t chunk)
        : threads_{threads}, chunk_{chunk}, parts_{std::make_unique<part[]>(static_cast<std::size_t>(threads))} {
        for (int i = 0; i < threads; ++i) {
            index_range const range = block_range(count, threads, i);
            of(i).next.store(range.first, std::memory_order_relaxed);
            of(i).last = range.last();
        }
    }

    /// Calls work(range) for one chunk after the other until nothing is left that no thread has taken.
    template <class Work>
    void work_off(int thread, Work const& work) {
        for (int i = 0; i < threads_; ++i) {
            part& from = of((thread + i) % threads_);
            while (from.next.load(std::memory_order_relaxed) < from.last) {
                // Which thread takes a chunk orders nothing: the pool's rounds order the data before and the sums
                // after.
                std::int64_t const first = from.next.fetch_add(chunk_, std::memory_order_relaxed);
                if (first < from.last) work(index_range{first, std::min(chunk_, from.last - first)});
            }
        }
    }

  private:
    struct alignas(64) part { // a cache line each: only a helper touches another thread's
        std::atomic<std::int64_t> next;
        std::int64_t last;
    };

    part& of(int thread) { return parts_[static_cast<std::size_t>(thread)]; }

    int threads_;
    std::int64_t chunk_;
    std::unique_ptr<part[]> parts_;
};

} // namespace steadfold::inline v0::host
