// Recomputes a result in other ways and compares every bit.
#pragma once

#include "job.hpp"

namespace steadfold::inline v0::app {

/// Number of other ways tried. Collective.
/// @throws shared_error naming the first way and operation that differ, on every rank
[[nodiscard]] int self_check(communicator const& world, settings const& chosen, std::vector<std::string> const& inputs,
                             conduct const& how, outcome const& expected);

} // namespace steadfold::inline v0::app
