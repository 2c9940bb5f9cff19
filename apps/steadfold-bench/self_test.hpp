// steadfold-bench --self-test: everything that can run here, once, on small arrays.
#pragma once

#include "settings.hpp"

namespace steadfold::inline v0::app {

/// All cases that can run here, all types, all kinds of data, and the demonstration. For a first look at a new machine,
/// and for compute-sanitizer. Elements and types of the settings are used where given.
/// @return exit_ok, or exit_no_gpu with a message if only a GPU was to be tested and there is none
/// @throws wrong_result for the first wrong result
[[nodiscard]] int run_self_test(settings chosen);

} // namespace steadfold::inline v0::app
