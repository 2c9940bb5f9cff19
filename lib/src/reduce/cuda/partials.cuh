// What cannot be added in any order: extrema, which are compared, and the plain sums of `fast` mode. Threads, warps and
// blocks are merged in a fixed order.
#pragma once

#include "reduce/cuda/pass.hpp"

namespace steadfold::inline v0::cuda {

__device__ inline void merge_lanes(exact::extrema_state& mine, int offset) {
    exact::extrema_state other;
    other.min_key = __shfl_down_sync(0xffffffffu, mine.min_key, offset);
    other.min_index = __shfl_down_sync(0xffffffffu, mine.min_index, offset);
    other.max_key = __shfl_down_sync(0xffffffffu, mine.max_key, offset);
    other.max_index = __shfl_down_sync(0xffffffffu, mine.max_index, offset);
    other.first_nan = __shfl_down_sync(0xffffffffu, mine.first_nan, offset);
    mine.merge(other);
}

template <bool Extrema, bool Fast>
__device__ void merge_partial(block_partial& mine, block_partial const& other) {
    if constexpr (Extrema) mine.extrema.merge(other.extrema);
    if constexpr (Fast)
        for (int c = 0; c < 2; ++c)
            for (int k = 0; k < 3; ++k) mine.fast[c][k] += other.fast[c][k];
}

/// Merges the partials of all threads of a block; the result is valid in thread 0. Begins and ends without a barrier.
template <bool Extrema, bool Fast>
__device__ void merge_threads(block_partial& partial, block_partial* by_warp) {
    for (int offset = 16; offset > 0; offset /= 2) {
        if constexpr (Extrema) merge_lanes(partial.extrema, offset);
        if constexpr (Fast)
            for (auto& component : partial.fast)
                for (double& sum : component) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    if (threadIdx.x % 32 == 0) by_warp[threadIdx.x / 32] = partial;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned w = 1; w < blockDim.x / 32; ++w) merge_partial<Extrema, Fast>(partial, by_warp[w]);
}

/// Merges the partials of all blocks, the threads of the last block side by side in a fixed order; valid in thread 0.
template <bool Extrema, bool Fast>
__device__ block_partial merge_blocks(block_partial const* partials, block_partial* by_warp) {
    block_partial mine{};
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) merge_partial<Extrema, Fast>(mine, partials[b]);
    merge_threads<Extrema, Fast>(mine, by_warp);
    return mine;
}

} // namespace steadfold::inline v0::cuda
