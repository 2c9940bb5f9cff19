// What a block gathered on its way into the state of the launch, and from there into the last block.
#pragma once

#include "reduce/cuda/device_finish.cuh"

namespace steadfold::inline v0::cuda {

/// Adds the block's counts to the state; threads 0 to 31 at least.
template <class Block>
__device__ void add_counts(Block const& block, exact::reduction_state& state, unsigned thread) {
    constexpr unsigned words = sizeof(exact::special_counts) / 8;
#pragma unroll
    for (int c = 0; c < Block::components; ++c)
        if (thread < words)
            device_add(reinterpret_cast<std::uint64_t*>(&state.component[c].counts) + thread,
                       reinterpret_cast<std::uint64_t const*>(&block.counts[c])[thread]);
    if (thread != 0 || block.first_nan == 0) return;
    ::cuda::atomic_ref<long long, ::cuda::thread_scope_device> cell{
        reinterpret_cast<long long&>(state.component[0].extrema.first_nan)};
    cell.fetch_min(INT64_MAX - block.first_nan, ::cuda::memory_order_relaxed);
}

template <class Block>
__device__ void add_to_state(Block& block, exact::reduction_state& state) {
    block.for_each_sum([&](auto const& limbs, int, quantity which, int component) {
        constexpr int count = sizeof(limbs) / 8;
        std::uint64_t* const to = limbs_of(state, which, component);
        for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
            device_add(to + i, static_cast<std::uint64_t>(carried(limbs, count, i)));
    });
    add_counts(block, state, threadIdx.x);
}

/// Takes the state of the launch into the last block's limbs and leaves it empty for the next.
template <class Block>
__device__ void take_state(exact::reduction_state& state, Block& block, finish_area& area) {
    block.for_each_sum([&](auto& limbs, int, quantity which, int component) {
        constexpr int count = sizeof(limbs) / 8;
        std::uint64_t* const from = limbs_of(state, which, component);
        for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
            limbs[i] = __ldcg(from + i);
            from[i] = 0;
        }
    });
    constexpr unsigned words = sizeof(exact::special_counts) / 8;
    for (int c = 0; c < Block::components; ++c)
        if (threadIdx.x < words) {
            auto* from = reinterpret_cast<std::uint64_t*>(&state.component[c].counts) + threadIdx.x;
            reinterpret_cast<std::uint64_t*>(&area.counts[c])[threadIdx.x] = __ldcg(from);
            *from = 0;
        }
}

/// A place of the view for every quantity.
__device__ inline exact::digit_span& span_of(reduce_detail::state_view& view, quantity which, int component) {
    auto& part = view.component[component];
    return which == quantity::sum ? part.sum : which == quantity::magnitudes ? part.magnitudes : part.products;
}

} // namespace steadfold::inline v0::cuda
