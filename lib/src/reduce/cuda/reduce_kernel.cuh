// The grid reduction, one launch: every thread folds its share, every block sums its threads in shared memory, the last
// block rounds.
#pragma once

#include "reduce/cuda/end_block.cuh"
#include "reduce/cuda/vector_loads.cuh"

namespace steadfold::inline v0::cuda {

/// Lets the next kernel of the stream start its own preparations, and waits for the one before (compute capability 9.0,
/// "programmatic dependent launch"). Both do nothing in launches without that attribute.
__device__ inline void let_next_kernel_prepare() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// A block's dynamic shared memory.
template <class Pass>
struct shared_memory {
    typename Pass::block_type block; // cleared at the start
    finish_area finish;              // of the last block
};

/// All threads; the caller puts a barrier behind it.
template <class Memory>
__device__ void clear(Memory& memory) {
    static_assert(sizeof(Memory) % 8 == 0);
    auto* quads = reinterpret_cast<uint4*>(&memory);
    for (unsigned i = threadIdx.x; i < sizeof(Memory) / 16; i += blockDim.x) quads[i] = uint4{0, 0, 0, 0};
    if (sizeof(Memory) % 16 != 0 && threadIdx.x == 0)
        reinterpret_cast<std::uint64_t*>(&memory)[sizeof(Memory) / 8 - 1] = 0;
}

/// The largest of the threads' peaks; a barrier.
__device__ inline std::uint32_t block_peak(std::uint32_t peak, std::uint32_t* by_warp) {
    std::uint32_t const of_warp = __reduce_max_sync(0xffffffffu, peak);
    if (threadIdx.x % 32 == 0) by_warp[threadIdx.x / 32] = of_warp;
    __syncthreads();
    std::uint32_t const mine = threadIdx.x % 32 < blockDim.x / 32 ? by_warp[threadIdx.x % 32] : 0;
    return __reduce_max_sync(0xffffffffu, mine);
}

/// The thread's share of the data: vectors in steps of the grid; the few components before and after them go to two
/// threads. `x`, `y` are the first batch, if `loaded`: it was fetched while shared memory was cleared.
template <class Pass, int Count>
__device__ void pass_over(pass_arguments const& arguments, vector_source<Pass> const& source, Pass& pass,
                          vector16 (&x)[Count], vector16 (&y)[Count], std::uint32_t peak, bool loaded) {
    std::int64_t const threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    std::int64_t const thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    int const width = source.width();
    std::int64_t v = thread;
    if (loaded) {
        pass.batch(x, y, peak, arguments.head + v * width, threads * width);
        v += Count * threads;
    }
    for (; v + (Count - 1) * threads < arguments.vectors; v += Count * threads) {
#pragma unroll
        for (int u = 0; u < Count; ++u) {
            x[u] = source.x(v + u * threads);
            y[u] = source.y(v + u * threads, x[u]);
        }
        pass.batch(x, y, Pass::peak(x, y), arguments.head + v * width, threads * width);
    }
    for (; v < arguments.vectors; v += threads) {
        vector16 const one[1] = {source.x(v)}, other[1] = {source.y(v, one[0])};
        pass.batch(one, other, Pass::peak(one, other), arguments.head + v * width, 0);
    }
}

template <class Pass>
__device__ void pass_over_end(vector_source<Pass> const& source, Pass& pass, int end) {
    vector16 x[1], y[1];
    std::int64_t first;
    int count;
    source.read_end(end, x[0], y[0], first, count);
    if (count > 0) pass.batch(x, y, Pass::peak(x, y), first, 0, 0, count);
}

template <class Pass>
__global__ void __launch_bounds__(max_threads_per_block, Pass::min_blocks)
    reduce_kernel(pass_arguments const __grid_constant__ arguments) {
    extern __shared__ uint4 dynamic_shared_memory[];
    auto& shared = *reinterpret_cast<shared_memory<Pass>*>(dynamic_shared_memory);
    __shared__ std::uint32_t peaks[max_threads_per_block / 32];
    let_next_kernel_prepare();
    clear(shared.block);
    wait_for_kernel_before();

    vector_source<Pass> const source{arguments};
    std::int64_t const threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    std::int64_t const thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    constexpr int count = Pass::vectors_in_flight;
    vector16 x[count], y[count];
    bool const loaded = thread + (count - 1) * threads < arguments.vectors;
#pragma unroll
    for (int u = 0; u < count; ++u) {
        x[u] = loaded ? source.x(thread + u * threads) : vector16{};
        y[u] = loaded ? source.y(thread + u * threads, x[u]) : vector16{};
    }
    std::uint32_t const peak = Pass::peak(x, y);
    Pass pass{arguments, shared.block};
    pass.start(block_peak(peak, peaks));
    pass_over(arguments, source, pass, x, y, peak, loaded);
    if (thread < 2) pass_over_end(source, pass, static_cast<int>(thread));
    pass.finish();
    end_block(arguments, shared.block, shared.finish, pass);
}

} // namespace steadfold::inline v0::cuda
