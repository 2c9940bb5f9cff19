// Adds the states of all ranks: one fixed-length message for everything that is a sum, one gather for the rest.
#pragma once

#include "exact/state.hpp"
#include "reduce/plan.hpp"
#include "steadfold/communicator.hpp"

namespace steadfold::inline v0::reduce_detail {

/// Afterwards `state` is the state of the whole on every rank, normalised. Collective.
/// @throws mismatch_error on every rank if the ranks disagree about what is computed
void combine(exact::reduction_state& state, plan const& plan, reduce_options const& options, communicator const& ranks);

} // namespace steadfold::inline v0::reduce_detail
