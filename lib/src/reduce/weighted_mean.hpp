// Quotients of two exact sums.
#pragma once

#include "reduce/state_view.hpp"
#include "steadfold/results.hpp"

namespace steadfold::inline v0::reduce_detail {

/// Sum of w x over sum of w, rounded once. NaN with status `invalid` if the weights add up to 0 or one is infinite.
[[nodiscard]] result_value weighted_mean(state_view const& state, finish_options const& options);

} // namespace steadfold::inline v0::reduce_detail
