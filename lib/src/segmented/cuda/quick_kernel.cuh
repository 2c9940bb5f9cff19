// The quick kernels: rows and columns of one lane's kind of data and operation.
#pragma once

#include "segmented/cuda/columns.cuh"
#include "segmented/cuda/rows.cuh"

namespace steadfold::inline v0::segmented {

/// Of the warp, which never waits for the other ones of its block. Negative: there is nothing to do.
__device__ inline std::int64_t chunk_of_warp(call const& c) {
    std::int64_t const number = static_cast<std::int64_t>(blockIdx.x) * warps_per_block + threadIdx.x / 32;
    return number < c.chunks ? number : -1;
}

__device__ inline std::uint64_t* words_of_warp(call const& c) {
    extern __shared__ std::uint64_t shared_words[];
    return shared_words + static_cast<int>(threadIdx.x / 32) * warp_store::words(c.shape);
}

/// A warp has much on its way, and what does not fit its registers would go through the memory.
template <class Lane>
__global__ void __launch_bounds__(32 * warps_per_block, 2) row_kernel(call const __grid_constant__ c) {
    std::int64_t const chunk = chunk_of_warp(c);
    if (chunk >= 0) reduce_rows<Lane>(c, words_of_warp(c), chunk);
}

/// A warp has little on its way: the more of them, the better.
template <class Lane>
__global__ void __launch_bounds__(32 * warps_per_block, 4) column_kernel(call const __grid_constant__ c) {
    std::int64_t const chunk = chunk_of_warp(c);
    if (chunk >= 0) reduce_columns<Lane>(c, words_of_warp(c), chunk);
}

} // namespace steadfold::inline v0::segmented
