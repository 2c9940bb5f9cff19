// The one rounding at the end: exact quantities to IEEE formats (nearest, ties to even) and to integers.
#pragma once

#include "exact/decompose.hpp"
#include "exact/digits.hpp"
#include "exact/natural.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/status.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// (negative ? -1 : 1) * (magnitude + something in [0, 1) that is not 0 iff sticky) * 2^exponent
struct exact_value {
    bool negative = false;
    natural magnitude;
    int exponent = 0;
    bool sticky = false;
};

/// Bits in the target type (low bits of the word) and what happened on the way.
struct rounded {
    std::uint64_t bits = 0;
    status_flags status = status_flags::none;
};

/// Value of normalised limbs.
[[nodiscard]] exact_value value_of_digits(std::uint64_t const* limbs, digit_layout layout);
/// Value of an element given by its bits; must be finite. Integers as 64-bit two's complement.
[[nodiscard]] exact_value value_of_element(std::uint64_t bits, dtype type);

/// value / divisor with at least 66 significant bits of quotient and a sticky bit; divisor > 0.
[[nodiscard]] exact_value divide(exact_value const& value, natural const& divisor);
/// Square root of value / divisor in the same sense; value >= 0, divisor > 0.
[[nodiscard]] exact_value root_of_quotient(exact_value const& value, natural const& divisor);

/// Rounds once to nearest-even in `type`. Integer types: fraction bits are rounded the same way, values out of range
/// saturate with status overflow. Zero keeps the sign in `value.negative`.
[[nodiscard]] rounded round_to(exact_value const& value, dtype type);

[[nodiscard]] rounded make_nan(dtype type, status_flags status) noexcept;
[[nodiscard]] rounded make_infinity(bool negative, dtype type) noexcept;

} // namespace steadfold::inline v0::exact
