// Quotients of two exact numbers of any length, for the host: one bit a step, once a result.
#pragma once

#include "exact/digits.hpp"
#include "exact/leading.hpp"

#include <array>
#include <cstdint>

namespace steadfold::inline v0::exact {

/// An integer below 2^(32 (size - 1)), in 32-bit words from the lowest up, with room for one shift.
class aligned_number {
  public:
    static constexpr int size = product_capacity + 4;

    /// |digits| moved up so that its highest bit is the highest one allowed; value = integer * 2^exponent().
    explicit aligned_number(magnitude_digits const& digits) {
        int const words = digits.words(), offset = size - 1 - words;
        for (int i = 0; i < words; ++i)
            word_[static_cast<std::size_t>(i + offset)] = static_cast<std::uint32_t>(digits.word(i));
        exponent_ = digits.exponent - 32 * offset;
        for (; (word_[size - 2] >> 31) == 0; --exponent_) double_it();
    }

    [[nodiscard]] int exponent() const noexcept { return exponent_; }

    [[nodiscard]] bool is_zero() const noexcept {
        for (std::uint32_t const word : word_)
            if (word != 0) return false;
        return true;
    }

    void double_it() noexcept {
        std::uint32_t carry = 0;
        for (std::uint32_t& word : word_) {
            std::uint32_t const next = word >> 31;
            word = (word << 1) | carry;
            carry = next;
        }
    }

    /// Takes `other` off if that leaves no negative number; whether it did.
    bool subtract_if_not_less(aligned_number const& other) noexcept {
        for (std::size_t i = size; i-- > 0;) {
            if (word_[i] > other.word_[i]) break;
            if (word_[i] < other.word_[i]) return false;
        }
        std::uint64_t borrow = 0;
        for (std::size_t i = 0; i < size; ++i) {
            std::uint64_t const difference = std::uint64_t{word_[i]} - other.word_[i] - borrow;
            word_[i] = static_cast<std::uint32_t>(difference);
            borrow = difference >> 63;
        }
        return true;
    }

  private:
    std::array<std::uint32_t, size> word_{};
    int exponent_ = 0;
};

/// dividend / divisor, neither of them 0: 191 bits or more and whether there is a rest. Normalised.
[[nodiscard]] inline leading_bits ratio(magnitude_digits const& dividend, magnitude_digits const& divisor) noexcept {
    aligned_number rest{dividend};
    aligned_number const by{divisor};
    leading_bits result;
    constexpr int steps = 192;
    for (int step = 0; step < steps; ++step) { // the quotient of the integers is between 1/2 and 2
        if (rest.subtract_if_not_less(by)) result.word[3 - step / 64] |= std::uint64_t{1} << (63 - step % 64);
        rest.double_it();
    }
    result.exponent = rest.exponent() - by.exponent() - 255;
    result.negative = dividend.negative != divisor.negative;
    result.sticky = !rest.is_zero();
    normalise(result);
    return result;
}

} // namespace steadfold::inline v0::exact
