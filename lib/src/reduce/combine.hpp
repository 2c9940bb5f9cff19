// Adds the states of all ranks: one fixed-length message for everything that is a sum, one gather for the rest.
#pragma once

#include "exact/state.hpp"
#include "reduce/plan.hpp"
#include "steadfold/communicator.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace steadfold::inline v0::reduce_detail {

/// 20 bits of everything ranks must agree on, so that n * sum h^2 cannot overflow up to 2^20 ranks.
[[nodiscard]] std::int64_t signature(plan const& plan, reduce_options const& options);

/// Afterwards `state` is the state of the whole on every rank, normalised. Collective.
/// @throws mismatch_error on every rank if the ranks disagree about what is computed
void combine(exact::reduction_state& state, plan const& plan, reduce_options const& options, communicator const& ranks);

/// One of several reductions that are combined together.
struct combined {
    exact::reduction_state* state;
    plan const* what;
    reduce_options const* options;
};

/// The same for several in one message, of a fixed length again, for up to `most_combined` of them; in one more for as
/// many more. What travels by gather takes one call for all. Ranks that disagree about their number all get an error.
inline constexpr std::size_t most_combined = 8;
void combine(std::span<combined> items, communicator const& ranks);

} // namespace steadfold::inline v0::reduce_detail
