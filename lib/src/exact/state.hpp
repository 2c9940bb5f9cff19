// The mergeable state of every exact reduction: plain data, the same on host and device.
#pragma once

#include "exact/digits.hpp"
#include "exact/product.hpp"

#include <cstdint>
#include <limits>

namespace steadfold::inline v0::exact {

/// Smallest and largest element so far with the first index of each, as ordered keys; the first NaN apart from them.
struct extrema_state {
    std::int64_t min_key = std::numeric_limits<std::int64_t>::max();
    std::int64_t min_index = std::numeric_limits<std::int64_t>::max();
    std::int64_t max_key = std::numeric_limits<std::int64_t>::min();
    std::int64_t max_index = std::numeric_limits<std::int64_t>::max();
    std::int64_t first_nan = std::numeric_limits<std::int64_t>::max();

    STEADFOLD_HOST_DEVICE void offer_min(std::int64_t key, std::int64_t index) noexcept {
        if (key < min_key || (key == min_key && index < min_index)) {
            min_key = key;
            min_index = index;
        }
    }
    STEADFOLD_HOST_DEVICE void offer_max(std::int64_t key, std::int64_t index) noexcept {
        if (key > max_key || (key == max_key && index < max_index)) {
            max_key = key;
            max_index = index;
        }
    }
    STEADFOLD_HOST_DEVICE void offer_nan(std::int64_t index) noexcept {
        if (index < first_nan) first_nan = index;
    }
    STEADFOLD_HOST_DEVICE void merge(extrema_state const& other) noexcept {
        offer_min(other.min_key, other.min_index);
        offer_max(other.max_key, other.max_index);
        offer_nan(other.first_nan);
    }
};

/// Counts of special values. `nan` counts elements (pairs of a dot product) with a NaN in them and elements marked as
/// missing; they are deposited nowhere. `invalid` counts products Inf * 0. A complex element with a NaN part is NaN as
/// a whole; its element-wise counts (nan, infinite, zero) are kept in component 0.
struct special_counts {
    std::int64_t nan = 0;
    std::int64_t infinite = 0;
    std::int64_t positive_infinity = 0;
    std::int64_t negative_infinity = 0;
    std::int64_t invalid = 0;
    std::int64_t zero = 0;
    std::int64_t not_negative_zero = 0; // elements (at least one is enough) other than -0

    STEADFOLD_HOST_DEVICE void merge(special_counts const& other) noexcept {
        nan += other.nan;
        infinite += other.infinite;
        positive_infinity += other.positive_infinity;
        negative_infinity += other.negative_infinity;
        invalid += other.invalid;
        zero += other.zero;
        not_negative_zero += other.not_negative_zero;
    }
};

/// State of one real component. Only the first layout.limbs limbs of each array are used.
struct component_state {
    std::uint64_t sum[sum_capacity] = {};
    std::uint64_t magnitudes[sum_capacity] = {};   // sum of |x|
    std::uint64_t products[product_capacity] = {}; // squares, or products of pairs
    special_counts counts;
    extrema_state extrema;
    double fast_sum = 0, fast_magnitudes = 0, fast_products = 0; // `fast` mode uses these instead of the digits
};

/// State of a reduction; complex data uses both components. `pending` bounds the deposits since the last normalise.
struct reduction_state {
    std::int64_t elements = 0;
    std::int64_t pending = 0;
    component_state component[2];
    bit_state bits;        // of integers
    product_state product; // of all elements that are finite and not 0
};

inline void normalise(reduction_state& state, dtype type) noexcept {
    dtype const real = component_type(type);
    for (int c = 0; c < component_count(type); ++c) {
        normalise(state.component[c].sum, sum_layout(real).limbs);
        normalise(state.component[c].magnitudes, sum_layout(real).limbs);
        normalise(state.component[c].products, product_layout(real).limbs);
    }
    state.pending = 0;
}

/// Adds `other` to `state`; exact, so any order and grouping of merges gives the same state. Normalises both.
void merge(reduction_state& state, reduction_state& other, dtype type) noexcept;

} // namespace steadfold::inline v0::exact
