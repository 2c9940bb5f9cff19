// The end of a block: what it gathered goes to the launch's other blocks, and the last one to come finishes.
#pragma once

#include "reduce/cuda/device_finish.cuh"
#include "reduce/cuda/partials.cuh"

namespace steadfold::inline v0::cuda {

__device__ inline void count_on_device(std::int64_t& to, std::int64_t from) {
    device_add(reinterpret_cast<std::uint64_t*>(&to), static_cast<std::uint64_t>(from));
}

/// Adds what the block gathered to the state; all threads, `Threads` apart.
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

template <class Pass>
__device__ void finish_from_state(pass_arguments const& arguments, typename Pass::block_type& block, finish_area& area,
                                  block_partial* by_warp) {
    exact::reduction_state& state = arguments.memory->state;
    block_partial merged{};
    if constexpr (Pass::compares || Pass::is_fast)
        merged = merge_blocks<Pass::compares, Pass::is_fast>(arguments.partials, by_warp);
    if (arguments.finish.operations == 0) { // left for later: see cuda_backend.cpp
        if (threadIdx.x != 0) return;
        if constexpr (Pass::compares) state.component[0].extrema.merge(merged.extrema);
        if constexpr (Pass::is_fast)
            for (int c = 0; c < 2; ++c) {
                state.component[c].fast_sum += merged.fast[c][0];
                state.component[c].fast_magnitudes += merged.fast[c][1];
                state.component[c].fast_products += merged.fast[c][2];
            }
        return;
    }
    take_state(state, block, area);
    if (threadIdx.x == 0) {
        area.view = {};
        area.view.elements = arguments.finish.elements;
        area.extrema = merged.extrema;
        area.extrema.offer_nan(__ldcg(&state.component[0].extrema.first_nan));
        state.component[0].extrema.first_nan = exact::extrema_state{}.first_nan;
        area.view.extrema = &area.extrema;
        for (int c = 0; c < 2; ++c) {
            area.view.component[c].counts = &area.counts[c];
            area.view.component[c].fast_sum = merged.fast[c][0];
            area.view.component[c].fast_magnitudes = merged.fast[c][1];
            area.view.component[c].fast_products = merged.fast[c][2];
        }
    }
    __syncthreads();
    unsigned const warp = threadIdx.x / 32, warps = blockDim.x / 32;
    unsigned turn = 0;
    block.for_each_sum([&](auto& limbs, int anchor, quantity which, int component) {
        if (turn++ % warps != warp) return;
        exact::digit_span const span = normalised_span(limbs, sizeof(limbs) / 8, anchor);
        if (threadIdx.x % 32 == 0) span_of(area.view, which, component) = span;
    });
    __syncthreads();
    unsigned const evaluations = ::min(warps, static_cast<unsigned>(finish_area::evaluations));
    if (threadIdx.x % 32 == 0 && warp < evaluations)
        evaluate_share(arguments.finish, area, static_cast<int>(warp), static_cast<int>(evaluations));
}

/// For passes whose blocks meet in hot words. Only the first warp comes here.
template <class Block>
__device__ void meet_and_finish(pass_arguments const& arguments, Block& block, finish_area& area) {
    grid_memory& memory = *arguments.memory;
    unsigned const lane = threadIdx.x % 32;
    block.for_each_sum([&](auto& limbs, int anchor, quantity which, int) {
        constexpr int count = sizeof(limbs) / 8, words = count > 70 ? 16 : 8, digits = words - 1;
        bool const alone = gridDim.x == 1;
        int const first = alone ? ::min(non_zero_limbs(limbs, count).first, count - 1) : __ldcg(&memory.first_hot_limb);

        bool elsewhere = false;
        for (int i = static_cast<int>(lane); i < count; i += 32) {
            std::int64_t const digit = i >= first && i < first + digits ? 0 : carried(limbs, count, i);
            if (digit == 0) continue;
            elsewhere = true;
            device_add(limbs_of(memory.state, which, 0) + i, static_cast<std::uint64_t>(digit));
        }
        auto const* counts = reinterpret_cast<std::int64_t const*>(&block.counts[0]);
        constexpr unsigned count_words = sizeof(exact::special_counts) / 8 - 1; // but for not_negative_zero, the last
        if (lane < count_words && counts[lane] != 0) elsewhere = true;
        hot_flags flags{__any_sync(0xffffffffu, elsewhere) ? 1u : 0u, block.counts[0].not_negative_zero != 0 ? 1u : 0u};
        if (flags.used_state != 0) {
            if (lane == 0) block.counts[0].not_negative_zero = 0; // it travels in the flags
            __syncwarp();
            add_counts(block, memory.state, lane);
            __threadfence(); // pairs with the last block's fence
            __syncwarp();
        }

        int const limb = first + static_cast<int>(lane);
        std::uint64_t word = std::uint64_t{1} << arrival_shift;
        if (lane < digits && limb < count) word += static_cast<std::uint64_t>(carried(limbs, count, limb));
        if (lane == digits) word += flags.packed();
        if (!alone && !meet<words>(memory, word)) return;

        std::int64_t digit = digit_of(word);
        flags = hot_flags::of(__shfl_sync(0xffffffffu, digit, digits));
        if (lane >= digits || limb >= count) digit = 0;
        if (lane == 0) {
            area.view = {};
            area.view.elements = arguments.finish.elements;
            area.view.component[0].counts = &area.counts[0];
            area.counts[0] = {};
            area.counts[0].not_negative_zero = flags.not_negative_zero;
        }
        __syncwarp();
        exact::digit_span span;
        if (flags.used_state == 0) {
            if (lane < words) area.digits[lane] = static_cast<std::uint64_t>(digit);
            __syncwarp();
            span = normalised_span(area.digits, words, anchor + 32 * first);
        } else {
            __threadfence();
            std::uint64_t* const from = limbs_of(memory.state, which, 0);
            for (int i = static_cast<int>(lane); i < count; i += 32) {
                limbs[i] = __ldcg(from + i);
                from[i] = 0;
            }
            __syncwarp();
            if (lane < digits && limb < count) limbs[limb] += static_cast<std::uint64_t>(digit);
            auto* state_counts = reinterpret_cast<std::int64_t*>(&memory.state.component[0].counts);
            if (lane < count_words) {
                reinterpret_cast<std::int64_t*>(&area.counts[0])[lane] = __ldcg(state_counts + lane);
                state_counts[lane] = 0;
            }
            if (lane == 0) memory.state.component[0].extrema.first_nan = exact::extrema_state{}.first_nan;
            __syncwarp();
            limb_range const used = non_zero_limbs(limbs, count);
            if (lane == 0 && !alone && used.last >= 0) memory.first_hot_limb = ::max(0, used.first - 1);
            span = normalised_span(limbs, count, anchor);
        }
        if (lane == 0) {
            span_of(area.view, which, 0) = span;
            evaluate_share(arguments.finish, area, 0, 1);
        }
    });
}

/// All threads of the block come here once.
template <class Pass>
__device__ void end_block(pass_arguments const& arguments, typename Pass::block_type& block, finish_area& area,
                          Pass& pass) {
    __shared__ block_partial by_warp[Pass::compares || Pass::is_fast ? max_threads_per_block / 32 : 1];
    __shared__ bool last;
    __syncthreads();
    if (Pass::block_type::may_use_bins && block.used_bins != 0) {
        block.empty_bins();
        __syncthreads();
    }
    if constexpr (Pass::meets_hot)
        if (arguments.finish.operations != 0 && gridDim.x <= most_arrivals) {
            if (threadIdx.x < 32) meet_and_finish(arguments, block, area);
            return;
        }
    add_to_state(block, arguments.memory->state);
    if constexpr (Pass::compares || Pass::is_fast) {
        block_partial partial{};
        pass.contribute(partial);
        merge_threads<Pass::compares, Pass::is_fast>(partial, by_warp);
        if (threadIdx.x == 0) arguments.partials[blockIdx.x] = partial;
    }
    if (!Pass::compares && !Pass::is_fast && arguments.finish.operations == 0) return;
    if (is_last_block(&arguments.memory->ticket, last)) finish_from_state<Pass>(arguments, block, area, by_warp);
}

} // namespace steadfold::inline v0::cuda
