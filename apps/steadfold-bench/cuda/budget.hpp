// What our kernels need for an element, beside what the GPU could have started in the time measured.
#pragma once

#include "steadfold/dtype.hpp"
#include "steadfold/operations.hpp"

#include <string>

namespace steadfold::inline v0::app {

/// Instructions of one thread for an element (a pair, for dot) in the main loop of the exact kernel that computes
/// `operations`; empty for kernels that have not been counted.
[[nodiscard]] std::string budget_of(dtype type, operation_set operations);

} // namespace steadfold::inline v0::app
