// The first rungs: one block's tree in shared memory. Every kernel says what it fixes in the one before.
//
// A block leaves one sum; the same kernel then sums those, until one is left. M. Harris, "Optimizing Parallel Reduction
// in CUDA", 2007, brought up to date where the hardware has changed since.
#include "ladder/rung.hpp"

#include <cstdint>

namespace steadfold::inline v0::app::ladder {

namespace {

using index = std::int64_t;

constexpr unsigned threads = 256;
constexpr unsigned warp = 32;

// Loops say `unroll 1` where a rung is about the loop: the compiler unrolls them otherwise, since it knows `threads`.

/// Neighbours first. A warp issues a branch for all 32 threads if any of them takes it: 16, 8, 4, 2, then 1 of a warp's
/// threads work in the first five steps, at the price of all. The remainder by a variable is a division.
__global__ void __launch_bounds__(threads) interleaved_divergent(float const* x, index n, float* sums) {
    __shared__ float s[threads];
    unsigned const t = threadIdx.x;
    index const i = index{blockIdx.x} * threads + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned stride = 1; stride < threads; stride *= 2) {
        if (t % (2 * stride) == 0) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}

/// Fixes the divergence: the first threads do all the work, so that whole warps drop out. But they access shared memory
/// 2, 4, 8 .. words apart: it has 32 banks, each a word wide, so that 2, 4, then 8 of a warp's accesses meet in one
/// bank and are served one after the other.
__global__ void __launch_bounds__(threads) interleaved_strided(float const* x, index n, float* sums) {
    __shared__ float s[threads];
    unsigned const t = threadIdx.x;
    index const i = index{blockIdx.x} * threads + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned stride = 1; stride < threads; stride *= 2) {
        unsigned const at = 2 * stride * t;
        if (at < threads) s[at] += s[at + stride];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}

/// Fixes the bank conflicts: neighbouring threads access neighbouring words, each in a bank of its own.
__global__ void __launch_bounds__(threads) sequential(float const* x, index n, float* sums) {
    __shared__ float s[threads];
    unsigned const t = threadIdx.x;
    index const i = index{blockIdx.x} * threads + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}

/// Two elements, a block's width apart so that each load of a warp is one run of memory.
__device__ float add_during_load(float const* x, index n) {
    index const i = index{blockIdx.x} * (2 * threads) + threadIdx.x;
    float const first = i < n ? x[i] : 0, second = i + threads < n ? x[i + threads] : 0;
    return first + second;
}

/// Fixes the idle half: in the first step above half of the threads only wait. Every thread adds two elements as it
/// loads them, so half the threads serve the same data, and two loads are on their way at once.
__global__ void __launch_bounds__(threads) first_add_during_load(float const* x, index n, float* sums) {
    __shared__ float s[threads];
    unsigned const t = threadIdx.x;
    s[t] = add_during_load(x, n);
    __syncthreads();
#pragma unroll 1
    for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}

/// One step of a tree within a warp: everyone reads, then everyone writes. The first barrier keeps a fast lane's write
/// behind a slow lane's read of the old value, the second makes it visible before the next step reads it.
__device__ void step_in_warp(float* s, unsigned t, float& sum, unsigned stride) {
    sum += s[t + stride];
    __syncwarp();
    s[t] = sum;
    __syncwarp();
}

/// Fixes the barriers that wait for nobody: once 64 sums are left, one warp works alone and the other seven need not be
/// met six times more.
///
/// Older texts declare `s` volatile here and use no barrier. That was right while the 32 lanes of a warp had one
/// program counter. Since Volta each has its own: lanes may drift apart and take the steps at different times.
/// `volatile` makes every access go to memory but orders no lane after another; __syncwarp() does, for execution and
/// for memory.
__global__ void __launch_bounds__(threads) unrolled_last_warp(float const* x, index n, float* sums) {
    __shared__ float s[threads];
    unsigned const t = threadIdx.x;
    float sum = s[t] = add_during_load(x, n);
    __syncthreads();
#pragma unroll 1
    for (unsigned stride = threads / 2; stride > warp; stride /= 2) {
        if (t < stride) s[t] = sum += s[t + stride];
        __syncthreads();
    }
    if (t >= warp) return;
    step_in_warp(s, t, sum, 32);
    step_in_warp(s, t, sum, 16);
    step_in_warp(s, t, sum, 8);
    step_in_warp(s, t, sum, 4);
    step_in_warp(s, t, sum, 2);
    step_in_warp(s, t, sum, 1);
    if (t == 0) sums[blockIdx.x] = sum;
}

/// The tree as two loops, unrolled as often as `Times` says. The last thing a kernel does.
template <int Times>
__device__ void tree_of_loops(float* s, float sum, float* result) {
    unsigned const t = threadIdx.x;
    s[t] = sum;
    __syncthreads();
#pragma unroll Times
    for (unsigned stride = threads / 2; stride > warp; stride /= 2) {
        if (t < stride) s[t] = sum += s[t + stride];
        __syncthreads();
    }
    if (t >= warp) return;
#pragma unroll Times
    for (unsigned stride = warp; stride > 0; stride /= 2) step_in_warp(s, t, sum, stride);
    if (t == 0) *result = sum;
}

/// Not a fix but the other end of the comparison: the whole tree as loops that stay loops. The least code; each step
/// also executes a shift, a comparison and a branch, and computes its address.
__global__ void __launch_bounds__(threads) rolled(float const* x, index n, float* sums) {
    __shared__ float s[threads];
    tree_of_loops<1>(s, add_during_load(x, n), sums + blockIdx.x);
}

/// Fixes the loops' own instructions: the number of steps is known to the compiler, and strides become constants in the
/// load instructions.
__global__ void __launch_bounds__(threads) unrolled_by_pragma(float const* x, index n, float* sums) {
    __shared__ float s[threads];
    tree_of_loops<8>(s, add_during_load(x, n), sums + blockIdx.x);
}

/// The same tree step by step.
__device__ void tree_by_hand(float* s, float sum, float* result) {
    unsigned const t = threadIdx.x;
    s[t] = sum;
    __syncthreads();
    if (t < 128) s[t] = sum += s[t + 128];
    __syncthreads();
    if (t < 64) s[t] = sum += s[t + 64];
    __syncthreads();
    if (t >= warp) return;
    step_in_warp(s, t, sum, 32);
    step_in_warp(s, t, sum, 16);
    step_in_warp(s, t, sum, 8);
    step_in_warp(s, t, sum, 4);
    step_in_warp(s, t, sum, 2);
    step_in_warp(s, t, sum, 1);
    if (t == 0) *result = sum;
}

/// What one had to write before compilers did it. The counts beside the pragma's say whether it still pays.
__global__ void __launch_bounds__(threads) unrolled_by_hand(float const* x, index n, float* sums) {
    __shared__ float s[threads];
    tree_by_hand(s, add_during_load(x, n), sums + blockIdx.x);
}

/// Fixes the many short blocks: each of them starts, fills shared memory and runs a tree for 512 elements. As many
/// blocks as run at once stride over everything; a tree is paid once for thousands of elements, and a second launch of
/// one block ends the sum. Only one 4-byte load of a thread is on its way at a time, which later rungs fix.
__global__ void __launch_bounds__(threads) grid_stride(float const* x, index n, float* sums) {
    __shared__ float s[threads];
    float sum = 0;
    index const step = index{gridDim.x} * threads;
#pragma unroll 1
    for (index i = index{blockIdx.x} * threads + threadIdx.x; i < n; i += step) sum += x[i];
    tree_by_hand(s, sum, sums + blockIdx.x);
}

rung tree(char const* name, char const* change, void (*kernel)(float const*, index, float*), int elements_per_block) {
    return {.name = name,
            .change = change,
            .kernel = reinterpret_cast<void const*>(kernel),
            .threads = threads,
            .elements_per_block = elements_per_block};
}

} // namespace

std::vector<rung> tree_rungs() {
    std::vector<rung> all{
        tree("interleaved-divergent", "the textbook's first: every second thread drops out", interleaved_divergent,
             threads),
        tree("interleaved-strided", "no divergence: the first threads work; bank conflicts", interleaved_strided,
             threads),
        tree("sequential", "no bank conflicts: neighbours access neighbours", sequential, threads),
        tree("first-add-during-load", "half the threads for the same data", first_add_during_load, 2 * threads),
        tree("unrolled-last-warp", "__syncwarp for the last 32 threads, no block barriers", unrolled_last_warp,
             2 * threads),
        tree("rolled", "the whole tree as loops that stay loops", rolled, 2 * threads),
        tree("unrolled-by-pragma", "#pragma unroll: constant strides, no loop code", unrolled_by_pragma, 2 * threads),
        tree("unrolled-by-hand", "the same written out", unrolled_by_hand, 2 * threads),
        tree("grid-stride", "many elements a thread: one tree for thousands of them", grid_stride, 2 * threads)};
    all.back().merge = merging::second_pass;
    all.back().resident = true;
    return all;
}

} // namespace steadfold::inline v0::app::ladder
