// Narrow floating-point values as float64, by integer arithmetic: no compiler flag can flush subnormals here.
#pragma once

#include "exact/decompose.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// Bits of the float64 of the same value; of any NaN a quiet one. For formats narrower than float64, whose smallest
/// numbers are normal ones there.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::uint64_t widened_bits(std::uint64_t bits,
                                                                         float_format const& format) noexcept {
    decomposed const parts = decompose(bits, format);
    std::uint64_t const sign = std::uint64_t{parts.negative} << 63;
    if (parts.kind == float_class::zero) return sign;
    if (parts.kind == float_class::infinite) return sign | float64_infinity_bits;
    if (parts.kind == float_class::nan) return sign | format_of(dtype::float64).canonical_nan;
    int const shift = bits::leading_zeros(parts.significand) - 11; // the highest bit becomes the hidden one, 2^52
    std::uint64_t const fraction = (parts.significand << shift) & ((std::uint64_t{1} << 52) - 1);
    return sign | (static_cast<std::uint64_t>(parts.exponent - shift + 1075) << 52) | fraction;
}

} // namespace steadfold::inline v0::exact
