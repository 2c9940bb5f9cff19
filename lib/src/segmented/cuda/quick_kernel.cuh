// The quick kernels: rows and columns of one lane's kind of data and operation.
#pragma once

#include "segmented/cuda/columns.cuh"
#include "segmented/cuda/rows.cuh"

namespace steadfold::inline v0::segmented {

/// One kernel for every shape: what a shape needs of its own is short beside the rounding of whatever the folds cannot
/// sum, which all need, and all would have the same number of registers.
template <class RowLane, class ColumnLane>
__global__ void __launch_bounds__(32 * warps_per_block, 4) quick_kernel(call const __grid_constant__ c) {
    extern __shared__ std::uint64_t shared_words[];
    int const warp = static_cast<int>(threadIdx.x / 32);
    std::int64_t const number = static_cast<std::int64_t>(blockIdx.x) * warps_per_block + warp;
    if (number >= c.chunks) return; // warps never wait for each other
    std::uint64_t* const words = shared_words + warp * warp_store::words(c.shape);
    if (c.inner == 1)
        reduce_rows<RowLane>(c, words, number);
    else
        reduce_columns<ColumnLane>(c, words, number);
}

} // namespace steadfold::inline v0::segmented
