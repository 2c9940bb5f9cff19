/// Several reductions at once, with one message between the ranks instead of one for each.
///
///     sf::batch_item const items[] = {{.x = sf::view{r.data(), n}, .operations = sf::l2},
///                                     {.x = sf::view{r.data(), n}, .operations = sf::operation::dot,
///                                      .y = sf::view{z.data(), n}}};
///     std::vector<sf::reduction_results> both = sf::reduce(world, items);
#pragma once

#include "steadfold/reduce.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace steadfold {
inline namespace v0 {

/// One reduction of a batch; the arrays may differ in type, length and place.
struct batch_item {
    array_view x;
    operation_set operations;
    reduce_options options = {};
    std::int64_t first_index = 0; ///< row-major index of x[0] in the whole array
    array_view y = {};            ///< the second array, for operations of two arrays only
};

/// The results reduce() and dot() would give for every item, in the order of the items. Collective over `ranks`: every
/// rank passes as many items of the same kinds. Arrays on GPUs are read side by side.
///
/// Up to eight items take one message, each further eight another one; extrema, bits, products and `fast` sums take one
/// gather for all.
/// @throws argument_error before any work, mismatch_error on every rank, as reduction
[[nodiscard]] std::vector<reduction_results> reduce(communicator const& ranks, std::span<batch_item const> items);

} // namespace v0
} // namespace steadfold
