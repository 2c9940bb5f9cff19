// Floating-point values taken apart as integers: no rounding mode, flush-to-zero or contraction can reach them here.
#pragma once

#include "steadfold/bits.hpp"
#include "steadfold/dtype.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// A binary interchange format: total bits, significand bits with the hidden one, exponent range of normal numbers.
struct float_format {
    int width, precision, min_exponent, max_exponent;
    std::uint64_t canonical_nan;
};

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr float_format format_of(dtype type) noexcept {
    switch (type) {
    case dtype::float32:
        return {32, 24, -126, 127, 0x7fc00000u};
    case dtype::float16:
        return {16, 11, -14, 15, 0x7e00u};
    case dtype::bfloat16:
        return {16, 8, -126, 127, 0x7fc0u};
    default:
        return {64, 53, -1022, 1023, 0x7ff8000000000000u};
    }
}

enum class float_class : std::uint8_t { zero, finite, infinite, nan };

/// value = (negative ? -1 : 1) * significand * 2^exponent when finite; significand < 2^precision.
struct decomposed {
    float_class kind;
    bool negative;
    std::uint64_t significand;
    int exponent;
};

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr decomposed decompose(std::uint64_t bits,
                                                                   float_format const& format) noexcept {
    int const fraction_bits = format.precision - 1;
    std::uint64_t const fraction_mask = (std::uint64_t{1} << fraction_bits) - 1;
    bool const negative = (bits >> (format.width - 1)) & 1;
    std::uint64_t const fraction = bits & fraction_mask;
    int const field_max = format.max_exponent - format.min_exponent + 2;
    int const field = static_cast<int>(bits >> fraction_bits) & field_max;
    if (field == field_max) return {fraction == 0 ? float_class::infinite : float_class::nan, negative, fraction, 0};
    if (field == 0)
        return {fraction == 0 ? float_class::zero : float_class::finite, negative, fraction,
                format.min_exponent - fraction_bits};
    return {float_class::finite, negative, fraction | (fraction_mask + 1),
            format.min_exponent - fraction_bits + field - 1};
}

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr decomposed decompose_float64(std::uint64_t bits) noexcept {
    return decompose(bits, format_of(dtype::float64));
}

/// Order-preserving map of float64 bits to int64: -NaN < -Inf < ... < -0 < +0 < ... < +Inf < +NaN. Its own inverse.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t ordered_key(std::uint64_t bits) noexcept {
    auto const value = static_cast<std::int64_t>(bits);
    return value ^ static_cast<std::int64_t>(static_cast<std::uint64_t>(value >> 63) >> 1);
}

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::uint64_t bits_of_key(std::int64_t key) noexcept {
    return static_cast<std::uint64_t>(ordered_key(static_cast<std::uint64_t>(key)));
}

inline constexpr std::uint64_t float64_infinity_bits = 0x7ff0000000000000u;
inline constexpr std::uint64_t float64_magnitude_mask = 0x7fffffffffffffffu;

} // namespace steadfold::inline v0::exact
