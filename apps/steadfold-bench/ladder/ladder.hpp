// steadfold-bench ladder: the classic reduction of an array on a GPU, from the textbook's first kernel to an exact sum,
// one change at a time.
#pragma once

#include "settings.hpp"

namespace steadfold::inline v0::app {

/// Checks every rung's sums against a reference, times all rungs in turn and prints a table for every number of
/// elements (default 2^28). Uses elements, repetitions, min_seconds, threads, json and quiet of the settings.
/// @return exit_ok, or exit_no_gpu with a message on standard error
/// @throws wrong_result naming the rung and both sums; argument_error
[[nodiscard]] int run_ladder(settings const& chosen);

} // namespace steadfold::inline v0::app
