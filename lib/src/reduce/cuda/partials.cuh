// What cannot be added in any order: extrema, which are compared, and the plain sums of `fast` mode. Threads, warps and
// blocks are merged in a fixed order. Short code rather than quick: it runs once, when none of it is in an instruction
// cache.
#pragma once

#include "reduce/cuda/extremes.cuh"
#include "reduce/cuda/pass.hpp"

namespace steadfold::inline v0::cuda {

__device__ __noinline__ inline ranked one_best_of_warp(ranked mine) {
    return best_of_warp(mine);
}

/// The extrema of all lanes, in all of them.
__device__ inline void merge_lanes(exact::extrema_state& mine) {
    auto const of = [](std::int64_t key, std::int64_t index, end_of_range end) {
        return one_best_of_warp(ranked::of_key(key, index, end));
    };
    ranked const low = of(mine.min_key, mine.min_index, end_of_range::low);
    ranked const high = of(mine.max_key, mine.max_index, end_of_range::high);
    mine.min_key = low.key(end_of_range::low);
    mine.min_index = low.index();
    mine.max_key = high.key(end_of_range::high);
    mine.max_index = high.index();
    mine.first_nan =
        INT64_MAX - static_cast<std::int64_t>(largest_of_warp(static_cast<std::uint64_t>(INT64_MAX - mine.first_nan)));
}

template <bool Extrema, bool Fast>
__device__ void merge_partial(block_partial& mine, block_partial const& other) {
    if constexpr (Extrema) mine.extrema.merge(other.extrema);
    if constexpr (Fast)
        for (int c = 0; c < 2; ++c)
            for (int k = 0; k < 3; ++k) mine.fast[c][k] += other.fast[c][k];
}

/// Merges the partials of a warp; valid in its first lane.
template <bool Extrema, bool Fast>
__device__ void merge_warp(block_partial& partial) {
    if constexpr (Extrema) merge_lanes(partial.extrema);
    if constexpr (Fast)
        for (int offset = 16; offset > 0; offset /= 2)
            for (auto& component : partial.fast)
                for (double& sum : component) sum += __shfl_down_sync(0xffffffffu, sum, offset);
}

/// Merges the partials of all threads of a block; the result is valid in thread 0. Begins and ends without a barrier.
template <bool Extrema, bool Fast>
__device__ void merge_threads(block_partial& partial, block_partial* by_warp) {
    merge_warp<Extrema, Fast>(partial);
    if (threadIdx.x % 32 == 0) by_warp[threadIdx.x / 32] = partial;
    __syncthreads();
    if constexpr (Fast) {
        if (threadIdx.x != 0) return;
#pragma unroll 1
        for (unsigned w = 1; w < blockDim.x / 32; ++w) merge_partial<Extrema, Fast>(partial, by_warp[w]);
    } else if (threadIdx.x < 32) {
        partial = {};
        if (threadIdx.x < blockDim.x / 32) partial.extrema = by_warp[threadIdx.x].extrema;
        merge_warp<Extrema, Fast>(partial);
    }
}

/// Merges the partials of all blocks, the threads of the last block side by side in a fixed order; valid in thread 0.
template <bool Extrema, bool Fast>
__device__ block_partial merge_blocks(block_partial const* partials, block_partial* by_warp) {
    block_partial mine{};
#pragma unroll 1
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) merge_partial<Extrema, Fast>(mine, partials[b]);
    merge_threads<Extrema, Fast>(mine, by_warp);
    return mine;
}

} // namespace steadfold::inline v0::cuda
