// Square roots of leading bits, in integers only: no rounding mode can reach them.
#pragma once

#include "exact/leading.hpp"
#include "steadfold/bits.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// A root rounded down and what is left of the radicand: at most 2 * root, 65 bits.
struct root_and_rest {
    std::uint64_t root, rest_low, rest_high;
};

/// Of radicand >= 2^30: one bit of the root a step.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr root_and_rest root_of_32_bits(std::uint32_t radicand) noexcept {
    std::uint32_t root = 0;
    for (std::uint32_t bit = std::uint32_t{1} << 30; bit != 0; bit >>= 2) {
        std::uint32_t const trial = root + bit;
        root >>= 1;
        if (radicand >= trial) {
            radicand -= trial;
            root += bit;
        }
    }
    return {root, radicand, 0};
}

/// Of radicand >= 2^62. A root of half the length, and a division for the other half of its bits: Zimmermann,
/// "Karatsuba square root", INRIA RR-3805 (1999).
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr root_and_rest root_of_64_bits(std::uint64_t radicand) noexcept {
    root_and_rest const half = root_of_32_bits(static_cast<std::uint32_t>(radicand >> 32));
    auto const divisor = static_cast<std::uint32_t>(half.root);
    auto const dividend = static_cast<std::uint32_t>((half.rest_low << 15) | ((radicand >> 17) & 0x7fffu));
    std::uint32_t const estimate = dividend / divisor; // too large by 1 at most
    std::uint64_t root = (half.root << 16) + (estimate > 0xffffu ? 0xffffu : estimate);
    if (root * root > radicand) --root;
    return {root, radicand - root * root, 0};
}

/// Of high * 2^64 + low >= 2^126; the same step.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr root_and_rest root_of_128_bits(std::uint64_t high,
                                                                             std::uint64_t low) noexcept {
    root_and_rest const half = root_of_64_bits(high);
    std::uint64_t const estimate = ((half.rest_low << 31) | (low >> 33)) / half.root;
    std::uint64_t root = (half.root << 32) + (estimate > digit_mask ? digit_mask : estimate);
    bits::product128 square = bits::multiply(root, root);
    if (square.high > high || (square.high == high && square.low > low)) {
        --root;
        square = bits::multiply(root, root);
    }
    return {root, low - square.low, high - square.high - (low < square.low ? 1 : 0)};
}

/// Square root of a normalised value, which stays normalised: 65 bits and sticky, from the leading 130 or 129.
///
/// floor(sqrt(floor(x))) = floor(sqrt(x)), so that a sticky bit simply stays set.
STEADFOLD_HOST_DEVICE inline void take_root(leading_bits& value) noexcept {
    if (value.is_zero()) return;
    std::uint64_t(&w)[4] = value.word;
    int const odd = value.exponent & 1; // the exponent has to be even
    std::uint64_t const high = w[3] >> odd, low = odd ? shifted_in(w[3], w[2], 63) : w[2];
    std::uint64_t const next = odd ? shifted_in(w[2], w[1], 63) : w[1];
    root_and_rest const r = root_of_128_bits(high, low);
    // One more bit: 4 rest + two bits against 4 root + 1.
    std::uint64_t const rest_high = (r.rest_high << 2) | (r.rest_low >> 62);
    std::uint64_t const rest_low = (r.rest_low << 2) | (next >> 62);
    std::uint64_t const trial_high = r.root >> 62, trial_low = (r.root << 2) | 1;
    bool const one = rest_high > trial_high || (rest_high == trial_high && rest_low >= trial_low);
    bool const exact = one ? rest_high == trial_high && rest_low == trial_low : (rest_high | rest_low) == 0;
    bool const dropped = (next << 2) != 0 || (odd && (w[1] & 1) != 0) || w[0] != 0;
    value.sticky = value.sticky || !exact || dropped;
    w[3] = r.root;
    w[2] = one ? std::uint64_t{1} << 63 : 0;
    w[1] = w[0] = 0;
    // The 65 bits are in units of 2^((exponent + 126) / 2) and begin at bit 191.
    value.exponent = (value.exponent + odd + 126) / 2 - 191;
}

} // namespace steadfold::inline v0::exact
