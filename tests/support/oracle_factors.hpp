// The oracle of truth values, bitwise operations and products, from the documentation of operations.hpp.
#pragma once

#include "steadfold/operations.hpp"
#include "steadfold/options.hpp"
#include "steadfold/results.hpp"
#include "support/generators.hpp"

namespace oracle {

/// any, every, bit_and, bit_or, bit_xor or product of the sample. A product of more than 128 bits is the exact one
/// rounded once, too: the library promises a little less, but never so little that a sample of these tests shows it.
[[nodiscard]] sf::result_value evaluate_factors(sample const& s, sf::operation op, sf::reduce_options const& options);

/// The operations above that the type has.
[[nodiscard]] sf::operation_set factor_operations_of(sf::dtype type);

} // namespace oracle
