// An exact sum that shares no code with steadfold: one fixed-point number as wide as all products of doubles.
#pragma once

#include <array>
#include <cstdint>

namespace steadfold::inline v0::app {

/// U. Kulisch, "An axiomatic approach to rounded computations", 1971: every addend is added where its digits belong,
/// so that nothing is ever rounded. Reference results need no more than a few nanoseconds an element this way, whatever
/// the exponents are. For finite numbers.
class wide_sum {
  public:
    void add(double x);
    void add_product(double x, double y); // exact, without underflow or overflow
    void add(wide_sum const& other);

    /// Correctly rounded to nearest-even, Inf if it is too large; a sum of zero is +0. T is float or double.
    template <class T>
    [[nodiscard]] T rounded() const;

  private:
    static constexpr int digit_bits = 32;
    static constexpr int lowest = -2148; // of the least bit: that of a product of the two smallest numbers
    static constexpr int digit_count = (2 * 1024 - lowest + 64) / digit_bits + 1;

    void normalise(); // every digit but the last one in [0, 2^32)

    std::array<std::int64_t, digit_count> digits_{};
    std::uint32_t adds_ = 0; // since the digits were normalised: they have room for 2^30
};

} // namespace steadfold::inline v0::app
