// The one rounding at the end: exact values to IEEE formats (nearest, ties to even) and to integers.
#pragma once

#include "exact/decompose.hpp"
#include "exact/leading.hpp"
#include "steadfold/bits.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/status.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// Bits in the target type (low bits of the word) and what happened on the way.
struct rounded {
    std::uint64_t bits = 0;
    status_flags status = status_flags::none;
};

/// A value cut at 2^unit: its integer part in units of 2^unit, the bit below it, and whether there is more.
struct cut_value {
    std::uint64_t whole;
    bool half, more;

    /// Nearest, ties to even. Less than `whole` if it carries to 2^64.
    [[nodiscard]] STEADFOLD_HOST_DEVICE std::uint64_t nearest() const noexcept {
        return whole + (half && (more || (whole & 1) != 0) ? 1 : 0);
    }
    [[nodiscard]] STEADFOLD_HOST_DEVICE bool inexact() const noexcept { return half || more; }
};

/// Of a normalised value below 2^(unit + 64): 64 bits of it, or fewer.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline cut_value cut_at(leading_bits const& value, int unit) noexcept {
    std::uint64_t const high = value.word[3], next = value.word[2];
    int const shift = unit - value.exponent - 192; // bits of the highest word below the cut, >= 0
    bool const rest = value.sticky || (value.word[1] | value.word[0]) != 0;
    if (shift == 0) return {high, next >> 63 != 0, rest || next << 1 != 0};
    if (shift > 64) return {0, false, rest || (high | next) != 0};
    std::uint64_t const whole = shift == 64 ? 0 : high >> shift;
    std::uint64_t const below = high << (64 - shift); // what is cut off, from its highest bit down
    return {whole, below >> 63 != 0, rest || next != 0 || below << 1 != 0};
}

[[nodiscard]] STEADFOLD_HOST_DEVICE inline rounded make_nan(dtype type, status_flags status) noexcept {
    // Integers have no NaN: a 0 must not pass for a result.
    if (is_integer(type)) return {0, status == status_flags::none ? status_flags::invalid : status};
    return {format_of(type).canonical_nan, status};
}

/// The value of an integer type that is next to +-infinity.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline std::uint64_t saturated(bool negative, dtype type) noexcept {
    std::uint64_t const top = std::uint64_t{1} << (8 * static_cast<int>(size_bytes(type)) - 1);
    if (is_signed_integer(type)) return negative ? top : top - 1;
    return negative ? 0 : top | (top - 1);
}

[[nodiscard]] STEADFOLD_HOST_DEVICE inline rounded make_infinity(bool negative, dtype type) noexcept {
    if (is_integer(type)) return {saturated(negative, type), status_flags::overflow};
    float_format const format = format_of(type);
    auto const field = static_cast<std::uint64_t>(format.max_exponent - format.min_exponent + 2);
    return {(static_cast<std::uint64_t>(negative) << (format.width - 1)) | (field << (format.precision - 1)),
            status_flags::none};
}

[[nodiscard]] STEADFOLD_HOST_DEVICE inline rounded round_to_float(leading_bits const& value,
                                                                  float_format const& format) noexcept {
    std::uint64_t const sign = static_cast<std::uint64_t>(value.negative) << (format.width - 1);
    if (value.is_zero()) return {sign, status_flags::none};
    int const leading = value.exponent + 255; // the value is in [2^leading, 2^(leading+1))
    int const fraction_bits = format.precision - 1;
    int const lowest = leading < format.min_exponent ? format.min_exponent : leading;
    cut_value const cut = cut_at(value, lowest - fraction_bits);
    // A carry out of the significand moves into the exponent field by itself.
    auto const field = static_cast<std::uint64_t>(lowest - format.min_exponent);
    std::uint64_t const bits = (field << fraction_bits) + cut.nearest();
    auto const infinity = static_cast<std::uint64_t>(format.max_exponent - format.min_exponent + 2) << fraction_bits;
    if (leading > format.max_exponent || bits >= infinity)
        return {sign | infinity, status_flags::overflow | status_flags::inexact};
    return {sign | bits, cut.inexact() ? status_flags::inexact : status_flags::none};
}

[[nodiscard]] STEADFOLD_HOST_DEVICE inline rounded round_to_integer(leading_bits const& value, dtype type) noexcept {
    if (value.is_zero()) return {};
    int const width = static_cast<int>(8 * size_bytes(type));
    rounded const out_of_range{saturated(value.negative, type), status_flags::overflow};
    if (value.exponent + 255 >= width) return out_of_range;
    cut_value const cut = cut_at(value, 0);
    std::uint64_t const magnitude = cut.nearest();
    // The largest magnitude is that of the saturated value, which for negative numbers is its own negative.
    std::uint64_t const mask = ~std::uint64_t{0} >> (64 - width);
    std::uint64_t const largest = value.negative ? (0 - out_of_range.bits) & mask : out_of_range.bits;
    if (magnitude < cut.whole || magnitude > largest) return out_of_range;
    return {(value.negative ? 0 - magnitude : magnitude) & mask,
            cut.inexact() ? status_flags::inexact : status_flags::none};
}

/// Rounds a normalised value once to nearest-even in `type`. Integer types: fraction bits are rounded the same way,
/// values out of range saturate with status overflow. Zero keeps the sign in `value.negative`.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline rounded round_to(leading_bits const& value, dtype type) noexcept {
    return is_integer(type) ? round_to_integer(value, type) : round_to_float(value, format_of(type));
}

} // namespace steadfold::inline v0::exact
