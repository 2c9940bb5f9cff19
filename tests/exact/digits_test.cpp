// Deposits into limbs, carries and their head-room, against GMP.
#include "exact/big.hpp"
#include "exact/digits.hpp"
#include "exact/state.hpp"
#include "support/check.hpp"

#include <array>
#include <gtest/gtest.h>
#include <vector>

namespace {

using namespace oracle;

mpz_class signed_power(bool negative, std::uint64_t magnitude, int shift) {
    mpz_class z = mpz_class{magnitude} << static_cast<mp_bitcnt_t>(shift);
    return negative ? mpz_class{-z} : z;
}

TEST(digits, deposits_add_up) {
    random_source random{11};
    std::array<std::uint64_t, ex::sum_capacity> limbs{};
    mpz_class expected;
    for (int i = 0; i < (sanitized ? 2000 : 50000); ++i) {
        std::uint64_t const magnitude = random.bits() >> random.between(0, 63);
        int const exponent = random.between(-1088, 971);
        bool const negative = random.coin();
        ex::deposit(limbs.data(), -1088, negative, magnitude, exponent);
        expected += signed_power(negative, magnitude, exponent + 1088);
        if (i % 97 == 0) {
            ASSERT_EQ(value_of_limbs(limbs.data(), ex::sum_capacity), expected) << "deposit " << i;
        }
    }
    ex::normalise(limbs.data(), ex::sum_capacity);
    EXPECT_EQ(value_of_limbs(limbs.data(), ex::sum_capacity), expected);
}

TEST(digits, signed_deposits_take_the_lowest_integer) {
    for (std::int64_t const value : {INT64_MIN, INT64_MIN + 1, std::int64_t{-1}, std::int64_t{0}, INT64_MAX})
        for (int shift = 0; shift < 70; ++shift) {
            std::array<std::uint64_t, 6> limbs{};
            ex::deposit(limbs.data(), 0, value, shift);
            EXPECT_EQ(value_of_limbs(limbs.data(), 6), mpz_class{value} << static_cast<mp_bitcnt_t>(shift))
                << value << " " << shift;
        }
}

TEST(digits, normalised_limbs_are_canonical_and_keep_their_value) {
    random_source random{12};
    for (int i = 0; i < 3000; ++i) {
        int const count = random.between(1, 134);
        std::vector<std::uint64_t> limbs(static_cast<std::size_t>(count));
        for (auto& limb : limbs)
            limb = random.below(4) == 0 ? random.bits() : static_cast<std::uint64_t>(random.between(-2, 2));
        limbs.back() = static_cast<std::uint64_t>(static_cast<std::int64_t>(limbs.back()) >> 2);
        mpz_class const before = value_of_limbs(limbs.data(), count);
        ex::normalise(limbs.data(), count);
        ASSERT_EQ(value_of_limbs(limbs.data(), count), before);
        for (int k = 0; k + 1 < count; ++k) ASSERT_LE(limbs[static_cast<std::size_t>(k)], 0xffffffffu);
        ASSERT_EQ(ex::is_negative(limbs.data(), count), before < 0);
        auto const again = limbs;
        ex::normalise(limbs.data(), count);
        ASSERT_EQ(limbs, again);
    }
}

TEST(digits, equal_values_have_equal_limbs_however_they_were_deposited) {
    std::array<std::uint64_t, 8> one_way{}, other_way{};
    ex::deposit(one_way.data(), 0, std::int64_t{-1}, 5);
    for (int i = 0; i < 31; ++i) ex::deposit(other_way.data(), 0, std::int64_t{1}, 0);
    ex::deposit(other_way.data(), 0, std::int64_t{-63}, 0);
    ex::normalise(one_way.data(), 8);
    ex::normalise(other_way.data(), 8);
    EXPECT_EQ(one_way, other_way);
}

TEST(digits, two_to_the_30_largest_deposits_fit_one_limb) {
    for (bool const negative : {false, true}) {
        // Deposits of the largest digit, on top of a normalised limb that is already full.
        std::array<std::uint64_t, 4> limbs = {0xffffffffu, 0xffffffffu, 0xffffffffu, 0};
        mpz_class expected = value_of_limbs(limbs.data(), 4);
        auto const times = static_cast<std::uint64_t>(ex::deposits_before_normalise);
        std::array<std::uint64_t, 4> once{};
        ex::deposit(once.data(), 0, negative, ~std::uint64_t{0}, 17);
        for (std::size_t k = 0; k < 4; ++k) limbs[k] += times * once[k]; // what `times` plain adds come to
        expected += signed_power(negative, ~std::uint64_t{0}, 17) * mpz_class{times};
        ex::normalise(limbs.data(), 4);
        EXPECT_EQ(value_of_limbs(limbs.data(), 4), expected) << negative;
    }
}

// 2^63 elements of the largest magnitude fit, and the smallest lie on or above the anchor.
TEST(digits, layouts_hold_2_to_63_elements_of_every_type) {
    for (auto const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16,
                            sf::dtype::int8, sf::dtype::int64, sf::dtype::uint64}) {
        int const lowest = type == sf::dtype::float64    ? -1074
                           : type == sf::dtype::float32  ? -149
                           : type == sf::dtype::bfloat16 ? -133
                           : type == sf::dtype::float16  ? -24
                                                         : 0;
        int const highest = type == sf::dtype::float64   ? 1024
                            : type == sf::dtype::float16 ? 16
                            : sf::is_integer(type)       ? static_cast<int>(8 * sf::size_bytes(type))
                                                         : 128;
        ex::digit_layout const sums = ex::sum_layout(type), products = ex::product_layout(type);
        int const word = 64, digit = 32; // the last limb has all its bits
        EXPECT_LE(sums.anchor, lowest) << sf::name(type);
        EXPECT_LE(products.anchor, 2 * lowest) << sf::name(type);
        EXPECT_EQ(products.anchor, 2 * sums.anchor) << sf::name(type);
        EXPECT_GE(sums.anchor + digit * (sums.limbs - 1) + word - 1, highest + 63) << sf::name(type);
        EXPECT_GE(products.anchor + digit * (products.limbs - 1) + word - 1, 2 * highest + 63) << sf::name(type);
        EXPECT_LE(sums.limbs, ex::sum_capacity);
        EXPECT_LE(products.limbs, ex::product_capacity);
    }
}

} // namespace
