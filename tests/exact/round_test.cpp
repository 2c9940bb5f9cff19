// The one rounding at the end, against MPFR: divisions, roots, every format, ties and the edges of the range.
#include "exact/big.hpp"
#include "exact/quotient.hpp"
#include "exact/root.hpp"
#include "exact/round.hpp"
#include "support/check.hpp"
#include "support/number_formats.hpp"
#include "support/oracle_round.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace oracle;
constexpr int rounds = sanitized ? 400 : 6000;
constexpr sf::dtype all_types[] = {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16,
                                   sf::dtype::int8,    sf::dtype::int16,   sf::dtype::int32,   sf::dtype::int64,
                                   sf::dtype::uint8,   sf::dtype::uint16,  sf::dtype::uint32,  sf::dtype::uint64};

/// The library keeps narrow integers in their own width; results extend the sign later.
std::uint64_t in_width(std::uint64_t bits, sf::dtype type) {
    int const width = static_cast<int>(8 * sf::size_bytes(type));
    return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

void expect_rounded(ex::rounded const& got, rounded const& expected, sf::dtype type, std::string const& what) {
    ASSERT_EQ(in_width(got.bits, type), in_width(expected.bits, type)) << what << " to " << sf::name(type);
    ASSERT_EQ(sf::to_string(got.status), sf::to_string(expected.status)) << what << " to " << sf::name(type);
}

std::string text(mpz_class const& a, mpz_class const& b, int exponent) {
    return a.get_str(16) + " / " + b.get_str(16) + " * 2^" + std::to_string(exponent);
}

/// An exponent that puts a number of `bits` bits near the interesting edges of `type`.
int exponent_near_an_edge(random_source& random, sf::dtype type, int bits) {
    if (sf::is_integer(type)) return random.between(-3, static_cast<int>(8 * sf::size_bytes(type)) + 2) - bits;
    float_shape const shape = shape_of(type);
    int const edges[] = {0, shape.max_exponent, shape.min_exponent, shape.min_exponent - shape.precision};
    return edges[random.below(4)] + random.between(-4, 4) - bits;
}

/// a / n / m, normalised.
ex::leading_bits quotient(mpz_class const& a, int exponent, std::uint64_t n, std::uint64_t m) {
    ex::leading_bits value = leading_of(a, exponent);
    ex::divide(value, n);
    ex::divide(value, m);
    ex::normalise(value);
    return value;
}

ex::leading_bits root_of(ex::leading_bits value) {
    ex::take_root(value);
    return value;
}

TEST(round, integers_times_powers_of_two_agree_with_mpfr) {
    random_source random{31};
    for (sf::dtype const type : all_types)
        for (int i = 0; i < rounds; ++i) {
            mpz_class const a = random_number(random, 200);
            int const exponent = exponent_near_an_edge(random, type, bit_length(a));
            bool const negative = random.coin();
            mpz_class const z = negative ? mpz_class{-a} : a;
            ex::leading_bits value = leading_of(z, exponent);
            if (value.is_zero()) value.negative = negative;
            rational const expected{z, 1, exponent, negative};
            ASSERT_NO_FATAL_FAILURE(
                expect_rounded(ex::round_to(value, type), round_nearest(expected, type), type, text(a, 1, exponent)));
        }
}

TEST(round, quotients_and_their_roots_agree_with_mpfr) {
    random_source random{32};
    for (sf::dtype const type : all_types)
        for (int i = 0; i < rounds / 4; ++i) {
            std::uint64_t const n = random_count(random), m = i % 3 == 0 ? 1 : random_count(random);
            mpz_class const a = random_number(random, i % 4 == 0 ? 4000 : 120), b = mpz_class{n} * mpz_class{m};
            int const exponent = exponent_near_an_edge(random, type, bit_length(a) - bit_length(b)),
                      wide = random.coin() ? exponent : 2 * exponent;
            ASSERT_NO_FATAL_FAILURE(expect_rounded(ex::round_to(quotient(a, exponent, n, m), type),
                                                   round_nearest({a, b, exponent, false}, type), type,
                                                   text(a, b, exponent)));
            ASSERT_NO_FATAL_FAILURE(expect_rounded(ex::round_to(root_of(quotient(a, wide, n, m)), type),
                                                   round_root({a, b, wide, false}, type), type,
                                                   "root of " + text(a, b, wide)));
        }
}

// Quotients that lie on a tie, or off it by as little as a quotient by n m can.
TEST(round, quotients_next_to_a_tie_agree_with_mpfr) {
    random_source random{34};
    for (sf::dtype const type : all_types)
        for (int i = 0; i < rounds / 2; ++i) {
            std::uint64_t const n = random_count(random), m = random_count(random);
            int const precision =
                sf::is_integer(type) ? static_cast<int>(8 * sf::size_bytes(type)) - 1 : shape_of(type).precision;
            mpz_class const half_odd = power_of_two(precision) + (2 * random_number(random, precision - 1) + 1);
            mpz_class const b = mpz_class{n} * mpz_class{m};
            mpz_class const a = half_odd * b + random.between(-1, 1);
            int const exponent = sf::is_integer(type) ? -1 : exponent_near_an_edge(random, type, precision + 1);
            ASSERT_NO_FATAL_FAILURE(expect_rounded(ex::round_to(quotient(a, exponent, n, m), type),
                                                   round_nearest({a, b, exponent, false}, type), type,
                                                   text(a, b, exponent)));
        }
}

// A tie that only a bit thousands of places lower decides.
TEST(round, a_far_lower_bit_decides_a_tie) {
    for (sf::dtype const type : all_types)
        for (int gap = 1; gap < 2200; gap += 7)
            for (int const below : {-1, 0, 1}) {
                int const precision = sf::is_integer(type) ? 5 : shape_of(type).precision;
                mpz_class const a =
                    (power_of_two(precision) + 1 + 2 * (gap % 2)) * power_of_two(gap) + below; // odd and even ties
                int const exponent = (sf::is_integer(type) ? -1 : -precision) - gap;
                ASSERT_NO_FATAL_FAILURE(expect_rounded(ex::round_to(leading_of(a, exponent), type),
                                                       round_nearest({a, 1, exponent, false}, type), type,
                                                       text(a, 1, exponent)));
            }
}

// x = y^2 exactly, or off by one in the last place of a number four times as long: the hardest roots.
TEST(round, roots_next_to_a_tie_agree_with_mpfr) {
    random_source random{33};
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16})
        for (int i = 0; i < rounds; ++i) {
            int const precision = shape_of(type).precision;
            mpz_class const root = (mpz_class{1} << static_cast<mp_bitcnt_t>(precision)) +
                                   (mpz_class{random.bits()} >> static_cast<mp_bitcnt_t>(64 - precision));
            mpz_class const radicand =
                ((root * root) << 100) + random.between(-1, 1); // `root` has one bit too many: often a tie
            int const exponent = 2 * random.between(-3, 3) - 100 - 2 * precision;
            ASSERT_NO_FATAL_FAILURE(expect_rounded(ex::round_to(root_of(leading_of(radicand, exponent)), type),
                                                   round_root({radicand, 1, exponent, false}, type), type,
                                                   "root of " + text(radicand, 1, exponent)));
        }
}

TEST(round, every_half_and_bfloat16_rounds_to_itself) {
    for (sf::dtype const type : {sf::dtype::float16, sf::dtype::bfloat16})
        for (std::uint64_t bits = 0; bits < 65536; ++bits) {
            if (!std::isfinite(decode(bits, type))) continue;
            ex::rounded const back = ex::round_to(ex::leading_of_element(bits, type), type);
            ASSERT_EQ(back.bits, bits);
            ASSERT_EQ(back.status, sf::status_flags::none);
        }
}

TEST(round, zero_keeps_its_sign) {
    ex::leading_bits zero;
    EXPECT_EQ(ex::round_to(zero, sf::dtype::float64).bits, 0u);
    zero.negative = true;
    EXPECT_EQ(ex::round_to(zero, sf::dtype::float64).bits, 0x8000000000000000u);
    EXPECT_EQ(ex::round_to(zero, sf::dtype::float16).bits, 0x8000u);
    EXPECT_EQ(ex::round_to(zero, sf::dtype::uint8).bits, 0u);
}

TEST(round, nan_is_the_canonical_one_and_integers_say_invalid) {
    EXPECT_EQ(ex::make_nan(sf::dtype::float64, {}).bits, 0x7ff8000000000000u);
    EXPECT_EQ(ex::make_nan(sf::dtype::float32, {}).bits, 0x7fc00000u);
    EXPECT_EQ(ex::make_nan(sf::dtype::float16, {}).bits, 0x7e00u);
    EXPECT_EQ(ex::make_nan(sf::dtype::bfloat16, {}).bits, 0x7fc0u);
    EXPECT_EQ(ex::make_nan(sf::dtype::int32, {}).status,
              sf::status_flags::invalid); // a 0 that says nothing would be wrong
}

} // namespace
