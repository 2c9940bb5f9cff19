/// Central moments, skewness and kurtosis of an array over all ranks.
///
///     sf::moments const m = sf::central_moments(world, sf::view{x.data(), n});
///     std::printf("%g %g\n", m.skewness, m.kurtosis);
///
/// The same bits on any number of ranks, threads and chunks, in any order of elements. The mean is the exact one
/// rounded to double; then d = double(x) - mean, d2 = d*d, d3 = d2*d and d4 = d2*d2, each rounded, element by element;
/// the means of the d2, d3 and d4 are exact and rounded once. With NaN in the data everything is NaN, unless they are
/// ignored.
#pragma once

#include "steadfold/reduce.hpp"

#include <cstdint>

namespace steadfold {
inline namespace v0 {

/// Of n elements. `second` differs from reduce()'s variance (which is the better one) by the rounding of the d2.
struct moments {
    std::int64_t count = 0;
    double mean = 0;
    double second = 0, third = 0, fourth = 0; ///< means of d2, d3, d4
    double skewness = 0;                      ///< third / (second * sqrt(second)), each operation rounded
    double kurtosis = 0;                      ///< fourth / (second * second) - 3: the excess
    double corrected_skewness = 0;            ///< skewness * (sqrt(n (n-1)) / (n-2)); NaN for n < 3
    double corrected_kurtosis = 0;            ///< ((n-1) / ((n-2)(n-3))) * ((n+1) kurtosis + 6); NaN for n < 4
    /// Of all of it: `invalid` if the moments are not finite or the square of the second one is 0, so that the ratios
    /// are NaN; `empty`.
    status_flags status = status_flags::none;
};

/// Two steps: the mean, then the moments, in four passes over the data. Real types; of `options` only the NaN policy
/// and a missing value count. Data in GPU memory is reduced there. Collective over `ranks`.
/// @throws argument_error for complex data, besides what reduction throws
[[nodiscard]] moments central_moments(communicator const& ranks, array_view x, reduce_options const& options = {});

} // namespace v0
} // namespace steadfold
