// The rungs that use what the hardware has for it: shuffles, integer reductions of a warp, wide loads, atomics,
// clusters, bulk copies. Every kernel says what it fixes in the one before. All of them stride over the data with as
// many blocks as run at once.
#include "ladder/rung.hpp"
#include "ladder/strides.cuh"

#include <cooperative_groups.h>
#include <cuda/ptx>

namespace steadfold::inline v0::app::ladder {

namespace {

namespace ptx = ::cuda::ptx;

constexpr unsigned threads = 256;
constexpr unsigned cluster_blocks = 8; // what every chip with clusters takes

/// A sum of each thread's elements, one 4-byte load after the other as in the rung before.
template <class T>
__device__ T one_by_one(T const* x, index n) {
    T sum = 0;
    index const step = index{gridDim.x} * threads;
#pragma unroll 1
    for (index i = index{blockIdx.x} * threads + threadIdx.x; i < n; i += step) sum += x[i];
    return sum;
}

/// Fixes the way through shared memory: lanes of a warp hand their registers to each other, a step being one shuffle
/// and one addition instead of store, barrier, load, addition, barrier. Only one value a warp goes through shared
/// memory.
template <class T>
__global__ void __launch_bounds__(threads) shuffle(T const* x, index n, T* sums) {
    T const sum = block_sum(one_by_one(x, n));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// Fixes, for integers, the five steps: redux.sync (since compute capability 8.0) sums 32-bit integers of a warp in one
/// instruction. There is none for float32 sums, where the result would depend on the order.
__global__ void __launch_bounds__(threads) redux(int const* x, index n, int* sums) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    constexpr unsigned all_lanes = 0xffffffffu;
    __shared__ int of_warp[threads / 32];
    int sum = __reduce_add_sync(all_lanes, one_by_one(x, n));
    unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();
    if (warp > 0) return;
    sum = __reduce_add_sync(all_lanes, lane < threads / 32 ? of_warp[lane] : 0);
    if (lane == 0) sums[blockIdx.x] = sum;
#else
    __trap();
#endif
}

/// With one vector in flight, fixes the number of loads: a 16-byte load moves four times the bytes of a 4-byte one for
/// the same instruction, the same place in the load/store unit's queues and the same wait.
///
/// With more in flight, fixes the waiting: memory answers after some 600 ns, and a thread that adds what it has just
/// loaded waits that long for every load. All loads of a batch are under way before the first is added.
template <int InFlight>
__global__ void __launch_bounds__(threads) vectors(float const* x, index n, float* sums) {
    float const sum = block_sum(sum_of_vectors<InFlight>(x, n));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// Fixes the second launch: every block adds its sum to the result, which costs one addition in the L2 cache a block.
/// The order of blocks is now that of their arrival, and with it the bits of a sum of floats that is not exact.
__global__ void __launch_bounds__(threads) atomics(float const* x, index n, float* result) {
    float const sum = block_sum(sum_of_vectors<4>(x, n));
    if (threadIdx.x == 0) atomicAdd(result, sum);
}

/// Fixes the number of atomics: the eight blocks of a cluster (since compute capability 9.0) run at the same time on
/// one group of multiprocessors and reach each other's shared memory, so that one of them adds for all.
__global__ void __launch_bounds__(threads) cluster(float const* x, index n, float* result) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    auto const blocks = cooperative_groups::this_cluster();
    __shared__ float of_block[cluster_blocks]; // those of block 0 are used
    blocks.barrier_arrive(); // "I have started": before that, a block's shared memory must not be reached
    float const sum = block_sum(sum_of_vectors<4>(x, n));
    blocks.barrier_wait();
    if (threadIdx.x == 0) *blocks.map_shared_rank(&of_block[blocks.block_rank()], 0) = sum;
    blocks.sync(); // the stores are visible to block 0, which does not end before they have arrived
    if (blocks.block_rank() != 0 || threadIdx.x != 0) return;
    float total = 0;
    for (unsigned i = 0; i < cluster_blocks; ++i) total += of_block[i];
    atomicAdd(result, total);
#else
    __trap();
#endif
}

constexpr unsigned tile_vectors = 2 * threads; // 8 KiB
constexpr unsigned bulk_threads = threads + 32;

/// Waits until the barrier's phase of this parity has ended. One that does not end within ten seconds never will, by a
/// fault of this kernel: the launch then fails instead of holding the device for ever.
[[maybe_unused]] __device__ void wait(std::uint64_t& barrier, unsigned parity) {
    if (ptx::mbarrier_try_wait_parity(&barrier, parity)) return;
    std::uint64_t const begin = ptx::get_sreg_globaltimer();
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity))
        if (ptx::get_sreg_globaltimer() - begin > 10'000'000'000u) __trap();
}

/// Fixes who waits for memory: one thread has the copy engine (TMA, since compute capability 9.0) bring 8 KiB at a time
/// into shared memory, up to four such tiles ahead of the warps that add. Bytes under way cost neither registers nor
/// load instructions any more, and do not depend on how many threads are there to wait for them.
///
/// Per tile buffer there are two barriers. `full` ends a phase when the producer has arrived and the bytes it announced
/// have come; `empty` when all eight adding warps have arrived, after their last read. Tile k of a block is the
/// (k / stages)-th in its buffer, and the parity of that number is the parity of both phases. The producer waits for
/// the phase of `empty` before that; a fresh barrier counts as being past a phase of parity 1, so that its first wait
/// for each buffer returns at once.
__global__ void __launch_bounds__(bulk_threads) bulk_copies(float const* x, index n, float* result) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    constexpr unsigned stages = 4, producer = threads; // the thread after those that add
    alignas(128) __shared__ vector<float> tile[stages][tile_vectors];
    __shared__ std::uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < stages; ++i) {
            ptx::mbarrier_init(&full[i], 1);
            ptx::mbarrier_init(&empty[i], threads / 32);
        }
        ptx::fence_proxy_async(ptx::space_shared); // the copy engine sees initialised barriers
    }
    __syncthreads();

    aligned_part<float> const all{x, n};
    auto const vectors_of = [&](index tile_number) { // the last tile may be shorter; none is empty
        index const left = all.count - tile_number * tile_vectors;
        return static_cast<unsigned>(left < tile_vectors ? left : tile_vectors);
    };
    index const tiles = (all.count + tile_vectors - 1) / tile_vectors;
    float sum = all.edges();
    unsigned k = 0;
    if (threadIdx.x == producer) {
        for (index i = blockIdx.x; i < tiles; i += gridDim.x, ++k) {
            unsigned const stage = k % stages, parity = k / stages % 2, bytes = vectors_of(i) * 16;
            wait(empty[stage], parity ^ 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[stage], bytes);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[stage], all.first + i * tile_vectors, bytes,
                               &full[stage]);
        }
    } else if (threadIdx.x < threads) {
        for (index i = blockIdx.x; i < tiles; i += gridDim.x, ++k) {
            unsigned const stage = k % stages, parity = k / stages % 2, count = vectors_of(i);
            wait(full[stage], parity);
            for (unsigned v = threadIdx.x; v < count; v += threads) sum += total(tile[stage][v]);
            __syncwarp();
            if (threadIdx.x % 32 == 0) static_cast<void>(ptx::mbarrier_arrive(&empty[stage]));
        }
    }
    __syncwarp(); // the producer's warp is whole again
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(result, sum);
#else
    __trap();
#endif
}

template <class T>
rung striding(char const* name, char const* change, void (*kernel)(T const*, index, T*), merging merge,
              int elements_per_block = 4 * threads) {
    return {.name = name,
            .change = change,
            .kernel = reinterpret_cast<void const*>(kernel),
            .merge = merge,
            .threads = threads,
            .elements_per_block = elements_per_block,
            .resident = true};
}

} // namespace

std::vector<rung> hardware_rungs() {
    std::vector<rung> all{
        striding("shuffle", "warps pass registers; one value a warp in shared memory", shuffle<float>,
                 merging::second_pass),
        striding("shuffle-int32", "the same for int32, to compare with", shuffle<int>, merging::second_pass),
        striding("redux-int32", "redux.sync: a warp's integer sum in one instruction", redux, merging::second_pass),
        striding("vectors", "16-byte loads", vectors<1>, merging::second_pass),
        striding("vectors-in-flight", "four 16-byte loads under way at once", vectors<4>, merging::second_pass,
                 16 * threads),
        striding("atomics", "one atomicAdd a block, no second launch", atomics, merging::atomics, 16 * threads),
        striding("cluster", "eight blocks merge in shared memory first", cluster, merging::atomics, 16 * threads),
        striding("bulk-copies", "TMA: one thread orders 8 KiB copies, four ahead", bulk_copies, merging::atomics,
                 4 * tile_vectors)};
    for (rung& each : all) {
        if (each.name.ends_with("-int32")) each.type = dtype::int32;
        if (each.name == "cluster") each.cluster = cluster_blocks;
        if (each.name == "bulk-copies") each.threads = bulk_threads;
        if (each.name == "redux-int32") each.compute_capability = 8;
        if (each.name == "cluster" || each.name == "bulk-copies") each.compute_capability = 9;
    }
    return all;
}

} // namespace steadfold::inline v0::app::ladder
