// What every reduction must give, from exact rationals rounded once. Written from the documentation of reduce.hpp.
//
//     oracle::summary s = oracle::summarise(bytes, n, dtype::float32);
//     sf::result_value expected = oracle::evaluate(s, sf::operation::stddev, {.ddof = 1});
#pragma once

#include "steadfold/operations.hpp"
#include "steadfold/options.hpp"
#include "steadfold/results.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <gmpxx.h>
#include <limits>
#include <optional>

namespace oracle {

namespace sf = steadfold;

/// One element of an order; integers are held in `integer`, floating-point values in `real`.
struct ordered_value {
    double real = 0;
    __int128 integer = 0;
};

/// Exact sums of the finite values of one real component, in units of 2^unit and 2^(2 unit).
struct component_summary {
    mpz_class sum, magnitudes, products;
    std::int64_t positive_infinities = 0, negative_infinities = 0;
    bool only_negative_zeros = true; // of the values, or of the products
};

/// Everything the results depend on. Elements that are (or count as) NaN are in `nans` and nowhere else.
struct summary {
    sf::dtype type = sf::dtype::float64;
    int unit = 0;
    std::int64_t elements = 0, nans = 0, infinities = 0, zeros = 0, invalid_products = 0;
    std::int64_t first_nan = std::numeric_limits<std::int64_t>::max();
    std::array<component_summary, 2> component;
    std::optional<ordered_value> smallest, largest; // of real types
    std::int64_t smallest_at = -1, largest_at = -1;
    bool pairs = false; // made by summarise_pairs
};

[[nodiscard]] summary summarise(std::byte const* data, std::int64_t n, sf::dtype type,
                                std::optional<std::int64_t> missing = {}, std::int64_t first_index = 0);
[[nodiscard]] summary summarise_pairs(std::byte const* x, std::byte const* y, std::int64_t n, sf::dtype type);

/// The summary of the same elements `times` times; indices stay those of the first time.
[[nodiscard]] summary repeated(summary one, std::int64_t times);
/// The summary of both; `later` must have the larger indices.
[[nodiscard]] summary joined(summary earlier, summary const& later);

[[nodiscard]] sf::result_value evaluate(summary const& s, sf::operation op, sf::reduce_options const& options);

/// Operations that can be asked for in one pass over one array of this type.
[[nodiscard]] sf::operation_set operations_of(sf::dtype type);

} // namespace oracle
