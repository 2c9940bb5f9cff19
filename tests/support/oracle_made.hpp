// Oracles of what is made of two arrays: complex dots, weighted means, differences. Written from pairs.hpp.
#pragma once

#include "steadfold/options.hpp"
#include "steadfold/results.hpp"
#include "support/generators.hpp"

namespace oracle {

[[nodiscard]] sf::result_value complex_dot(sample_pair const& pair, bool conjugated, sf::reduce_options const& options);

/// `x` are the weights.
[[nodiscard]] sf::result_value weighted_mean(sample_pair const& pair, sf::reduce_options const& options);

/// The differences whose L2 norm distance() is.
[[nodiscard]] sample differences(sample_pair const& pair);

} // namespace oracle
