// Natural numbers of bounded size, for the one rounding at the very end: nothing here is on a path per element.
#pragma once

#include <array>
#include <cstdint>

namespace steadfold::inline v0::exact {

/// Little-endian 32-bit words. The largest use is n*S2 - S1^2 of float64: 138 words.
class natural {
  public:
    static constexpr int capacity = 176;

    natural() = default;
    explicit natural(std::uint64_t value);
    /// Magnitude of normalised limbs; the sign is left in `negative`.
    static natural magnitude(std::uint64_t const* limbs, int count, bool& negative);

    [[nodiscard]] bool is_zero() const noexcept { return size_ == 0; }
    /// Number of bits; 0 for zero.
    [[nodiscard]] int bit_length() const noexcept;
    [[nodiscard]] bool bit(int position) const noexcept;
    /// True if any bit below `position` is set.
    [[nodiscard]] bool any_bit_below(int position) const noexcept;
    /// The 64 bits from `position` up.
    [[nodiscard]] std::uint64_t word64_at(int position) const noexcept;

    [[nodiscard]] natural shifted_left(int bits) const;
    [[nodiscard]] natural shifted_right(int bits) const;
    [[nodiscard]] natural plus(natural const& other) const;
    /// Requires *this >= other.
    [[nodiscard]] natural minus(natural const& other) const;
    [[nodiscard]] natural times(natural const& other) const;
    /// Quotient; `inexact` is set if the remainder is not zero. Knuth, TAOCP 2, 4.3.1, algorithm D.
    [[nodiscard]] natural divided_by(natural const& divisor, bool& inexact) const;
    /// floor(sqrt); `inexact` is set if it is not the exact root. Newton's iteration from above.
    [[nodiscard]] natural square_root(bool& inexact) const;

    /// -1, 0, 1.
    [[nodiscard]] int compare(natural const& other) const noexcept;

  private:
    void trim() noexcept;
    [[nodiscard]] natural divided_by_word(std::uint32_t divisor, bool& inexact) const;
    /// One step of algorithm D: subtracts q * v * 2^(32 j) and returns the digit q.
    std::uint32_t subtract_multiple(natural const& v, int j);
    [[nodiscard]] std::uint32_t word_at(int position) const noexcept; // 32 bits from a bit position

    std::array<std::uint32_t, capacity> word_{};
    int size_ = 0;
};

} // namespace steadfold::inline v0::exact
