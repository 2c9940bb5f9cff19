// Which processors of this rank take part.
#pragma once

#include "settings.hpp"
#include "steadfold/communicator.hpp"
#include "steadfold/topology.hpp"

#include <vector>

namespace steadfold::inline v0::app {

/// @throws argument_error if GPUs were asked for and this rank has none, saying why
[[nodiscard]] std::vector<execution> choose_processors(settings const& chosen, topology const& here);

/// The communicator that combines: `world`, or NCCL over the same ranks. Collective.
/// @throws argument_error on every rank if NCCL was asked for and cannot be used, saying why
[[nodiscard]] communicator choose_combiner(settings const& chosen, communicator const& world,
                                           std::vector<execution> const& processors);

} // namespace steadfold::inline v0::app
