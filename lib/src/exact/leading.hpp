// The leading bits of exact numbers: all that quotients, roots and the final rounding need of them.
//
//     exact::leading_bits const value = leading_of(magnitude_of({limbs, count, anchor}));
//
// One thread runs this, on the host or on a device, in time proportional to the span of the digits.
#pragma once

#include "exact/decompose.hpp"
#include "exact/digits.hpp"
#include "steadfold/bits.hpp"
#include "steadfold/dtype.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

inline constexpr std::uint64_t digit_mask = 0xffffffffu;

/// Normalised digits, or only the span of them that matters:
/// value = sum over i < count of limbs[i] * 2^(32 i + exponent); limbs in [0, 2^32), but the last one is signed.
struct digit_span {
    std::uint64_t const* limbs = nullptr;
    int count = 0; // 0: the value is 0
    int exponent = 0;
};

/// Magnitude of a digit_span without zeros at either end: `count` digits, which it still reads from the limbs, and a
/// top of up to 64 bits above them. Zero has top 0, and no other value has.
struct magnitude_digits {
    std::uint64_t const* limbs = nullptr;
    std::uint64_t top = 0;
    int count = 0;
    int exponent = 0; // of the lowest digit
    bool negative = false;

    /// Digit i in [0, count). The lowest one is not 0, so the carry of the two's complement ends there.
    [[nodiscard]] STEADFOLD_HOST_DEVICE std::uint64_t digit(int i) const noexcept {
        std::uint64_t const limb = limbs[i];
        return !negative ? limb : (limb ^ digit_mask) + (i == 0 ? 1 : 0);
    }

    /// Number of 32-bit words, and word i of them; 0 outside.
    [[nodiscard]] STEADFOLD_HOST_DEVICE int words() const noexcept {
        return top == 0 ? 0 : count + (top >> 32 == 0 ? 1 : 2);
    }
    [[nodiscard]] STEADFOLD_HOST_DEVICE std::uint64_t word(int i) const noexcept {
        if (i < 0 || i > count + 1) return 0;
        if (i < count) return digit(i);
        return i == count ? top & digit_mask : top >> 32;
    }
};

[[nodiscard]] STEADFOLD_HOST_DEVICE inline magnitude_digits magnitude_of(digit_span const& span) noexcept {
    magnitude_digits result;
    if (span.count == 0) return result;
    int end = span.count - 1;
    std::uint64_t top = span.limbs[end];
    // A top of 0 or -1 only repeats the sign of what is below it.
    while (end > 0 && (top == 0 || top == ~std::uint64_t{0})) top = (top << 32) | span.limbs[--end];
    int begin = 0;
    while (begin < end && span.limbs[begin] == 0) ++begin;
    result.negative = top >> 63 != 0;
    result.count = end - begin;
    result.top = !result.negative ? top : result.count > 0 ? ~top : 0 - top;
    result.limbs = span.limbs + begin;
    result.exponent = span.exponent + 32 * begin;
    return result;
}

/// (negative ? -1 : 1) * (256-bit integer + something in [0, 1) that is not 0 iff sticky) * 2^exponent; little-endian.
///
/// Normalised: the highest bit is set, or the value is 0.
struct leading_bits {
    std::uint64_t word[4] = {};
    int exponent = 0;
    bool negative = false;
    bool sticky = false;

    [[nodiscard]] STEADFOLD_HOST_DEVICE bool is_zero() const noexcept {
        return (word[0] | word[1] | word[2] | word[3]) == 0;
    }
};

/// The high word of (high, low) << shift, 0 <= shift < 64.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::uint64_t shifted_in(std::uint64_t high, std::uint64_t low,
                                                                       int shift) noexcept {
    return shift == 0 ? high : (high << shift) | (low >> (64 - shift));
}

/// Normalised.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline leading_bits leading_of(magnitude_digits const& digits) noexcept {
    leading_bits result;
    result.negative = digits.negative;
    if (digits.top == 0) return result;
    // From the top down: 64 bits and four pairs of digits, of which 256 bits stay after the shift.
    std::uint64_t above = digits.top;
    int const shift = bits::leading_zeros(above);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 3; k >= 0; --k) {
        int const i = digits.count - 2 * (4 - k);
        std::uint64_t const pair = i >= -1 ? (digits.digit(i + 1) << 32) | (i >= 0 ? digits.digit(i) : 0) : 0;
        result.word[k] = shifted_in(above, pair, shift);
        above = pair;
    }
    result.sticky = digits.count > 8 || above << shift != 0; // the lowest digit is not 0
    result.exponent = digits.exponent + 32 * (digits.count - 6) - shift;
    return result;
}

/// Value of an element given by its bits, normalised; must be finite. Integers as 64-bit two's complement.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline leading_bits leading_of_element(std::uint64_t bits, dtype type) noexcept {
    leading_bits result;
    std::uint64_t significand = bits;
    int exponent = 0;
    if (is_integer(type)) {
        result.negative = is_signed_integer(type) && bits >> 63 != 0;
        if (result.negative) significand = 0 - bits;
    } else {
        decomposed const parts = decompose(bits, format_of(type));
        result.negative = parts.negative;
        significand = parts.significand;
        exponent = parts.exponent;
    }
    if (significand == 0) return result;
    int const shift = bits::leading_zeros(significand);
    result.word[3] = significand << shift;
    result.exponent = exponent - shift - 192;
    return result;
}

/// Moves the highest bit to the top. A sticky value keeps only as many true bits as it had, which must be more than the
/// final rounding needs: 65.
STEADFOLD_HOST_DEVICE inline void normalise(leading_bits& value) noexcept {
    std::uint64_t(&w)[4] = value.word;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < 3; ++i) {
        if (w[3] != 0) break;
        w[3] = w[2];
        w[2] = w[1];
        w[1] = w[0];
        w[0] = 0;
        value.exponent -= 64;
    }
    if (w[3] == 0) return;
    int const shift = bits::leading_zeros(w[3]);
    w[3] = shifted_in(w[3], w[2], shift);
    w[2] = shifted_in(w[2], w[1], shift);
    w[1] = shifted_in(w[1], w[0], shift);
    w[0] <<= shift;
    value.exponent -= shift;
}

} // namespace steadfold::inline v0::exact
