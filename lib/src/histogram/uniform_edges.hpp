// Edges of bins of equal width, each rounded once.
#pragma once

#include <cstdint>
#include <vector>

namespace steadfold::inline v0::histogram_detail {

/// The exact ((count - i) * low + i * high) / count for i = 0 ... count, rounded to nearest-even. Both ends finite,
/// 1 <= count <= 2^24. Needs the default floating-point environment (subnormal edges).
[[nodiscard]] std::vector<double> uniform_edges(double low, double high, std::int64_t count);

} // namespace steadfold::inline v0::histogram_detail
