// The end of a block: what it gathered goes to the launch's other blocks, and the last one to come finishes.
#pragma once

#include "reduce/cuda/hot_finish.cuh"
#include "reduce/cuda/partials.cuh"

namespace steadfold::inline v0::cuda {

/// Left for later: see cuda_backend.cpp. One thread, with what no block could add.
template <class Pass>
__device__ void leave_state(exact::reduction_state& state, block_partial const& merged) {
    if constexpr (Pass::compares) state.component[0].extrema.merge(merged.extrema);
    if constexpr (Pass::is_fast)
        for (int c = 0; c < 2; ++c) {
            state.component[c].fast_sum += merged.fast[c][0];
            state.component[c].fast_magnitudes += merged.fast[c][1];
            state.component[c].fast_products += merged.fast[c][2];
        }
}

/// Rounds what is in the block's limbs and counts, and `merged` of thread 0. All threads; no barrier since.
template <class Pass>
__device__ void finish_block(pass_arguments const& arguments, typename Pass::block_type& block, finish_area& area,
                             block_partial const& merged) {
    if (threadIdx.x == 0) {
        area.view.elements = arguments.finish.elements;
        area.extrema = merged.extrema;
        area.extrema.offer_nan(INT64_MAX - block.first_nan);
        area.view.extrema = &area.extrema;
        for (int c = 0; c < 2; ++c) {
            area.view.component[c].counts = &block.counts[c % Pass::block_type::components];
            if constexpr (Pass::is_fast) {
                area.view.component[c].fast_sum = merged.fast[c][0];
                area.view.component[c].fast_magnitudes = merged.fast[c][1];
                area.view.component[c].fast_products = merged.fast[c][2];
            }
        }
    }
    for_sums_of_warp(block, [&](sum_place const& place) {
        exact::digit_span span;
        if constexpr (Pass::components == 1 && !is_integer(Pass::real))
            span = settled_span(place.limbs, place.count, place.anchor, area.numbers[static_cast<int>(place.which)]);
        else
            span = normalised_span(place.limbs, place.count, place.anchor);
        if (threadIdx.x % 32 == 0) span_of(area.view, place.which, place.component) = span;
    });
    __syncthreads();
    evaluate_all(arguments.finish, area);
}

/// All threads of the block come here once.
template <class Pass>
__device__ void end_block(pass_arguments const& arguments, typename Pass::block_type& block, finish_area& area,
                          Pass& pass) {
    constexpr bool has_partials = Pass::compares || Pass::is_fast;
    __shared__ block_partial by_warp[has_partials ? max_threads_per_block / 32 : 1];
    __shared__ bool last;
    if constexpr (!Pass::meets_hot) clear_view(area);
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
    bool const finishes = arguments.finish.operations != 0;
    exact::reduction_state& state = arguments.memory->state;
    block_partial merged{};
    if constexpr (has_partials) {
        pass.contribute(merged);
        if constexpr (requires { block.extremes; }) { // the first warp has it all
            if (threadIdx.x < 32) merge_warp<Pass::compares, Pass::is_fast>(merged);
        } else {
            merge_threads<Pass::compares, Pass::is_fast>(merged, by_warp);
        }
    }
    if (gridDim.x > 1 || !finishes) { // one block alone has everything already
        add_to_state(block, state);
        if constexpr (has_partials)
            if (threadIdx.x == 0) arguments.partials[blockIdx.x] = merged;
        if (!has_partials && !finishes) return;
        if (!is_last_block(&arguments.memory->ticket, last)) return;
        if constexpr (has_partials) merged = merge_blocks<Pass::compares, Pass::is_fast>(arguments.partials, by_warp);
        if (!finishes) {
            if (threadIdx.x == 0) leave_state<Pass>(state, merged);
            return;
        }
        take_state(state, block);
    }
    if constexpr (Pass::meets_hot) { // too many blocks for hot words
        clear_view(area);
        __syncthreads();
    }
    finish_block<Pass>(arguments, block, area, merged);
}

} // namespace steadfold::inline v0::cuda
