// Windows of the error-free folds (EXACT.md, "Folds"): which exponents the fast path takes, and the constants for it.
//
// fold:  t = x + M;  digits += bits(t) - bits(M);  x -= t - M   with M = 1.5 * 2^(52+k): adds round(x / 2^k) to an
// integer and leaves the exact rest. Only integer code here: this header is included by kernels too.
#pragma once

#include "exact/decompose.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

inline constexpr int max_folds = 4;
inline constexpr int highest_window_top = 1012; // values above 2^1012 take the integer path: M + x must stay finite

/// Accepts |x| <= 2^top; fold i has unit 2^exponent[i] and constant M with the bits magic_bits[i].
struct fold_window {
    int top = -2000; // accepts nothing until it is set from data
    int exponent[max_folds] = {};
    std::uint64_t magic_bits[max_folds] = {};
    std::uint64_t limit_bits = 0; // bits of 2^top; magnitudes are compared as integers
};

/// Bits of 2^exponent, a normal float64.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::uint64_t power_of_two_bits(int exponent) noexcept {
    return static_cast<std::uint64_t>(exponent + 1023) << 52;
}

/// Folds `spacing` bits apart: a fold value is at most 2^(spacing-1), so 2^(64-spacing) of them fit an int64.
/// `floor` is the exponent of the lowest bit any value can have (-1074 for float64): no fold goes below it.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr fold_window make_window(int top, int spacing, int floor) noexcept {
    fold_window window;
    window.top = top < -1000 ? -1000 : top > highest_window_top ? highest_window_top : top;
    window.limit_bits = power_of_two_bits(window.top);
    for (int i = 0; i < max_folds; ++i) {
        int const wanted = window.top - (spacing - 1) - i * spacing;
        window.exponent[i] = wanted < floor ? floor : wanted;
        window.magic_bits[i] = power_of_two_bits(window.exponent[i] + 52) | (std::uint64_t{1} << 51);
    }
    return window;
}

/// Smallest top whose window holds a value of these magnitude bits.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int window_top_for(std::uint64_t magnitude_bits) noexcept {
    return static_cast<int>(magnitude_bits >> 52) - 1022;
}

/// Exponent of the lowest bit of a component type's values, as float64 numbers.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int lowest_bit(dtype component) noexcept {
    switch (component) {
    case dtype::float32:
        return -149;
    case dtype::bfloat16:
        return -133;
    case dtype::float16:
        return -24;
    default:
        return -1074;
    }
}

/// The same for products of two values, as the folds see them: float64 products below 2^-968 take the integer path, so
/// their parts stay above 2^-1074.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int lowest_product_bit(dtype component) noexcept {
    return component == dtype::float64 ? -1074 : 2 * lowest_bit(component);
}

} // namespace steadfold::inline v0::exact
