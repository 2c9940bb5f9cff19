// Single values and products taken apart as integers: every class of value, against GMP.
#include "exact/big.hpp"
#include "exact/element.hpp"
#include "exact/window.hpp"
#include "support/check.hpp"
#include "support/number_formats.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace oracle;

/// value * 2^1074, from the double itself.
mpz_class units(double value) {
    int exponent = 0;
    double const fraction = std::frexp(value, &exponent);
    mpz_class const significand = std::ldexp(fraction, 53);
    int const shift = exponent - 53 + 1074;
    return shift >= 0 ? mpz_class{significand << static_cast<mp_bitcnt_t>(shift)}
                      : mpz_class{significand / (mpz_class{1} << static_cast<mp_bitcnt_t>(-shift))};
}

TEST(deposit, values_of_every_magnitude_arrive_exactly) {
    for (auto const which : {data_class::any_finite_bits, data_class::subnormals, data_class::near_overflow}) {
        sample const s = generate(which, sf::dtype::float64, sanitized ? 300 : 5000, 21);
        for (std::int64_t i = 0; i < s.n; ++i) {
            std::uint64_t const bits = read_bits(s.at(i), 8);
            std::array<std::uint64_t, ex::sum_capacity> limbs{};
            ex::deposit_value(limbs.data(), -1088, bits);
            ASSERT_EQ(value_of_limbs(limbs.data(), ex::sum_capacity), units(std::bit_cast<double>(bits)) << 14)
                << std::hex << bits;
        }
    }
}

TEST(deposit, products_of_every_magnitude_arrive_exactly) {
    for (int c = 1; c < 5; ++c) {
        auto const [x, y] = generate_pair(static_cast<pair_class>(c), sf::dtype::float64, sanitized ? 300 : 3000, 22);
        for (std::int64_t i = 0; i < x.n; ++i) {
            std::uint64_t const a = read_bits(x.at(i), 8), b = read_bits(y.at(i), 8);
            std::array<std::uint64_t, ex::product_capacity> limbs{};
            ex::deposit_product(limbs.data(), -2176, a, b);
            mpz_class const expected = units(std::bit_cast<double>(a)) * units(std::bit_cast<double>(b)) << 28;
            ASSERT_EQ(value_of_limbs(limbs.data(), ex::product_capacity), expected) << std::hex << a << " * " << b;
        }
    }
}

TEST(deposit, narrow_types_never_reach_below_their_anchor) {
    for (auto const type : {sf::dtype::float16, sf::dtype::bfloat16}) {
        ex::digit_layout const sums = ex::sum_layout(type), products = ex::product_layout(type);
        for (std::uint64_t bits = 0; bits < 65536; ++bits) {
            double const value = decode(bits, type);
            if (!std::isfinite(value)) continue;
            std::array<std::uint64_t, 24> sum{}, product{}; // some limbs more than the layout, which must stay 0
            ex::deposit_value(sum.data(), sums.anchor, std::bit_cast<std::uint64_t>(value));
            ex::deposit_product(product.data(), products.anchor, std::bit_cast<std::uint64_t>(value),
                                std::bit_cast<std::uint64_t>(value));
            mpz_class const unit = units(value);
            auto const below = static_cast<mp_bitcnt_t>(1074 + sums.anchor);
            ASSERT_EQ(value_of_limbs(sum.data(), sums.limbs) << below, unit) << std::hex << bits;
            ASSERT_EQ(value_of_limbs(product.data(), products.limbs) << 2 * below, unit * unit) << std::hex << bits;
        }
    }
}

TEST(deposit, decomposition_reads_every_half_and_bfloat16) {
    for (auto const type : {sf::dtype::float16, sf::dtype::bfloat16})
        for (std::uint64_t bits = 0; bits < 65536; ++bits) {
            ex::decomposed const parts = ex::decompose(bits, ex::format_of(type));
            double const value = decode(bits, type);
            ASSERT_EQ(parts.kind == ex::float_class::nan, std::isnan(value)) << std::hex << bits;
            ASSERT_EQ(parts.kind == ex::float_class::infinite, std::isinf(value)) << std::hex << bits;
            ASSERT_EQ(parts.kind == ex::float_class::zero, value == 0) << std::hex << bits;
            if (std::isnan(value)) continue;
            ASSERT_EQ(parts.negative, std::signbit(value)) << std::hex << bits;
            if (std::isinf(value)) continue;
            ASSERT_EQ(std::ldexp(static_cast<double>(parts.significand), parts.exponent), std::fabs(value))
                << std::hex << bits;
        }
}

TEST(ordered_key, orders_as_numbers_with_minus_zero_below_plus_zero) {
    sample const s = generate(data_class::any_finite_bits, sf::dtype::float64, 3000, 23);
    for (std::int64_t i = 0; i + 1 < s.n; ++i) {
        std::uint64_t const a = read_bits(s.at(i), 8), b = read_bits(s.at(i + 1), 8);
        ASSERT_EQ(ex::ordered_key(a) < ex::ordered_key(b), std::bit_cast<double>(a) < std::bit_cast<double>(b));
        ASSERT_EQ(ex::bits_of_key(ex::ordered_key(a)), a);
    }
    EXPECT_LT(ex::ordered_key(std::bit_cast<std::uint64_t>(-0.0)), ex::ordered_key(0));
    EXPECT_EQ(ex::ordered_key(std::bit_cast<std::uint64_t>(HUGE_VAL)), 0x7ff0000000000000);
}

TEST(window, takes_every_value_it_accepts_in_range_of_its_first_fold) {
    for (int top = -1100; top < 1030; ++top)
        for (int const spacing : {42, 51}) {
            ex::fold_window const window = ex::make_window(top, spacing, -1074);
            double const limit = std::bit_cast<double>(window.limit_bits);
            double const magic = std::bit_cast<double>(window.magic_bits[0]);
            ASSERT_TRUE(std::isfinite(magic + limit)) << top;
            for (int i = 0; i < ex::max_folds; ++i) { // magic numbers are normal, and no fold reaches below the floor
                ASSERT_GE(window.exponent[i], -1074) << top;
                ASSERT_EQ(std::bit_cast<double>(window.magic_bits[i]), std::ldexp(1.5, window.exponent[i] + 52)) << top;
            }
            for (double const x : {limit, -limit}) { // stays in the binade of M, where one unit of bits is 2^k
                ASSERT_GE(magic + x, std::ldexp(1.0, window.exponent[0] + 52)) << top;
                ASSERT_LT(magic + x, std::ldexp(1.0, window.exponent[0] + 53)) << top;
            }
        }
}

TEST(window, top_for_a_magnitude_is_the_smallest_that_holds_it) {
    for (int e = -1022; e < 1023; ++e) {
        double const above = std::nextafter(std::ldexp(1.0, e), HUGE_VAL);
        EXPECT_EQ(ex::window_top_for(std::bit_cast<std::uint64_t>(above)), e + 1) << e;
    }
}

} // namespace
