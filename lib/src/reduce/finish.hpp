// From the merged state to the results of a reduction.
#pragma once

#include "exact/state.hpp"
#include "reduce/plan.hpp"
#include "reduce/state_view.hpp"
#include "steadfold/results.hpp"

namespace steadfold::inline v0::reduce_detail {

[[nodiscard]] finish_options make_finish_options(plan const& plan, reduce_options const& options) noexcept;

/// `state` must be normalised.
[[nodiscard]] reduction_results finish(exact::reduction_state const& state, plan const& plan,
                                       reduce_options const& options);

} // namespace steadfold::inline v0::reduce_detail
