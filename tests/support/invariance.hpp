// The same elements reduced in other ways must give the same bits. Every function compares with `expected`.
#pragma once

#include "steadfold/reduce.hpp"
#include "support/generators.hpp"

namespace oracle {

struct invariance_case {
    sample const& data;
    sf::operation_set operations;
    sf::reduce_options options;
    sf::reduction_results expected;
};

/// `expected` by the oracle, with all operations of the type.
[[nodiscard]] invariance_case make_case(sample const& data, sf::reduce_options const& options = {});

/// Fails the current test where results differ.
void expect_bits(sf::reduction_results const& got, invariance_case const& c, std::string const& how,
                 sf::operation_set but = {});

/// Random cuts, added in random order, each with its first index.
void in_random_pieces(invariance_case const& c, sf::execution const& where, std::uint64_t seed);
/// Pieces of `length` elements, in order.
void in_equal_pieces(invariance_case const& c, sf::execution const& where, std::int64_t length);
/// Base pointers every component of a 64-byte line.
void at_every_alignment(invariance_case const& c, sf::execution const& where);
/// Another order; indices of extrema aside.
void in_another_order(invariance_case const& c, sf::execution const& where, std::uint64_t seed);
/// Parts reduced by reductions of their own and merged in random order, some by way of others.
void by_merging(invariance_case const& c, std::span<sf::execution const> places, std::uint64_t seed);
/// One reduction used again after other data, whose traces must not show.
void with_a_used_reduction(invariance_case const& c, sf::execution const& where);

} // namespace oracle
