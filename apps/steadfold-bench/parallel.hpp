// Contiguous ranges of an array on several threads, for making data and for references. Not for what is measured.
#pragma once

#include "steadfold/partition.hpp"

#include <cstdint>
#include <thread>
#include <vector>

namespace steadfold::inline v0::app {

/// work(thread, range) for every thread's range of `count` elements, in parallel.
template <class Work>
void for_ranges(std::int64_t count, int threads, Work const& work) {
    std::vector<std::jthread> pool;
    for (int i = 0; i < threads; ++i) pool.emplace_back([&, i] { work(i, block_range(count, threads, i)); });
}

} // namespace steadfold::inline v0::app
