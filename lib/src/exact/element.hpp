// Exact deposits of single values and products with integer arithmetic only: the path for everything the folds cannot
// take. Values arrive as float64 bits (narrower types widen exactly) and must be finite.
#pragma once

#include "exact/decompose.hpp"
#include "exact/digits.hpp"
#include "steadfold/bits.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// Trailing zeros go, so that a widened value never reaches below its own type's anchor.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline decomposed decompose_stripped(std::uint64_t bits) noexcept {
    decomposed parts = decompose_float64(bits);
    if (parts.significand == 0) return parts;
    int const zeros = 63 - bits::leading_zeros(parts.significand & (0 - parts.significand));
    parts.significand >>= zeros;
    parts.exponent += zeros;
    return parts;
}

template <class Add = plain_add>
STEADFOLD_HOST_DEVICE inline void deposit_value(std::uint64_t* limbs, int anchor, std::uint64_t value_bits,
                                                Add add = {}) noexcept {
    decomposed const parts = decompose_stripped(value_bits);
    if (parts.significand != 0) deposit(limbs, anchor, parts.negative, parts.significand, parts.exponent, add);
}

template <class Add = plain_add>
STEADFOLD_HOST_DEVICE inline void deposit_product(std::uint64_t* limbs, int anchor, std::uint64_t a_bits,
                                                  std::uint64_t b_bits, Add add = {}) noexcept {
    decomposed const a = decompose_stripped(a_bits), b = decompose_stripped(b_bits);
    if (a.significand == 0 || b.significand == 0) return;
    bits::product128 const product = bits::multiply(a.significand, b.significand);
    bool const negative = a.negative != b.negative;
    int const exponent = a.exponent + b.exponent;
    deposit(limbs, anchor, negative, product.low, exponent, add);
    deposit(limbs, anchor, negative, product.high, exponent + 64, add);
}

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr bool is_nan_bits(std::uint64_t value_bits) noexcept {
    return (value_bits & float64_magnitude_mask) > float64_infinity_bits;
}

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr bool is_infinite_bits(std::uint64_t value_bits) noexcept {
    return (value_bits & float64_magnitude_mask) == float64_infinity_bits;
}

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr bool is_finite_bits(std::uint64_t value_bits) noexcept {
    return (value_bits & float64_magnitude_mask) < float64_infinity_bits;
}

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr bool is_zero_bits(std::uint64_t value_bits) noexcept {
    return (value_bits & float64_magnitude_mask) == 0;
}

inline constexpr std::uint64_t negative_zero_bits = std::uint64_t{1} << 63;

} // namespace steadfold::inline v0::exact
