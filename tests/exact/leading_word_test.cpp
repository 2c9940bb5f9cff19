// Sums of shifted integers and their leading words against GMP.
#include "exact/leading_word.hpp"

#include <cstdint>
#include <gmpxx.h>
#include <gtest/gtest.h>
#include <random>

namespace {

namespace ex = steadfold::exact;

/// Values of every size and sign, among them those that make carries and borrows run from end to end.
class drawer {
  public:
    explicit drawer(std::uint64_t seed) : random_{seed} {}
    std::int64_t operator()() {
        constexpr std::int64_t edges[] = {0,         1,        -1, 0xffffffff, -0xffffffff, 0x100000000, -0x100000000,
                                          INT64_MIN, INT64_MAX};
        if (random_() % 3 == 0) return edges[random_() % std::size(edges)];
        return static_cast<std::int64_t>(random_()) >> (random_() % 64);
    }
    int exponent() { return static_cast<int>(random_() % 2000) - 1000; }
    bool now_and_then() { return random_() % 4 == 0; }

  private:
    std::mt19937_64 random_;
};

template <int Words>
void expect_leading_word(ex::wide_integer<Words> const& sum, mpz_class const& value, int exponent) {
    ex::leading_word const got = ex::leading_word_of(sum, exponent);
    mpz_class const magnitude = abs(value);
    if (magnitude == 0) {
        EXPECT_EQ(got.top, 0u);
        return;
    }
    int const shift = static_cast<int>(mpz_sizeinbase(magnitude.get_mpz_t(), 2)) - 64;
    mpz_class const top = shift >= 0 ? mpz_class(magnitude >> shift) : mpz_class(magnitude << -shift);
    EXPECT_EQ(mpz_class(static_cast<unsigned long>(got.top)), top) << value;
    EXPECT_EQ(got.sticky, shift > 0 && mpz_class(top << shift) != magnitude) << value;
    EXPECT_EQ(got.exponent, exponent + shift) << value;
    EXPECT_EQ(got.negative, value < 0) << value;
}

template <int Words, int... Shifts>
void expect_random_sums(std::uint64_t seed) {
    drawer draw{seed};
    for (int trial = 0; trial < 20000; ++trial) {
        ex::wide_integer<Words> sum;
        mpz_class value = 0;
        auto const add = [&]<int Shift>() {
            std::int64_t const drawn = draw.now_and_then() ? 0 : draw();
            sum.template add<Shift>(drawn);
            value += mpz_class(static_cast<signed long>(drawn)) << Shift;
        };
        (add.template operator()<Shifts>(), ...);
        expect_leading_word(sum, value, draw.exponent());
    }
}

TEST(leading_word, of_a_sum_of_shifted_integers_agrees_with_gmp) {
    expect_random_sums<2, 0, 22, 44>(1);
    expect_random_sums<3, 0, 22, 44, 48, 70, 92>(2);
    expect_random_sums<3, 0, 22, 44, 32, 54, 76>(3);
    expect_random_sums<4, 0, 22, 44, 49, 71, 93, 98, 120, 142>(4);
    expect_random_sums<4, 64, 128, 63, 127, 0>(5);
}

} // namespace
