// What is tried with the kernels: grids, sets of operations, options.
#pragma once

#include "reduce/on_cpu/launch.hpp"
#include "support/oracle.hpp"

#include <vector>

namespace on_cpu {

namespace sf = steadfold;

inline constexpr launch_shape shapes[] = {
    {.blocks = 1, .threads = 32},
    {.blocks = 1, .threads = 64},
    {.blocks = 4, .threads = 96},
    {.blocks = 40, .threads = 64},
    {.blocks = 3, .threads = 256},
    {.blocks = 5, .threads = 96, .bulk = true},
    {.blocks = 2, .threads = 64, .integer_only = true},
    {.blocks = 8, .threads = 32, .may_be_small = true},
    {.blocks = 8, .threads = 96, .may_be_small = true},
    {.blocks = 8, .threads = 256, .may_be_small = true},
};

/// What each family of kernels computes.
inline std::vector<sf::operation_set> families(sf::dtype type) {
    sf::operation_set const all =
        oracle::operations_of(type).without(sf::product | sf::bit_and | sf::bit_or | sf::bit_xor);
    std::vector<sf::operation_set> sets;
    for (sf::operation_set const set :
         {sf::sum | sf::mean, sf::operation_set{sf::l1}, sf::sum_of_squares | sf::l2,
          sf::sum | sf::variance | sf::stddev, sf::extrema | sf::linf | sf::zero_count | sf::any, all})
        if (!set.intersection(all).empty()) sets.push_back(set.intersection(all));
    return sets;
}

inline sf::reduce_options options_for(std::uint64_t seed, sf::dtype type) {
    sf::reduce_options options;
    if (seed % 2 != 0) options.nans = sf::nan_policy::ignore;
    if (sf::is_integer(type)) options.nans = sf::nan_policy::propagate;
    options.ddof = static_cast<int>(seed / 2 % 2);
    return options;
}

} // namespace on_cpu
