// Adds the counts of all ranks.
#pragma once

#include "histogram/backend.hpp"
#include "steadfold/communicator.hpp"

#include <cstdint>
#include <span>

namespace steadfold::inline v0::histogram_detail {

/// Afterwards `totals` are those of the whole on every rank. Collective.
/// @throws mismatch_error on every rank if the ranks disagree about what is counted
void combine(std::span<std::int64_t> totals, plan const& plan, communicator const& ranks);

} // namespace steadfold::inline v0::histogram_detail
