// From the merged state to results: every result is rounded here, once.
#pragma once

#include "exact/state.hpp"
#include "reduce/plan.hpp"
#include "steadfold/results.hpp"

namespace steadfold::inline v0::reduce_detail {

/// `state` must be normalised.
[[nodiscard]] reduction_results finish(exact::reduction_state const& state, plan const& plan,
                                       reduce_options const& options);

} // namespace steadfold::inline v0::reduce_detail
