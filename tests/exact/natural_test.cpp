// Natural numbers against GMP.
#include "exact/big.hpp"
#include "support/check.hpp"

#include <gtest/gtest.h>

namespace {

using namespace oracle;
constexpr int rounds = sanitized ? 300 : 4000;

TEST(natural, survives_the_way_to_gmp_and_back) {
    random_source random{1};
    for (int i = 0; i < rounds; ++i) {
        mpz_class const z = random_number(random, 5000);
        ASSERT_EQ(to_mpz(to_natural(z)), z);
    }
}

TEST(natural, arithmetic_agrees_with_gmp) {
    random_source random{2};
    for (int i = 0; i < rounds; ++i) {
        mpz_class const a = random_number(random, 2700), b = random_number(random, i % 3 == 0 ? 60 : 2700);
        ex::natural const x = to_natural(a), y = to_natural(b);
        ASSERT_EQ(to_mpz(x.plus(y)), a + b) << a << " + " << b;
        ASSERT_EQ(to_mpz(x.times(y)), a * b) << a << " * " << b;
        ASSERT_EQ(x.compare(y), cmp(a, b) < 0 ? -1 : cmp(a, b) > 0 ? 1 : 0) << a << " <=> " << b;
        if (a < b) continue;
        ASSERT_EQ(to_mpz(x.minus(y)), a - b) << a << " - " << b;
    }
}

TEST(natural, shifts_and_bits_agree_with_gmp) {
    random_source random{3};
    for (int i = 0; i < rounds; ++i) {
        mpz_class const a = random_number(random, 2000);
        ex::natural const x = to_natural(a);
        int const by = random.between(0, 2200);
        auto const shift = static_cast<mp_bitcnt_t>(by);
        mpz_class const below = a - ((a >> shift) << shift);
        ASSERT_EQ(to_mpz(x.shifted_left(by)), mpz_class{a << shift});
        ASSERT_EQ(to_mpz(x.shifted_right(by)), mpz_class{a >> shift});
        ASSERT_EQ(x.bit(by), mpz_tstbit(a.get_mpz_t(), shift) != 0);
        ASSERT_EQ(x.any_bit_below(by), below != 0) << a << " below bit " << by;
        ASSERT_EQ(x.bit_length(), a == 0 ? 0 : static_cast<int>(mpz_sizeinbase(a.get_mpz_t(), 2)));
        ASSERT_EQ(x.word64_at(by), mpz_class((a >> shift) & mpz_class{0xffffffffffffffffUL}).get_ui());
    }
}

TEST(natural, quotients_and_remainders_agree_with_gmp) {
    random_source random{4};
    for (int i = 0; i < rounds; ++i) {
        mpz_class const a = random_number(random, 5000);
        mpz_class const b = random_number(random, i % 2 == 0 ? 128 : 2500) + 1;
        mpz_class const exact_multiple = a / b * b;
        for (mpz_class const& numerator : {a, exact_multiple}) {
            bool inexact = false;
            ASSERT_EQ(to_mpz(to_natural(numerator).divided_by(to_natural(b), inexact)), numerator / b)
                << numerator << " / " << b;
            ASSERT_EQ(inexact, numerator % b != 0) << numerator << " / " << b;
        }
    }
}

TEST(natural, a_quotient_digit_that_was_guessed_too_large_is_corrected) {
    // Dividends just below multiples of divisors like 2^31 2^32k + (2^32 - 1): the case for algorithm D's step D6.
    random_source random{5};
    mpz_class const word = mpz_class{1} << 32;
    for (int i = 0; i < rounds; ++i) {
        mpz_class const b = (mpz_class{0x80000000UL} * word + random.between(0, 2)) * word +
                            mpz_class{0xffffffffUL - static_cast<unsigned long>(i % 4)};
        mpz_class const a = b * (word * word - random.between(1, 3)) * word - random.between(1, 3);
        bool inexact = false;
        ASSERT_EQ(to_mpz(to_natural(a).divided_by(to_natural(b), inexact)), a / b) << a << " / " << b;
    }
}

TEST(natural, square_roots_agree_with_gmp) {
    random_source random{6};
    for (int i = 0; i < rounds; ++i) {
        mpz_class const a = random_number(random, 450);
        mpz_class const square = a * a;
        for (mpz_class const& radicand :
             {a, square, mpz_class{square + 1}, square > 0 ? mpz_class{square - 1} : square}) {
            bool inexact = false;
            ASSERT_EQ(to_mpz(to_natural(radicand).square_root(inexact)), sqrt(radicand)) << radicand;
            ASSERT_EQ(inexact, mpz_perfect_square_p(radicand.get_mpz_t()) == 0) << radicand;
        }
    }
}

TEST(natural, magnitude_of_limbs_is_their_twos_complement_value) {
    random_source random{7};
    for (int i = 0; i < rounds; ++i) {
        int const count = random.between(1, 134);
        std::vector<std::uint64_t> limbs(static_cast<std::size_t>(count));
        bool const sparse = random.coin();
        for (auto& limb : limbs) limb = sparse && random.coin() ? 0 : random.bits() & 0xffffffff;
        limbs.back() = static_cast<std::uint64_t>(static_cast<std::int64_t>(random.bits()) >> random.between(0, 63));
        bool negative = false;
        ex::natural const size = ex::natural::magnitude(limbs.data(), count, negative);
        mpz_class const expected = value_of_limbs(limbs.data(), count);
        ASSERT_EQ(negative, expected < 0);
        ASSERT_EQ(to_mpz(size), abs(expected));
    }
}

} // namespace
