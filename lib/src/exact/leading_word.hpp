// The leading 64 bits of a few redundant digits, in registers: what rounds the usual sums on a device.
#pragma once

#include "steadfold/bits.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// (negative ? -1 : 1) * (top + something in [0, 1) that is not 0 iff sticky) * 2^exponent; the highest bit of top is
/// set, or the value is 0.
struct leading_word {
    std::uint64_t top = 0;
    int exponent = 0;
    bool negative = false, sticky = false;
};

/// Of the sum of digit(i) * 2^(32 i + exponent) over 0 <= i < Digits; digits are signed and below 2^62. Unrolled and
/// without arrays that need an address.
template <int Digits, class Digit>
[[nodiscard]] STEADFOLD_HOST_DEVICE leading_word leading_word_of(Digit const& digit, int exponent) {
    std::uint32_t word[Digits + 2];
    std::int64_t carry = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < Digits; ++i) {
        carry += digit(i);
        word[i] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    word[Digits] = static_cast<std::uint32_t>(carry);
    word[Digits + 1] = static_cast<std::uint32_t>(carry >> 32);
    leading_word result;
    result.negative = carry < 0;
    std::uint32_t const flip = result.negative ? 0xffffffffu : 0u;
    std::uint64_t one = result.negative ? 1 : 0; // -x = ~x + 1
    std::uint32_t high = 0, middle = 0, low = 0, below = 0, passed = 0;
    int top = -1;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < Digits + 2; ++i) {
        one += word[i] ^ flip;
        word[i] = static_cast<std::uint32_t>(one);
        one >>= 32;
        if (i > 2) passed |= word[i > 2 ? i - 3 : 0];
        if (word[i] != 0) {
            top = i;
            high = word[i];
            middle = i > 0 ? word[i > 0 ? i - 1 : 0] : 0;
            low = i > 1 ? word[i > 1 ? i - 2 : 0] : 0;
            below = passed;
        }
    }
    if (top < 0) return {};
    int const shift = bits::leading_zeros(high) - 32;
    std::uint64_t const upper = (static_cast<std::uint64_t>(high) << 32) | middle;
    std::uint64_t const lower = static_cast<std::uint64_t>(low) << shift; // its upper half reaches the top
    result.top = (upper << shift) | (lower >> 32);
    result.sticky = (static_cast<std::uint32_t>(lower) | below) != 0;
    result.exponent = exponent + 32 * (top - 1) - shift;
    return result;
}

} // namespace steadfold::inline v0::exact
