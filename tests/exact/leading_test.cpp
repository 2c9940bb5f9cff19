// Leading bits of digits against GMP.
#include "exact/big.hpp"
#include "support/check.hpp"

#include <gtest/gtest.h>

namespace {

using namespace oracle;
constexpr int rounds = sanitized ? 500 : 20000;

void expect_leading(ex::leading_bits const& got, mpz_class const& z, int exponent, std::string const& what) {
    mpz_class const magnitude = abs(z);
    ASSERT_EQ(got.negative, sgn(z) < 0) << what;
    if (sgn(z) == 0) {
        ASSERT_TRUE(got.is_zero() && !got.sticky) << what;
        return;
    }
    int const dropped = bit_length(magnitude) - 256;
    mpz_class const kept = dropped > 0 ? mpz_class{magnitude >> static_cast<mp_bitcnt_t>(dropped)}
                                       : mpz_class{magnitude << static_cast<mp_bitcnt_t>(-dropped)};
    ASSERT_EQ(to_mpz(got), kept) << what;
    ASSERT_EQ(got.exponent, exponent + dropped) << what;
    ASSERT_EQ(got.sticky, dropped > 0 && kept << static_cast<mp_bitcnt_t>(dropped) != magnitude) << what;
}

TEST(leading, bits_sign_and_sticky_of_any_digits_agree_with_gmp) {
    random_source random{11};
    for (int i = 0; i < rounds; ++i) {
        mpz_class z = random_number(random, i % 3 == 0 ? 4300 : i % 3 == 1 ? 400 : 70);
        if (random.coin()) z = -z;
        int const exponent = random.between(-2200, 2200);
        digits const held = digits_of(z, exponent, random);
        ASSERT_EQ(value_of_limbs(held.limbs.data(), static_cast<int>(held.limbs.size())),
                  z << static_cast<mp_bitcnt_t>(exponent - held.exponent));
        ASSERT_NO_FATAL_FAILURE(expect_leading(ex::leading_of(ex::magnitude_of(held.span())), z, exponent,
                                               z.get_str(16) + " * 2^" + std::to_string(exponent)));
    }
}

TEST(leading, a_single_far_bit_below_is_seen) {
    for (int const sign : {1, -1})
        for (int gap = 1; gap < 2000; gap += 3) {
            mpz_class const z = sign * (power_of_two(gap) + 1);
            ASSERT_NO_FATAL_FAILURE(expect_leading(leading_of(z, -7), z, -7, z.get_str(16)));
        }
}

TEST(leading, zero_is_zero_however_long) {
    for (int const above : {0, 1, 67}) {
        digits const zero = digits_of(0, 0, 0, above);
        EXPECT_TRUE(ex::leading_of(ex::magnitude_of(zero.span())).is_zero());
    }
    EXPECT_TRUE(ex::leading_of(ex::magnitude_of({})).is_zero());
}

TEST(leading, a_limb_of_the_most_negative_number_has_a_magnitude) {
    std::uint64_t const lowest = std::uint64_t{1} << 63;
    EXPECT_EQ(ex::magnitude_of({&lowest, 1, 0}).top, lowest);
    EXPECT_TRUE(ex::magnitude_of({&lowest, 1, 0}).negative);
    std::uint64_t const two[] = {1, lowest}; // -2^95 + 1
    ASSERT_NO_FATAL_FAILURE(
        expect_leading(ex::leading_of(ex::magnitude_of({two, 2, 0})), 1 - power_of_two(95), 0, "1 - 2^95"));
}

TEST(leading, words_of_a_magnitude_agree_with_gmp) {
    random_source random{12};
    for (int i = 0; i < rounds / 4; ++i) {
        mpz_class z = random_number(random, 700);
        if (random.coin()) z = -z;
        digits const held = digits_of(z, 0, random);
        ex::magnitude_digits const magnitude = ex::magnitude_of(held.span());
        mpz_class total;
        for (int w = magnitude.words(); w >= -1; --w)
            total = (total << 32) + static_cast<unsigned long>(magnitude.word(w));
        ASSERT_EQ(magnitude.word(magnitude.words()), 0u);
        ASSERT_EQ(magnitude.word(-1), 0u);
        if (sgn(z) == 0) continue; // its exponent says nothing
        ASSERT_EQ((total >> 32) * power_of_two(magnitude.exponent - held.exponent),
                  abs(z) * power_of_two(-held.exponent))
            << z;
    }
}

TEST(leading, normalising_moves_the_highest_bit_to_the_top) {
    for (int bit = 0; bit < 256; ++bit) {
        ex::leading_bits value;
        value.word[bit / 64] = std::uint64_t{1} << (bit % 64);
        value.word[0] |= 1;
        mpz_class const before = to_mpz(value);
        ex::normalise(value);
        ASSERT_EQ(to_mpz(value), before << static_cast<mp_bitcnt_t>(255 - bit)) << bit;
        ASSERT_EQ(value.exponent, bit - 255);
    }
}

} // namespace
