// Digits of the superaccumulators: 32-bit digits held in 64-bit limbs (EXACT.md, "State").
//
// value = sum over i of int64(limb[i]) * 2^(32 i + anchor). Limbs are unsigned because wrap-around of signed integers
// is undefined; their two's-complement reading is what counts. A limb takes 2^30 deposits before normalise().
#pragma once

#include "steadfold/bits.hpp"
#include "steadfold/dtype.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

inline constexpr int sum_capacity = 68;      // float64: 2^-1088 .. 2^1088
inline constexpr int product_capacity = 134; // float64 products: 2^-2176 .. 2^2112
inline constexpr std::int64_t deposits_before_normalise = std::int64_t{1} << 30;

/// How many limbs a quantity uses and the exponent of the lowest bit. Anchors of products are twice those of sums, so
/// that n S2 - S1^2 needs no alignment.
struct digit_layout {
    int limbs;
    int anchor;
};

/// For sums of a real component type; up to 2^63 elements cannot overflow it.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr digit_layout sum_layout(dtype component) noexcept {
    switch (component) {
    case dtype::float64:
        return {68, -1088};
    case dtype::float32:
    case dtype::bfloat16:
        return {11, -160};
    case dtype::float16:
        return {4, -32};
    default:
        return {4, 0};
    }
}

/// For sums of products of two such elements.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr digit_layout product_layout(dtype component) noexcept {
    switch (component) {
    case dtype::float64:
        return {134, -2176};
    case dtype::float32:
    case dtype::bfloat16:
        return {20, -320};
    case dtype::float16:
        return {5, -64};
    default:
        return {6, 0};
    }
}

/// Adds without atomics; the policy for limbs that one thread owns.
struct plain_add {
    STEADFOLD_HOST_DEVICE void operator()(std::uint64_t* limb, std::uint64_t delta) const noexcept { *limb += delta; }
};

/// Adds (negative ? -1 : 1) * magnitude * 2^exponent; exponent >= anchor.
template <class Add = plain_add>
STEADFOLD_HOST_DEVICE inline void deposit(std::uint64_t* limbs, int anchor, bool negative, std::uint64_t magnitude,
                                          int exponent, Add add = {}) noexcept {
    int const position = exponent - anchor;
    int const shift = position & 31;
    std::uint64_t* limb = limbs + (position >> 5);
    std::uint64_t const digit0 = (magnitude << shift) & 0xffffffffu;
    std::uint64_t const digit1 = (magnitude >> (32 - shift)) & 0xffffffffu;
    std::uint64_t const digit2 = shift == 0 ? 0 : magnitude >> (64 - shift);
    if (digit0 != 0) add(limb, negative ? 0 - digit0 : digit0);
    if (digit1 != 0) add(limb + 1, negative ? 0 - digit1 : digit1);
    if (digit2 != 0) add(limb + 2, negative ? 0 - digit2 : digit2);
}

/// Adds value * 2^exponent.
template <class Add = plain_add>
STEADFOLD_HOST_DEVICE inline void deposit(std::uint64_t* limbs, int anchor, std::int64_t value, int exponent,
                                          Add add = {}) noexcept {
    bool const negative = value < 0;
    auto const bits = static_cast<std::uint64_t>(value);
    deposit(limbs, anchor, negative, negative ? 0 - bits : bits, exponent, add);
}

/// Carries: afterwards every limb but the last is in [0, 2^32) and the last holds the sign. Canonical: equal values
/// have equal limbs.
STEADFOLD_HOST_DEVICE inline void normalise(std::uint64_t* limbs, int count) noexcept {
    std::int64_t carry = 0;
    for (int i = 0; i + 1 < count; ++i) {
        std::int64_t const value = static_cast<std::int64_t>(limbs[i]) + carry;
        limbs[i] = static_cast<std::uint64_t>(value) & 0xffffffffu;
        carry = value >> 32;
    }
    limbs[count - 1] += static_cast<std::uint64_t>(carry);
}

[[nodiscard]] STEADFOLD_HOST_DEVICE inline bool is_negative(std::uint64_t const* normalised, int count) noexcept {
    return static_cast<std::int64_t>(normalised[count - 1]) < 0;
}

} // namespace steadfold::inline v0::exact
