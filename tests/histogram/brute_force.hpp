// Histograms by comparing every element with the edges in long double, which holds float64 and 64-bit integers exactly;
// and data that lies on edges and right beside them.
#pragma once

#include "steadfold/histogram.hpp"
#include "support/generators.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace oracle {

static_assert(std::numeric_limits<long double>::digits >= 64, "the oracle needs a long double with 64 bits");

/// Element i; NaN for NaN.
[[nodiscard]] long double value_of(sample const& data, std::int64_t i);

[[nodiscard]] sf::histogram_result brute_force(sample const& data, std::span<double const> edges,
                                               std::optional<std::int64_t> missing = {});

/// `times` times the counts.
[[nodiscard]] sf::histogram_result repeated(sf::histogram_result result, std::int64_t times);

/// Half of the elements at an edge as well as the type can, up to two units of the last place away, on either side;
/// the others of a class.
[[nodiscard]] sample near_edges(data_class which, sf::dtype type, std::span<double const> edges, std::int64_t n,
                                std::uint64_t seed);

struct named_bins {
    std::string name;
    sf::histogram_bins bins;
};

/// Uniform and other edges, from one bin to a hundred thousand, from subnormal widths to the whole range.
[[nodiscard]] std::vector<named_bins> const& all_bins();

/// Every real type.
[[nodiscard]] std::vector<sf::dtype> real_types();

void expect_same(sf::histogram_result const& got, sf::histogram_result const& expected, std::string const& label);

} // namespace oracle
