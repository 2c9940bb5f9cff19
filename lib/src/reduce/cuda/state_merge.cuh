// What a block gathered on its way into the state of the launch, and from there into the last block. As little code as
// possible: none of it is in an instruction cache when a block gets here, and waiting for instructions takes longer
// than they do.
#pragma once

#include "reduce/cuda/device_finish.cuh"

namespace steadfold::inline v0::cuda {

/// Where a block's sum of one quantity is.
struct sum_place {
    std::uint64_t* limbs;
    int count, anchor;
    quantity which;
    int component;
};

/// How many sums a block has; less costs code, where a pass has none.
template <class Block>
__device__ constexpr int sums_of(Block& block) {
    int sums = 0;
    block.for_each_sum([&](auto const&, int, quantity, int) { ++sums; });
    return sums;
}

/// The one with number `k`, so that one piece of code serves them all.
template <class Block>
__device__ sum_place sum_at(Block& block, int k) {
    sum_place place{};
    int number = 0;
    block.for_each_sum([&](auto& limbs, int anchor, quantity which, int component) {
        if (number++ == k) place = {limbs, static_cast<int>(sizeof(limbs) / 8), anchor, which, component};
    });
    return place;
}

/// f(place) for the sums of the calling warp.
template <class Block, class Function>
__device__ void for_sums_of_warp(Block& block, Function const& f) {
#pragma unroll 1
    for (int k = static_cast<int>(threadIdx.x / 32); k < sums_of(block); k += static_cast<int>(blockDim.x / 32))
        f(sum_at(block, k));
}

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
    for_sums_of_warp(block, [&](sum_place const& from) {
        std::uint64_t* const to = limbs_of(state, from.which, from.component);
#pragma unroll 1
        for (int i = static_cast<int>(threadIdx.x % 32); i < from.count; i += 32)
            device_add(to + i, static_cast<std::uint64_t>(carried(from.limbs, from.count, i)));
    });
    add_counts(block, state, threadIdx.x);
}

/// Takes the state of the launch into the last block's limbs and counts, and leaves it empty for the next. Of one sum a
/// warp has all limbs on their way at once.
template <class Block>
__device__ void take_state(exact::reduction_state& state, Block& block) {
    for_sums_of_warp(block, [&](sum_place const& to) {
        std::uint64_t* const from = limbs_of(state, to.which, to.component);
        constexpr int turns = (exact::product_capacity + 31) / 32;
        std::uint64_t taken[turns];
        int const lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
        for (int t = 0; t < turns; ++t) taken[t] = lane + 32 * t < to.count ? __ldcg(from + lane + 32 * t) : 0;
#pragma unroll
        for (int t = 0; t < turns; ++t)
            if (int const i = lane + 32 * t; i < to.count) {
                to.limbs[i] = taken[t];
                from[i] = 0;
            }
        __syncwarp();
    });
    constexpr unsigned words = sizeof(exact::special_counts) / 8;
    for (int c = 0; c < Block::components; ++c)
        if (threadIdx.x < words) {
            auto* from = reinterpret_cast<std::uint64_t*>(&state.component[c].counts) + threadIdx.x;
            reinterpret_cast<std::uint64_t*>(&block.counts[c])[threadIdx.x] = __ldcg(from);
            *from = 0;
        }
    if (threadIdx.x != 0) return;
    std::int64_t& first_nan = state.component[0].extrema.first_nan;
    block.first_nan = INT64_MAX - __ldcg(&first_nan);
    first_nan = exact::extrema_state{}.first_nan;
}

/// A place of the view for every quantity.
__device__ inline exact::digit_span& span_of(reduce_detail::state_view& view, quantity which, int component) {
    auto& part = view.component[component];
    return which == quantity::sum ? part.sum : which == quantity::magnitudes ? part.magnitudes : part.products;
}

} // namespace steadfold::inline v0::cuda
