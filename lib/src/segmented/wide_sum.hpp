// A sum that fits three words: what the fold sums under one window, or sums of 32-bit digits, add up to. Quick enough
// for every few elements, on the host and in kernels; superaccumulators are for everything else.
#pragma once

#include "exact/leading.hpp"
#include "exact/quotient.hpp"
#include "exact/root.hpp"
#include "exact/round.hpp"
#include "steadfold/bits.hpp"
#include "steadfold/operations.hpp"

#include <cstdint>

namespace steadfold::inline v0::segmented {

/// word[2]:word[1]:word[0], in two's complement, times 2^exponent.
struct wide_sum {
    std::uint64_t word[3] = {};
    int exponent = 0;

    /// Adds digit * 2^(exponent + shift); 0 <= shift < 128. The sum must stay below 2^191.
    STEADFOLD_HOST_DEVICE constexpr void add(std::int64_t digit, int shift) noexcept {
        std::uint64_t const sign = digit < 0 ? ~std::uint64_t{0} : 0;
        auto const bits = static_cast<std::uint64_t>(digit);
        int const part = shift & 63;
        std::uint64_t const low = bits << part;
        std::uint64_t const high = part == 0 ? sign : (bits >> (64 - part)) | (sign << part);
        bool const above = shift >= 64;
        add_words(above ? 0 : low, above ? low : high, above ? high : sign);
    }

    STEADFOLD_HOST_DEVICE constexpr void add(wide_sum const& other) noexcept {
        add_words(other.word[0], other.word[1], other.word[2]);
    }

  private:
    STEADFOLD_HOST_DEVICE constexpr void add_words(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept {
        word[0] += a;
        std::uint64_t const carry0 = word[0] < a;
        word[1] += b;
        std::uint64_t carry1 = word[1] < b;
        word[1] += carry0;
        carry1 += word[1] < carry0;
        word[2] += c + carry1;
    }
};

/// Normalised.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline exact::leading_bits leading_of(wide_sum const& sum) noexcept {
    std::uint64_t const mask = 0 - (sum.word[2] >> 63); // the sign is as good as random: no branch on it
    exact::leading_bits result;
    result.negative = mask != 0;
    result.word[1] = (sum.word[0] ^ mask) - mask;
    std::uint64_t const carry = mask & static_cast<std::uint64_t>(result.word[1] == 0);
    result.word[2] = (sum.word[1] ^ mask) + carry;
    result.word[3] = (sum.word[2] ^ mask) + (carry & static_cast<std::uint64_t>(result.word[2] == 0));
    result.exponent = sum.exponent - 64;
    exact::normalise(result);
    return result;
}

/// What `op` makes of the sum over `elements` elements, all finite and at least one: sums, means and norms.
/// `only_negative_zeros` is asked for the sign of a zero.
template <class Test>
[[nodiscard]] STEADFOLD_HOST_DEVICE inline exact::rounded round_sum(wide_sum const& sum, operation op,
                                                                    std::uint64_t elements, dtype type,
                                                                    Test const& only_negative_zeros) noexcept {
    exact::leading_bits value = leading_of(sum);
    bool const has_sign = op == operation::sum || op == operation::mean;
    if (has_sign && value.is_zero()) value.negative = only_negative_zeros();
    if (op == operation::mean && !value.is_zero()) {
        exact::divide(value, elements);
        exact::normalise(value);
    }
    if (op == operation::l2 && !value.is_zero()) exact::take_root(value);
    return exact::round_to(value, type);
}

} // namespace steadfold::inline v0::segmented
