// The grid reduction, one launch: every thread folds its share, every block sums its threads in shared memory, the last
// block rounds.
#pragma once

#include "reduce/cuda/dynamic_memory.cuh"
#include "reduce/cuda/end_block.cuh"
#include "reduce/cuda/small_sum.cuh"
#include "reduce/cuda/tile_walk.cuh"

namespace steadfold::inline v0::cuda {

/// What is in a block's dynamic shared memory behind the stages of bulk copies.
template <class Pass>
struct shared_memory {
    typename Pass::block_type block; // cleared at the start
    finish_area finish;              // of the last block
};

/// All threads; the caller puts a barrier behind it.
__device__ inline void clear(void* memory, unsigned bytes) {
    auto* quads = static_cast<uint4*>(memory);
    for (unsigned i = threadIdx.x; i < (bytes + 15) / 16; i += blockDim.x) quads[i] = uint4{0, 0, 0, 0};
}

/// From all 64-byte lines of them.
__device__ inline void load_all_early(pass_arguments const& arguments) {
    load_early(arguments.x);
    load_early(arguments.tiles);
    load_early(arguments.memory);
    load_early(arguments.finish.elements);
    load_early(arguments.finish.value);
}

template <class Pass>
__global__ void __launch_bounds__(max_threads_per_block, Pass::min_blocks)
    reduce_kernel(pass_arguments const __grid_constant__ arguments) {
    __shared__ bulk_barriers barriers[max_threads_per_block / warp_threads];
    constexpr int count = Pass::vectors_in_flight;
    let_next_kernel_prepare();
    int const warp_stages = Pass::bulk_stages * count * warp_threads * (arguments.y != nullptr ? 2 : 1); // in vectors
    int const warp = static_cast<int>(threadIdx.x) / warp_threads, warps = static_cast<int>(blockDim.x) / warp_threads;
    auto& shared = *reinterpret_cast<shared_memory<Pass>*>(dynamic_memory + (arguments.bulk ? warps * warp_stages : 0));
    clear(&shared.block, Pass::block_type::cleared_bytes(arguments));
    vector_source<Pass> const source{arguments};
    bulk_copies<Pass, count> copies{source, barriers[warp], dynamic_memory + warp * warp_stages};
    tile_walk<Pass, count> walk{arguments, source};
    first_addresses<Pass> const first{
        arguments, source, arguments.small_bits != 0 ? small_sum<Pass>::first_vector(arguments) : walk.first_vector()};
    small_sum<Pass> small{arguments, source, first};
    load_all_early(arguments);
    __syncthreads(); // the block is clear
    wait_for_kernel_before();

    if (small.run(shared.block, shared.finish)) return;
    Pass pass{arguments, shared.block, Pass::meets_hot ? first.load_hot_top() : 0};
    vector16 first_x[count], first_y[count];
    walk.begin(copies, first, first_x, first_y);
    walk.for_each(copies, first_x, first_y, [&](auto const& x, auto const& y, batch_vectors<Pass, count> const& again) {
        pass.batch(x, y, Pass::summarise(x, y), again);
    });
    pass.finish();
    end_block(arguments, shared.block, shared.finish, pass);
}

} // namespace steadfold::inline v0::cuda
