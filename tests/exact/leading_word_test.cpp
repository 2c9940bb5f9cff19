// The leading word of redundant digits against GMP.
#include "exact/leading_word.hpp"

#include <array>
#include <cstdint>
#include <gmpxx.h>
#include <gtest/gtest.h>
#include <random>

namespace {

namespace ex = steadfold::exact;

template <std::size_t Digits>
void expect_leading_word(std::array<std::int64_t, Digits> const& digits, int exponent) {
    mpz_class value = 0;
    for (std::size_t i = Digits; i-- > 0;) value = (value << 32) + mpz_class(static_cast<signed long>(digits[i]));
    auto const digit = [&](int i) { return digits[static_cast<std::size_t>(i)]; };
    ex::leading_word const got = ex::leading_word_of<static_cast<int>(Digits)>(digit, exponent);
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

/// Digits of every size and sign, among them those that make carries and borrows run from end to end.
template <std::size_t Digits>
void expect_random_digits(std::uint64_t seed) {
    std::mt19937_64 random{seed};
    constexpr std::int64_t edges[] = {0, 1, -1, 0xffffffff, -0xffffffff, 0x100000000, -0x100000000};
    for (int trial = 0; trial < 20000; ++trial) {
        std::array<std::int64_t, Digits> digits{};
        int const kind = static_cast<int>(random() % 4);
        for (std::int64_t& digit : digits) {
            auto const drawn = static_cast<std::int64_t>(random()) >> (2 + random() % 60);
            digit = kind == 0 ? 0 : kind == 1 || random() % 2 == 0 ? edges[random() % std::size(edges)] : drawn;
        }
        if (kind == 0) digits[random() % Digits] = static_cast<std::int64_t>(random()) >> (2 + random() % 60);
        expect_leading_word(digits, static_cast<int>(random() % 2000) - 1000);
    }
}

TEST(leading_word, of_redundant_digits_agrees_with_gmp) {
    expect_random_digits<1>(1);
    expect_random_digits<7>(2);
    expect_random_digits<15>(3);
}

} // namespace
