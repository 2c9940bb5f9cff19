// The end of a block: what it gathered goes to the launch's other blocks, and the last one to come finishes.
#pragma once

#include "reduce/cuda/hot_finish.cuh"
#include "reduce/cuda/partials.cuh"

namespace steadfold::inline v0::cuda {

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

/// All threads of the block come here once.
template <class Pass>
__device__ void end_block(pass_arguments const& arguments, typename Pass::block_type& block, finish_area& area,
                          Pass& pass) {
    __shared__ block_partial by_warp[Pass::compares || Pass::is_fast ? max_threads_per_block / 32 : 1];
    __shared__ bool last;
    __syncthreads();
    if (block.irregular != 0 && !arguments.direct) {
        block.empty_bins();
        __syncthreads();
    }
    if constexpr (Pass::meets_hot) {
        if (meets_in_hot_words(arguments)) {
            if (threadIdx.x < 32) hot_finish<Pass>{arguments, block, area, pass.hot_top()}.run();
            return;
        }
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
