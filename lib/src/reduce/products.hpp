// Results that are neither sums nor elements: products of all elements and bitwise operations.
#pragma once

#include "exact/leading.hpp"
#include "exact/product.hpp"
#include "exact/round.hpp"

#include <cstdint>

namespace steadfold::inline v0::reduce_detail {

/// What decides a product besides the finite elements other than 0.
struct product_facts {
    std::int64_t elements, zeros, infinities;
    bool nan;
};

/// 1 for an empty range; Inf * 0 is invalid, wherever the two are.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline exact::rounded
round_product(exact::product_state const& product, product_facts const& facts, dtype type) noexcept {
    if (facts.nan) return exact::make_nan(type, status_flags::none);
    if (facts.infinities > 0 && facts.zeros > 0) return exact::make_nan(type, status_flags::invalid);
    if (facts.infinities > 0) return exact::make_infinity(product.negative, type);
    exact::leading_bits value = product.leading();
    if (facts.zeros > 0) {
        value = {};
        value.negative = product.negative;
    }
    exact::rounded result = exact::round_to(value, type);
    if (facts.elements == 0) result.status = result.status | status_flags::empty;
    return result;
}

/// `word` is an element of integer type `of`, converted to `type` by value; of nothing, all bits or none.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline exact::rounded round_bits(std::uint64_t word, dtype of, dtype type,
                                                                     bool empty) noexcept {
    exact::rounded result = exact::round_to(exact::leading_of_element(word, of), type);
    if (empty) result.status = status_flags::empty; // all ones saturate to all ones
    return result;
}

} // namespace steadfold::inline v0::reduce_detail
