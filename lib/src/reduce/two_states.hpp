// Reductions whose sums no kernel gathers together: two passes fill a state each, and this is how they become one.
#pragma once

#include "exact/state.hpp"
#include "reduce/plan.hpp"

#include <algorithm>
#include <iterator>

namespace steadfold::inline v0::reduce_detail {

/// Real and imaginary parts are dots of real pairs each.
[[nodiscard]] inline bool is_complex_dot(plan const& what) {
    return is_complex(what.type) && what.operations.intersects(of_pairs);
}
/// The products are the dot, the weights a sum.
[[nodiscard]] inline bool is_weighted_mean(plan const& what) {
    return what.operations.contains(operation::weighted_mean);
}

/// @param first   of the real parts, or of the products of weights and elements
/// @param second  of the imaginary parts, or of the weights; its own count of elements is not looked at
[[nodiscard]] inline exact::reduction_state joined(plan const& what, exact::reduction_state first,
                                                   exact::reduction_state const& second) {
    exact::component_state const& other = second.component[0];
    if (is_complex_dot(what)) {
        first.component[1] = other;
        return first;
    }
    // Infinities and signs of the weights are not those of the products: only the number of infinite weights counts.
    std::copy(std::begin(other.sum), std::end(other.sum), first.component[0].sum);
    first.component[0].counts.infinite = other.counts.infinite;
    return first;
}

} // namespace steadfold::inline v0::reduce_detail
