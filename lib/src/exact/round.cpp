#include "exact/round.hpp"

#include <algorithm>

namespace steadfold {
inline namespace v0 {

std::string to_string(status_flags set) {
    std::string text;
    auto const append = [&](status_flags flag, char const* word) {
        if (has(set, flag)) text.append(text.empty() ? "" : "|").append(word);
    };
    append(status_flags::inexact, "inexact");
    append(status_flags::overflow, "overflow");
    append(status_flags::invalid, "invalid");
    append(status_flags::empty, "empty");
    return text.empty() ? "none" : text;
}

namespace exact {

namespace {

// Quotients and roots carry this many bits: more than float64's 53 and one for rounding.
constexpr int working_bits = 66;

/// Shifts so that `magnitude` has `bits` bits (left or right), keeping what falls off in `sticky`.
exact_value with_bit_length(exact_value value, int bits) {
    int const shift = bits - value.magnitude.bit_length();
    if (shift >= 0) {
        value.magnitude = value.magnitude.shifted_left(shift);
    } else {
        value.sticky = value.sticky || value.magnitude.any_bit_below(-shift);
        value.magnitude = value.magnitude.shifted_right(-shift);
    }
    value.exponent -= shift;
    return value;
}

rounded encode_float(exact_value const& value, float_format const& format) {
    std::uint64_t const sign = static_cast<std::uint64_t>(value.negative) << (format.width - 1);
    int const length = value.magnitude.bit_length();
    if (length == 0) return {sign, value.sticky ? status_flags::inexact : status_flags::none};

    int const leading = length - 1 + value.exponent; // the value is in [2^leading, 2^(leading+1))
    int const fraction_bits = format.precision - 1;
    int const lowest = std::max(leading, format.min_exponent) - fraction_bits; // exponent of the last kept bit
    int const cut = lowest - value.exponent;                                   // bit position of it
    std::uint64_t significand;
    bool round = false, sticky = value.sticky;
    if (cut >= 0) {
        significand = value.magnitude.word64_at(cut);
        round = value.magnitude.bit(cut - 1);
        sticky = sticky || value.magnitude.any_bit_below(cut - 1);
    } else {
        significand = value.magnitude.word64_at(0) << -cut; // length <= precision here, so nothing is lost
    }
    if (round && (sticky || (significand & 1))) ++significand;
    // A carry out of the significand moves into the exponent field by itself.
    auto const field = static_cast<std::uint64_t>(std::max(leading - format.min_exponent, 0));
    std::uint64_t const bits = (field << fraction_bits) + significand;
    auto const infinity = static_cast<std::uint64_t>(format.max_exponent - format.min_exponent + 2) << fraction_bits;
    if (leading > format.max_exponent || bits >= infinity)
        return {sign | infinity, status_flags::overflow | status_flags::inexact};
    return {sign | bits, round || sticky ? status_flags::inexact : status_flags::none};
}

rounded encode_integer(exact_value const& value, dtype type) {
    int const width = static_cast<int>(8 * size_bytes(type));
    natural whole = value.magnitude;
    bool inexact = value.sticky;
    if (value.exponent >= 0) {
        if (!whole.is_zero() && whole.bit_length() + value.exponent > 66)
            whole = natural{1}.shifted_left(66);
        else
            whole = whole.shifted_left(value.exponent);
    } else {
        bool const round = whole.bit(-value.exponent - 1);
        bool const sticky = inexact || whole.any_bit_below(-value.exponent - 1);
        whole = whole.shifted_right(-value.exponent);
        if (round && (sticky || whole.bit(0))) whole = whole.plus(natural{1});
        inexact = round || sticky;
    }
    bool const is_signed = is_signed_integer(type);
    natural const limit = natural{1}.shifted_left(is_signed ? width - 1 : width); // first magnitude that is too large
    bool const lowest = value.negative && is_signed && whole.compare(limit) == 0;
    bool const fits =
        value.negative ? (is_signed ? whole.compare(limit) <= 0 : whole.is_zero()) : whole.compare(limit) < 0;
    std::uint64_t const mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    std::uint64_t const top = std::uint64_t{1} << (width - 1);
    if (!fits) {
        std::uint64_t const saturated = is_signed ? (value.negative ? top : top - 1) : (value.negative ? 0 : mask);
        return {saturated, status_flags::overflow};
    }
    std::uint64_t const magnitude = whole.word64_at(0);
    std::uint64_t const bits = lowest ? top : (value.negative ? 0 - magnitude : magnitude) & mask;
    return {bits, inexact ? status_flags::inexact : status_flags::none};
}

} // namespace

exact_value value_of_digits(std::uint64_t const* limbs, digit_layout layout) {
    exact_value value;
    value.magnitude = natural::magnitude(limbs, layout.limbs, value.negative);
    value.exponent = layout.anchor;
    return value;
}

exact_value value_of_element(std::uint64_t bits, dtype type) {
    exact_value value;
    if (is_integer(type)) {
        value.negative = is_signed_integer(type) && static_cast<std::int64_t>(bits) < 0;
        value.magnitude = natural{value.negative ? 0 - bits : bits};
        return value;
    }
    decomposed const parts = decompose(bits, format_of(type));
    value.negative = parts.negative;
    value.magnitude = natural{parts.significand};
    value.exponent = parts.exponent;
    return value;
}

exact_value divide(exact_value const& value, natural const& divisor) {
    if (value.magnitude.is_zero()) return value;
    exact_value result = with_bit_length(value, working_bits + divisor.bit_length());
    result.magnitude = result.magnitude.divided_by(divisor, result.sticky);
    return result;
}

exact_value root_of_quotient(exact_value const& value, natural const& divisor) {
    if (value.magnitude.is_zero()) return value;
    exact_value quotient = with_bit_length(value, 2 * working_bits + divisor.bit_length());
    quotient.magnitude = quotient.magnitude.divided_by(divisor, quotient.sticky);
    if (quotient.exponent % 2 != 0) {
        quotient.magnitude = quotient.magnitude.shifted_left(1);
        --quotient.exponent;
    }
    // floor(sqrt(floor(z))) == floor(sqrt(z)), so the sticky bit of the quotient simply stays set.
    quotient.magnitude = quotient.magnitude.square_root(quotient.sticky);
    quotient.exponent /= 2;
    return quotient;
}

rounded round_to(exact_value const& value, dtype type) {
    return is_integer(type) ? encode_integer(value, type) : encode_float(value, format_of(type));
}

rounded make_nan(dtype type, status_flags status) noexcept {
    // Integers have no NaN: a 0 must not pass for a result.
    if (is_integer(type)) return {0, status == status_flags::none ? status_flags::invalid : status};
    return {format_of(type).canonical_nan, status};
}

rounded make_infinity(bool negative, dtype type) noexcept {
    if (is_integer(type)) {
        auto const width = static_cast<int>(8 * size_bytes(type));
        std::uint64_t const top = std::uint64_t{1} << (width - 1);
        std::uint64_t const largest = is_signed_integer(type) ? top - 1 : top | (top - 1);
        std::uint64_t const lowest = is_signed_integer(type) ? top : 0;
        return {negative ? lowest : largest, status_flags::overflow};
    }
    float_format const format = format_of(type);
    auto const field = static_cast<std::uint64_t>(format.max_exponent - format.min_exponent + 2);
    return {(static_cast<std::uint64_t>(negative) << (format.width - 1)) | (field << (format.precision - 1)),
            status_flags::none};
}

} // namespace exact
} // namespace v0
} // namespace steadfold
