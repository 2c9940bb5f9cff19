// steadfold-bench demo: what other sums on a GPU give, beside exact ones.
#pragma once

#include "settings.hpp"

namespace steadfold::inline v0::app {

/// Prints how many different results a float sum by atomicAdd gives in 20 runs over the same data (2^24 elements
/// unless the settings say otherwise), and what sums of special values come out as; as JSON too where asked for.
/// @return exit_ok, or exit_no_gpu with a message on standard error
/// @throws wrong_result if one of steadfold's own is not what it must be
[[nodiscard]] int run_demo(settings const& chosen);

} // namespace steadfold::inline v0::app
