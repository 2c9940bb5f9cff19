// Which build of the tile kernels this processor runs.
#pragma once

#include "reduce/host/tile_kernels.hpp"

#include <vector>

namespace steadfold::inline v0::host {

/// Every level this processor can run, fastest first.
[[nodiscard]] std::vector<tile_kernels const*> const& available_levels();

/// The fastest level, or the one the environment variable STEADFOLD_ISA names ("v4", "v3", "v2", "baseline").
/// @throws argument_error if that level is unknown or cannot run here
[[nodiscard]] tile_kernels const& choose_level();

} // namespace steadfold::inline v0::host
