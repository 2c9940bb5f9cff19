// The grid reduction: every block reduces its share in registers and shared memory, then adds it to the device's state;
// the last block to finish merges what has to be compared or added in order.
#pragma once

#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/element.cuh"
#include "reduce/cuda/pass.hpp"

namespace steadfold::inline v0::cuda {

/// Merges the partials of all threads of a block; the result is valid in thread 0.
template <bool Extrema, bool Fast>
__device__ void merge_threads(block_partial& partial, block_partial* by_warp) {
    for (int offset = 16; offset > 0; offset /= 2) {
        if constexpr (Extrema) {
            exact::extrema_state& mine = partial.extrema;
            exact::extrema_state other;
            other.min_key = __shfl_down_sync(0xffffffffu, mine.min_key, offset);
            other.min_index = __shfl_down_sync(0xffffffffu, mine.min_index, offset);
            other.max_key = __shfl_down_sync(0xffffffffu, mine.max_key, offset);
            other.max_index = __shfl_down_sync(0xffffffffu, mine.max_index, offset);
            other.first_nan = __shfl_down_sync(0xffffffffu, mine.first_nan, offset);
            mine.merge(other);
        }
        if constexpr (Fast)
            for (auto& component : partial.fast)
                for (double& sum : component) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    if (threadIdx.x % 32 == 0) by_warp[threadIdx.x / 32] = partial;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned w = 1; w < blockDim.x / 32; ++w) {
        if constexpr (Extrema) partial.extrema.merge(by_warp[w].extrema);
        if constexpr (Fast)
            for (int c = 0; c < 2; ++c)
                for (int k = 0; k < 3; ++k) partial.fast[c][k] += by_warp[w].fast[c][k];
    }
}

/// True in every thread of the last block to arrive. Its reads come after every other block's writes.
__device__ inline bool is_last_block(std::uint32_t* ticket, bool& flag) {
    if (threadIdx.x == 0) {
        // Releases this block's partial, and acquires those of the blocks that came before.
        ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> counter{*ticket};
        flag = counter.fetch_add(1, ::cuda::memory_order_acq_rel) == gridDim.x - 1;
    }
    __syncthreads();
    return flag;
}

/// The last block merges the partials of all blocks into the state, its threads side by side in a fixed order.
template <class Pass>
__device__ void merge_blocks(pass_arguments const& arguments, block_partial* by_warp) {
    block_partial mine{};
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
        block_partial const& other = arguments.partials[b];
        if constexpr (Pass::compares) mine.extrema.merge(other.extrema);
        if constexpr (Pass::is_fast)
            for (int c = 0; c < 2; ++c)
                for (int k = 0; k < 3; ++k) mine.fast[c][k] += other.fast[c][k];
    }
    merge_threads<Pass::compares, Pass::is_fast>(mine, by_warp);
    if (threadIdx.x != 0) return;
    exact::reduction_state& state = *arguments.state;
    if constexpr (Pass::compares) state.component[0].extrema.merge(mine.extrema);
    if constexpr (Pass::is_fast)
        for (int c = 0; c < 2; ++c) {
            state.component[c].fast_sum += mine.fast[c][0];
            state.component[c].fast_magnitudes += mine.fast[c][1];
            state.component[c].fast_products += mine.fast[c][2];
        }
    *arguments.ticket = 0;
}

__device__ inline vector16 load_aligned(void const* address) {
    uint4 const whole = __ldcs(static_cast<uint4 const*>(address)); // read once: do not keep it in the cache
    return {{whole.x, whole.y, whole.z, whole.w}};
}

/// A vector of which only the elements are aligned: the second array of a pair that is out of step with the first.
template <class Word>
__device__ vector16 load_by(void const* address) {
    vector16 v{};
    constexpr int per_word = 4 / static_cast<int>(sizeof(Word)); // 0 for 8-byte elements
    auto const* words = static_cast<Word const*>(address);
#pragma unroll
    for (int i = 0; i < 16 / static_cast<int>(sizeof(Word)); ++i) {
        if constexpr (per_word == 0) {
            v.word[2 * i] = static_cast<std::uint32_t>(words[i]);
            v.word[2 * i + 1] = static_cast<std::uint32_t>(words[i] >> 32);
        } else {
            v.word[i / per_word] |= static_cast<std::uint32_t>(words[i]) << (8 * sizeof(Word) * (i % per_word));
        }
    }
    return v;
}

__device__ inline vector16 load_elements(void const* address, int element_bytes) {
    switch (element_bytes) {
    case 1:
        return load_by<std::uint8_t>(address);
    case 2:
        return load_by<std::uint16_t>(address);
    case 4:
        return load_by<std::uint32_t>(address);
    default:
        return load_by<std::uint64_t>(address);
    }
}

/// The first window of a block, from one element of each of its threads.
template <class Pass>
__device__ int sampled_top(pass_arguments const& arguments, Pass const& pass, std::int64_t sample, int& top) {
    if (threadIdx.x == 0) top = -2000;
    __syncthreads();
    if (sample < arguments.length) atomicMax_block(&top, pass.top_at(sample));
    __syncthreads();
    return top;
}

__device__ inline void offer_first_nan(std::int64_t index, std::int64_t& first) {
    constexpr std::int64_t none = exact::extrema_state{}.first_nan;
    if (index == none) return;
    ::cuda::atomic_ref<long long, ::cuda::thread_scope_device> cell{reinterpret_cast<long long&>(first)};
    cell.fetch_min(index, ::cuda::memory_order_relaxed);
}

/// Adds what the block gathered to the device's state; all threads take part.
template <class Pass>
__device__ void add_block(exact::reduction_state const& block, exact::reduction_state& state) {
    for (int c = 0; c < Pass::components; ++c) {
        exact::component_state const& from = block.component[c];
        exact::component_state& to = state.component[c];
        add_limbs(from.sum, exact::sum_layout(Pass::real).limbs, to.sum);
        add_limbs(from.magnitudes, exact::sum_layout(Pass::real).limbs, to.magnitudes);
        add_limbs(from.products, exact::product_layout(Pass::real).limbs, to.products);
        if (c == 0 && threadIdx.x == 0) offer_first_nan(from.extrema.first_nan, to.extrema.first_nan);
        auto const* counts = reinterpret_cast<std::uint64_t const*>(&from.counts);
        if (threadIdx.x < sizeof(from.counts) / 8)
            device_add(reinterpret_cast<std::uint64_t*>(&to.counts) + threadIdx.x, counts[threadIdx.x]);
    }
}

/// The thread's share of the data: vectors in steps of the grid, and the few components before and after them.
template <class Pass>
__device__ void pass_over(pass_arguments const& arguments, Pass& pass, std::int64_t thread, std::int64_t threads) {
    int const bytes = Pass::element_bytes != 0 ? Pass::element_bytes : arguments.integer_bytes;
    int const width = 16 / bytes;
    auto const* x_vectors = static_cast<char const*>(arguments.x) + arguments.head * bytes;
    auto const* y_vectors = static_cast<char const*>(arguments.y) + (Pass::has_pairs ? arguments.head * bytes : 0);
    // Vectors of complex data begin with a real part: data that is out of step with 16 bytes is read by elements.
    auto const load_x = [&](std::int64_t i) {
        if constexpr (Pass::components == 1)
            return load_aligned(x_vectors + i * 16);
        else
            return arguments.x_aligned ? load_aligned(x_vectors + i * 16) : load_elements(x_vectors + i * 16, bytes);
    };
    auto const load_y = [&](std::int64_t i) {
        if constexpr (!Pass::has_pairs)
            return vector16{};
        else
            return arguments.y_aligned ? load_aligned(y_vectors + i * 16) : load_elements(y_vectors + i * 16, bytes);
    };

    std::int64_t v = thread;
    for (; v + (vectors_in_flight - 1) * threads < arguments.vectors; v += vectors_in_flight * threads) {
        vector16 x[vectors_in_flight], y[vectors_in_flight];
#pragma unroll
        for (int u = 0; u < vectors_in_flight; ++u) {
            x[u] = load_x(v + u * threads);
            y[u] = load_y(v + u * threads);
        }
        pass.batch(x, y, arguments.head + v * width, threads * width);
    }
    for (; v < arguments.vectors; v += threads) {
        vector16 const x[1] = {load_x(v)}, y[1] = {load_y(v)};
        pass.batch(x, y, arguments.head + v * width, 0);
    }
    if (thread < arguments.head) pass.single(thread);
    std::int64_t const tail = arguments.head + arguments.vectors * width + thread;
    if (tail < arguments.length) pass.single(tail);
}

template <class Pass>
__global__ void __launch_bounds__(max_threads_per_block, Pass::min_blocks)
    reduce_kernel(pass_arguments const __grid_constant__ arguments) {
    __shared__ block_storage storage;
    __shared__ block_partial by_warp[max_threads_per_block / 32];
    __shared__ int top;
    __shared__ bool last;
    exact::reduction_state& block = clear(storage);
    Pass pass{arguments, block};

    std::int64_t const threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    std::int64_t const thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    pass.start(sampled_top(arguments, pass, arguments.head + thread, top));
    pass_over(arguments, pass, thread, threads);

    block_partial partial{};
    pass.finish(partial);
    __syncthreads();
    add_block<Pass>(block, *arguments.state);
    if constexpr (Pass::compares || Pass::is_fast) {
        merge_threads<Pass::compares, Pass::is_fast>(partial, by_warp);
        if (threadIdx.x == 0) arguments.partials[blockIdx.x] = partial;
        if (is_last_block(arguments.ticket, last)) merge_blocks<Pass>(arguments, by_warp);
    }
}

} // namespace steadfold::inline v0::cuda
