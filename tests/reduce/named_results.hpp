// Results of a workspace, which come in the order of `operation`, by operation.
#pragma once

#include "steadfold/results.hpp"

#include <bit>
#include <cstddef>
#include <span>

namespace oracle {

namespace sf = steadfold;

inline std::size_t number_of(sf::operation_set operations) {
    return static_cast<std::size_t>(std::popcount(operations.bits()));
}

/// The results as reduce() gives them.
inline sf::reduction_results named(sf::operation_set operations, std::span<sf::result_value const> values) {
    sf::reduction_results results;
    std::size_t next = 0;
    for (int i = 0; i < sf::operation_count; ++i)
        if (operations.contains(static_cast<sf::operation>(i)))
            results.set(static_cast<sf::operation>(i), values[next++]);
    return results;
}

} // namespace oracle
