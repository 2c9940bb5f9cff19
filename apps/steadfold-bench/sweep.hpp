// --sweep: sums and norms over sizes, types and ranges of exponents, for plots (scripts/plot_bench.py).
#pragma once

#include "cases.hpp"

#include <vector>

namespace steadfold::inline v0::app {

/// "sweep:cuda" and "sweep:host". They use elements, types and data of the settings where given.
[[nodiscard]] std::vector<bench_case> sweep_cases();

} // namespace steadfold::inline v0::app
