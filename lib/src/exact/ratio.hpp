// Quotients of two exact numbers of any length: long division by 32-bit digits, once a result, in one thread.
#pragma once

#include "exact/digits.hpp"
#include "exact/leading.hpp"
#include "steadfold/bits.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// Memory of one quotient; each concurrent one needs its own. In shared memory on a device: as local memory every
/// thread that the device can hold would have as much.
struct ratio_scratch {
    static constexpr int size = product_capacity + 4;
    std::uint32_t dividend[size], divisor[size];
};

/// An integer below 2^(32 (size - 1)), in 32-bit words from the lowest up, with room for one digit more.
class aligned_number {
  public:
    static constexpr int size = ratio_scratch::size;

    /// |digits| moved up so that its highest bit is the highest one allowed; value = integer * 2^exponent().
    STEADFOLD_HOST_DEVICE aligned_number(magnitude_digits const& digits, std::uint32_t (&words_of_it)[size]) noexcept
        : word_{words_of_it} {
        int const words = digits.words(), offset = size - 1 - words;
        int const shift = bits::leading_zeros(digits.word(words - 1)) - 32;
        for (int i = 0; i < size; ++i) word_[i] = 0;
        for (int i = 0; i < words; ++i)
            word_[i + offset] =
                static_cast<std::uint32_t>(digits.word(i) << shift | digits.word(i - 1) >> (32 - shift));
        exponent_ = digits.exponent - 32 * offset - shift;
    }

    [[nodiscard]] STEADFOLD_HOST_DEVICE int exponent() const noexcept { return exponent_; }

    [[nodiscard]] STEADFOLD_HOST_DEVICE bool is_zero() const noexcept {
        std::uint32_t any = 0;
        for (int i = 0; i < size; ++i) any |= word_[i];
        return any == 0;
    }

    /// Multiplies by 2^bits, 0 < bits <= 32.
    STEADFOLD_HOST_DEVICE void shift_up(int bits) noexcept {
        for (int i = size - 1; i >= 0; --i) {
            std::uint64_t const below = i > 0 ? word_[i - 1] : 0;
            word_[i] = static_cast<std::uint32_t>(std::uint64_t{word_[i]} << bits | below >> (32 - bits));
        }
    }

    /// Takes `other`, which is aligned, off as often as it goes, less than 2^32 times, and returns how often: a step of
    /// Knuth's algorithm D (TAOCP 4.3.1). The estimate from the highest words is at most 2 too large.
    STEADFOLD_HOST_DEVICE std::uint32_t divide_step(aligned_number const& other) noexcept {
        constexpr std::uint64_t most = 0xffffffffu;
        std::uint64_t times =
            (std::uint64_t{word_[size - 1]} << 32 | word_[size - 2]) / std::uint64_t{other.word_[size - 2]};
        if (times > most) times = most;
        std::uint64_t lent = 0; // from above the highest word, in the end
        for (int i = 0; i < size; ++i) {
            std::uint64_t const product = times * other.word_[i] + lent;
            auto const low = static_cast<std::uint32_t>(product);
            lent = (product >> 32) + (word_[i] < low ? 1 : 0);
            word_[i] -= low;
        }
        for (; lent != 0; --times) lent -= add(other);
        return static_cast<std::uint32_t>(times);
    }

  private:
    /// Returns what is carried out of the highest word.
    STEADFOLD_HOST_DEVICE std::uint64_t add(aligned_number const& other) noexcept {
        std::uint64_t carry = 0;
        for (int i = 0; i < size; ++i) {
            std::uint64_t const sum = std::uint64_t{word_[i]} + other.word_[i] + carry;
            word_[i] = static_cast<std::uint32_t>(sum);
            carry = sum >> 32;
        }
        return carry;
    }

    std::uint32_t (&word_)[size];
    int exponent_ = 0;
};

/// dividend / divisor, neither of them 0: 191 bits or more and whether there is a rest. Normalised.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline leading_bits
ratio(magnitude_digits const& dividend, magnitude_digits const& divisor, ratio_scratch& scratch) noexcept {
    aligned_number rest{dividend, scratch.dividend};
    aligned_number const by{divisor, scratch.divisor};
    leading_bits result;
    constexpr int digits = 6;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = 0; i < digits; ++i) {
        rest.shift_up(i == 0 ? 31 : 32); // the quotient of the integers is between 1/2 and 2
        result.word[3 - i / 2] |= std::uint64_t{rest.divide_step(by)} << (i % 2 == 0 ? 32 : 0);
    }
    result.exponent = rest.exponent() - by.exponent() - 255;
    result.negative = dividend.negative != divisor.negative;
    result.sticky = !rest.is_zero();
    normalise(result);
    return result;
}

} // namespace steadfold::inline v0::exact
