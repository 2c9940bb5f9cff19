// Quotients of two exact sums.
#pragma once

#include "exact/ratio.hpp"
#include "exact/round.hpp"
#include "reduce/evaluate.hpp"
#include "reduce/state_view.hpp"
#include "steadfold/results.hpp"

namespace steadfold::inline v0::reduce_detail {

[[nodiscard]] STEADFOLD_HOST_DEVICE inline exact::rounded
rounded_mean(state_view const& state, finish_options const& options, dtype type, exact::ratio_scratch& scratch) {
    component_view const& part = state.component[0];
    exact::special_counts const& counts = *part.counts;
    if (counts.nan > 0 && !options.ignore_nans) return exact::make_nan(type, status_flags::none);
    if (state.elements == counts.nan) return exact::make_nan(type, status_flags::empty);
    exact::magnitude_digits const weights = exact::magnitude_of(part.sum);
    exact::magnitude_digits const products = exact::magnitude_of(part.products);
    bool const up = counts.positive_infinity > 0, down = counts.negative_infinity > 0;
    // `infinite` counts infinite weights here, and they are on both sides of the division.
    if (counts.infinite > 0 || counts.invalid > 0 || (up && down) || weights.top == 0)
        return exact::make_nan(type, status_flags::invalid);
    if (up || down) return exact::make_infinity(down != weights.negative, type);
    exact::leading_bits value;
    if (products.top != 0)
        value = exact::ratio(products, weights, scratch);
    else if (!is_integer(options.type)) // the signs of zeros as in IEEE sums and quotients
        value.negative = (counts.not_negative_zero == 0) != weights.negative;
    return exact::round_to(value, type);
}

/// Sum of w x over sum of w, rounded once. NaN with status `invalid` if the weights add up to 0 or one is infinite.
/// One thread; no part of evaluate(), since few kernels have the memory.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline result_value
weighted_mean(state_view const& state, finish_options const& options, exact::ratio_scratch& scratch) {
    dtype const type = options.has_result ? options.result : default_real_type(options.type);
    exact::rounded const mean = rounded_mean(state, options, type, scratch);
    return {type, {{extended(mean.bits, type), 0}}, mean.status};
}

} // namespace steadfold::inline v0::reduce_detail
