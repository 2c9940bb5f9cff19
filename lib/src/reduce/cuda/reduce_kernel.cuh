// The grid reduction, one launch: every thread folds its share, every block sums its threads in shared memory, the last
// block rounds.
#pragma once

#include "reduce/cuda/bulk_copies.cuh"
#include "reduce/cuda/dynamic_memory.cuh"
#include "reduce/cuda/end_block.cuh"

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

/// The warp's tiles, one after another: f(x, y, the same vectors to be read again) for each.
template <class Pass, int Count, class Function>
__device__ void for_each_tile(pass_arguments const& arguments, vector_source<Pass> const& source,
                              bulk_copies<Pass, Count>& copies, Function const& f) {
    unsigned const block_warps = blockDim.x / warp_threads;
    std::int64_t const step = gridDim.x * block_warps;
    std::int64_t tile = blockIdx.x * block_warps + threadIdx.x / warp_threads;
    if (arguments.bulk) copies.begin(tile, step, arguments.whole_tiles);
    for (; tile < arguments.tiles; tile += step) {
        batch_vectors<Pass, Count> batch{source, tile, nullptr};
        constexpr int stride = batch_vectors<Pass, Count>::stride;
        vector16 x[Count], y[Count];
        bool const bulk = arguments.bulk && tile < arguments.whole_tiles;
        if (bulk) {
            batch.stage = copies.take();
#pragma unroll
            for (int u = 0; u < Count; ++u) {
                x[u] = as_vector(batch.stage[u * stride]);
                y[u] = source.has_y() ? as_vector(batch.stage[(u + Count) * stride]) : x[u];
            }
        } else if (tile < arguments.whole_tiles) {
#pragma unroll
            for (int u = 0; u < Count; ++u) {
                x[u] = source.x(batch.first() + u * stride);
                y[u] = source.y(batch.first() + u * stride, x[u]);
            }
        } else {
            source.any(batch.first(), stride, x, y);
        }
        f(x, y, batch);
        if (bulk) copies.release(tile + bulk_stages * step, arguments.whole_tiles);
    }
}

template <class Pass>
__global__ void __launch_bounds__(max_threads_per_block, Pass::min_blocks)
    reduce_kernel(pass_arguments const __grid_constant__ arguments) {
    __shared__ bulk_barriers barriers[max_threads_per_block / warp_threads];
    constexpr int count = Pass::vectors_in_flight;
    let_next_kernel_prepare();
    int const warp_stages = bulk_stages * count * warp_threads * (arguments.y != nullptr ? 2 : 1); // in vectors
    int const warp = static_cast<int>(threadIdx.x) / warp_threads, warps = static_cast<int>(blockDim.x) / warp_threads;
    auto& shared = *reinterpret_cast<shared_memory<Pass>*>(dynamic_memory + (arguments.bulk ? warps * warp_stages : 0));
    clear(&shared.block, Pass::block_type::cleared_bytes(arguments));
    vector_source<Pass> const source{arguments};
    bulk_copies<Pass, count> copies{source, barriers[warp], dynamic_memory + warp * warp_stages};
    __syncthreads(); // the block is clear
    wait_for_kernel_before();

    Pass pass{arguments, shared.block};
    bool started = false;
    for_each_tile<Pass, count>(arguments, source, copies,
                               [&](auto const& x, auto const& y, batch_vectors<Pass, count> const& again) {
                                   auto const seen = Pass::summarise(x, y);
                                   if (!started) {
                                       pass.start(__reduce_max_sync(0xffffffffu, seen.peak));
                                       started = true;
                                   }
                                   pass.batch(x, y, seen, again);
                               });
    if (!started) pass.start(0);
    pass.finish();
    end_block(arguments, shared.block, shared.finish, pass);
}

} // namespace steadfold::inline v0::cuda
