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

/// The block's tiles, one after another: f(x, y, the same vectors to be read again) for each.
template <class Pass, int Count, class Function>
__device__ void for_each_tile(pass_arguments const& arguments, vector_source<Pass> const& source,
                              bulk_copies<Pass, Count>& copies, int workers, Function const& f) {
    for (std::int64_t tile = blockIdx.x; tile < arguments.tiles; tile += gridDim.x) {
        batch_vectors<Pass, Count> batch{source, tile, workers, nullptr, copies.y_offset()};
        vector16 x[Count], y[Count];
        bool const bulk = arguments.bulk && tile < arguments.whole_tiles;
        if (bulk) {
            batch.stage = copies.take();
#pragma unroll
            for (int u = 0; u < Count; ++u) {
                x[u] = as_vector(batch.stage[u * workers]);
                y[u] = source.has_y() ? as_vector(batch.stage[u * workers + copies.y_offset()]) : x[u];
            }
        } else if (tile < arguments.whole_tiles) {
#pragma unroll
            for (int u = 0; u < Count; ++u) {
                x[u] = source.x(batch.first() + u * workers);
                y[u] = source.y(batch.first() + u * workers, x[u]);
            }
        } else {
            source.any(batch.first(), workers, x, y);
        }
        f(x, y, batch);
        if (bulk) copies.release();
    }
}

template <class Pass>
__global__ void __launch_bounds__(max_threads_per_block, Pass::min_blocks)
    reduce_kernel(pass_arguments const __grid_constant__ arguments) {
    __shared__ bulk_barriers barriers;
    constexpr int count = Pass::vectors_in_flight;
    let_next_kernel_prepare();
    int const workers = static_cast<int>(blockDim.x) - (arguments.bulk ? 32 : 0);
    int const staged = arguments.bulk ? bulk_stages * count * workers * (arguments.y != nullptr ? 2 : 1) : 0;
    auto& shared = *reinterpret_cast<shared_memory<Pass>*>(dynamic_memory + staged);
    clear(&shared.block, Pass::block_type::cleared_bytes(arguments));
    vector_source<Pass> const source{arguments};
    bulk_copies<Pass, count> copies{source, barriers, dynamic_memory, workers};
    __syncthreads(); // the block is clear, the barriers are ready
    wait_for_kernel_before();

    Pass pass{arguments, shared.block};
    if (static_cast<int>(threadIdx.x) < workers) {
        bool started = false;
        for_each_tile<Pass, count>(arguments, source, copies, workers,
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
    } else {
        copies.produce(blockIdx.x, gridDim.x, arguments.whole_tiles);
    }
    end_block(arguments, shared.block, shared.finish, pass);
}

} // namespace steadfold::inline v0::cuda
