// Quotients and roots of leading bits against GMP.
#include "exact/big.hpp"
#include "exact/quotient.hpp"
#include "exact/ratio.hpp"
#include "exact/root.hpp"
#include "support/check.hpp"

#include <gtest/gtest.h>

namespace {

using namespace oracle;
constexpr int rounds = sanitized ? 2000 : 40000;

TEST(quotient, reciprocals_agree_with_gmp) {
    random_source random{21};
    mpz_class const word = power_of_two(64);
    std::uint64_t const top = std::uint64_t{1} << 63;
    for (int i = 0; i < rounds; ++i) {
        std::uint64_t d = random_number(random, 64).get_ui() | top;
        if (i < 600) d = i % 2 == 0 ? top + static_cast<std::uint64_t>(i) : 0 - static_cast<std::uint64_t>(i + 1);
        mpz_class const expected = (word * word - 1) / mpz_class{d} - word;
        ASSERT_EQ(ex::reciprocal(d), expected.get_ui()) << std::hex << d;
    }
}

TEST(quotient, of_two_divisions_is_that_of_their_product) {
    random_source random{22};
    for (int i = 0; i < rounds; ++i) {
        std::uint64_t const n = random_count(random), m = random.coin() ? n : random_count(random);
        mpz_class const product = mpz_class{n} * mpz_class{m};
        mpz_class a = random_number(random, 600) + 1;
        if (i % 2 == 0) a = a * product + random.between(-1, 1); // next to an exact quotient
        ex::leading_bits value = leading_of(a, 5);
        mpz_class const kept = to_mpz(value);
        bool const dropped = value.sticky;
        int const exponent = value.exponent;
        ex::divide(value, n);
        ex::divide(value, m);
        // Powers of two move the exponent only: compare at the exponent before.
        mpz_class const moved = to_mpz(value);
        int const shift = exponent - value.exponent;
        mpz_class const divisor = product >> static_cast<mp_bitcnt_t>(shift);
        ASSERT_EQ(mpz_class{divisor << static_cast<mp_bitcnt_t>(shift)}, product);
        ASSERT_EQ(moved, mpz_class{kept / divisor}) << a << " / " << n << " / " << m;
        ASSERT_EQ(value.sticky, dropped || kept % divisor != 0) << a << " / " << n << " / " << m;
        ASSERT_TRUE(sgn(a) == 0 || bit_length(moved) >= 130) << a << " / " << n << " / " << m;
    }
}

TEST(quotient, of_the_largest_counts_keeps_enough_bits) {
    std::uint64_t const largest = ~std::uint64_t{0} >> 1;
    ex::leading_bits value = leading_of(power_of_two(1000) + 1);
    ex::divide(value, largest);
    ex::divide(value, largest);
    EXPECT_EQ(to_mpz(value), mpz_class{power_of_two(255) / (mpz_class{largest} * mpz_class{largest})});
    EXPECT_TRUE(value.sticky);
    EXPECT_GE(bit_length(to_mpz(value)), 130);
}

/// Runs of equal bits make estimated digits too large by one, and by two.
TEST(quotient, of_two_long_numbers_agrees_with_gmp) {
    random_source random{23};
    for (int i = 0; i < rounds; ++i) {
        mpz_class const a = random_number(random, i % 2 == 0 ? 4200 : 300) + 1;
        mpz_class const b = random_number(random, i % 3 == 0 ? 2100 : 200) + 1;
        int const of_a = random.between(-2000, 100), of_b = random.between(-1000, 100);
        bool const a_negative = random.coin(), b_negative = random.coin();
        digits const x = digits_of(a_negative ? mpz_class{-a} : a, of_a, random);
        digits const y = digits_of(b_negative ? mpz_class{-b} : b, of_b, random);
        ex::ratio_scratch scratch;
        ex::leading_bits const got = ex::ratio(ex::magnitude_of(x.span()), ex::magnitude_of(y.span()), scratch);
        mpz_class const quotient = to_mpz(got);
        ASSERT_EQ(bit_length(quotient), 256);
        ASSERT_EQ(got.negative, a_negative != b_negative);
        // |a| 2^of_a against |b| 2^of_b times the quotient, and times one that is more by less than its 190th bit.
        int const shift = got.exponent + of_b - of_a;
        mpz_class const low = quotient * b << static_cast<mp_bitcnt_t>(shift > 0 ? shift : 0);
        mpz_class const high = (quotient + power_of_two(65)) * b << static_cast<mp_bitcnt_t>(shift > 0 ? shift : 0);
        mpz_class const dividend = a << static_cast<mp_bitcnt_t>(shift < 0 ? -shift : 0);
        ASSERT_LE(low, dividend) << a << " / " << b;
        ASSERT_GT(high, dividend) << a << " / " << b;
        ASSERT_EQ(got.sticky, low != dividend) << a << " / " << b;
    }
}

void expect_root(ex::root_and_rest const& got, mpz_class const& radicand) {
    mpz_class const rest = (mpz_class{got.rest_high} << 64) + mpz_class{got.rest_low};
    ASSERT_EQ(mpz_class{got.root}, mpz_class{sqrt(radicand)}) << radicand;
    ASSERT_EQ(rest, radicand - mpz_class{got.root} * mpz_class{got.root}) << radicand;
}

/// Near a square of `bits` / 2 bits, or anything of `bits` or `bits` - 1 bits.
mpz_class random_radicand(random_source& random, int bits) {
    mpz_class const top = power_of_two(bits - 2), end = power_of_two(bits);
    mpz_class z = top + random_number(random, bits);
    if (random.coin()) {
        mpz_class const root = power_of_two(bits / 2 - 1) + random_number(random, bits / 2 - 1);
        z = root * root + 2 * random.between(0, 1) * root + random.between(-1, 1);
    }
    return z < top ? top : z >= end ? mpz_class{end - 1} : z;
}

TEST(root, of_words_agrees_with_gmp) {
    random_source random{23};
    for (int i = 0; i < rounds; ++i) {
        mpz_class const a = random_radicand(random, 32), b = random_radicand(random, 64),
                        c = random_radicand(random, 128);
        ASSERT_NO_FATAL_FAILURE(expect_root(ex::root_of_32_bits(static_cast<std::uint32_t>(a.get_ui())), a));
        ASSERT_NO_FATAL_FAILURE(expect_root(ex::root_of_64_bits(b.get_ui()), b));
        mpz_class const high = c >> 64, low = c - (high << 64);
        ASSERT_NO_FATAL_FAILURE(expect_root(ex::root_of_128_bits(high.get_ui(), low.get_ui()), c));
    }
}

TEST(root, of_the_smallest_and_largest_words) {
    std::uint64_t const all = ~std::uint64_t{0}, quarter = std::uint64_t{1} << 62;
    ASSERT_NO_FATAL_FAILURE(expect_root(ex::root_of_64_bits(all), power_of_two(64) - 1));
    ASSERT_NO_FATAL_FAILURE(expect_root(ex::root_of_64_bits(quarter), power_of_two(62)));
    ASSERT_NO_FATAL_FAILURE(expect_root(ex::root_of_128_bits(all, all), power_of_two(128) - 1));
    ASSERT_NO_FATAL_FAILURE(expect_root(ex::root_of_128_bits(quarter, 0), power_of_two(126)));
    ASSERT_NO_FATAL_FAILURE(expect_root(ex::root_of_128_bits(quarter, all), power_of_two(126) + power_of_two(64) - 1));
}

TEST(root, of_leading_bits_has_65_bits_and_knows_whether_there_are_more) {
    random_source random{24};
    for (int i = 0; i < rounds; ++i) {
        mpz_class a = random_number(random, i % 2 == 0 ? 500 : 100) + 1;
        if (i % 4 == 1) {
            mpz_class const root = random_number(random, 66) + 1; // often exactly representable, or a tie
            a = root * root * power_of_two(2 * random.between(0, 100)) + random.between(0, 1);
        }
        int const exponent = random.between(-3000, 3000);
        ex::leading_bits value = leading_of(a, exponent);
        ex::take_root(value);
        // a * 4^k, cut to an even exponent: its root must begin with the 65 bits.
        mpz_class const radicand = a * power_of_two(1000 + (exponent & 1));
        mpz_class const root = sqrt(radicand);
        int const below = bit_length(root) - 65;
        mpz_class const kept = root >> static_cast<mp_bitcnt_t>(below);
        ASSERT_EQ(to_mpz(value), kept << 191) << a << " * 2^" << exponent;
        ASSERT_EQ(value.exponent + 191, (exponent - 1000 - (exponent & 1)) / 2 + below) << a;
        ASSERT_EQ(value.sticky,
                  (kept << static_cast<mp_bitcnt_t>(below)) * (kept << static_cast<mp_bitcnt_t>(below)) != radicand)
            << a << " * 2^" << exponent;
    }
}

// Roots of 65 bits or fewer that are exact but for one bit, wherever it is.
TEST(root, a_single_far_bit_below_is_seen) {
    for (int gap = 1; gap < 200; ++gap)
        for (int const odd : {0, 1})
            for (int const small : {9, 25}) {                                 // of an even and an odd number of bits
                mpz_class const square = small * power_of_two(2 * gap + odd); // times 2^-odd
                for (int const bit : {0, 1, 2}) {
                    ex::leading_bits value = leading_of(square + bit, -odd);
                    ex::take_root(value);
                    ASSERT_EQ(value.sticky, bit != 0) << small << " " << gap << " " << odd << " " << bit;
                }
            }
}

TEST(root, of_zero_is_zero) {
    ex::leading_bits zero;
    ex::take_root(zero);
    EXPECT_TRUE(zero.is_zero() && !zero.sticky);
}

} // namespace
