// factor * (a0 + a1) - (b0^2 + b1^2) against GMP, also where everything cancels.
#include "exact/big.hpp"
#include "exact/combination.hpp"
#include "support/check.hpp"

#include <gtest/gtest.h>

namespace {

using namespace oracle;
constexpr int rounds = sanitized ? 300 : 6000;

/// A number of digits at a column of the layout.
struct term {
    mpz_class z;
    int column = 0; // of 2^32
    digits held;

    term() = default;
    term(mpz_class value, int first_column, random_source& random)
        : z{std::move(value)}, column{first_column}, held{digits_of(z, 32 * column, random)} {}
    [[nodiscard]] ex::magnitude_digits magnitude() const { return ex::magnitude_of(held.span()); }
    [[nodiscard]] mpz_class at(int lowest) const { return z << static_cast<mp_bitcnt_t>(32 * (column - lowest)); }
};

void expect_combination(std::uint64_t factor, term const (&a)[2], term const (&b)[2], std::string const& what) {
    constexpr int lowest = -100;
    mpz_class expected;
    for (term const& t : a) expected += mpz_class{factor} * t.at(lowest);
    for (term const& t : b) expected -= t.at(lowest / 2) * t.at(lowest / 2);
    ASSERT_GE(expected, 0) << what;
    ex::combination const terms{factor, {a[0].magnitude(), a[1].magnitude()}, {b[0].magnitude(), b[1].magnitude()}};
    std::uint64_t scratch[ex::combination_capacity];
    ex::digit_span const got = ex::combine(terms, scratch);
    ASSERT_LE(got.count, ex::combination_capacity) << what;
    mpz_class const value = value_of_limbs(got.limbs, got.count);
    ASSERT_EQ(value << static_cast<mp_bitcnt_t>(got.exponent - 32 * lowest), expected) << what;
    for (int i = 0; i < got.count; ++i) ASSERT_LE(got.limbs[i], ex::digit_mask) << what; // normalised
}

TEST(combination, of_sums_that_no_square_exceeds_agrees_with_gmp) {
    random_source random{41};
    for (int i = 0; i < rounds; ++i) {
        std::uint64_t const factor = random_count(random);
        int const column = random.between(-30, 0);
        term b[2], a[2];
        mpz_class squares;
        for (int c = 0; c < 1 + i % 2; ++c) {
            mpz_class z = random_number(random, i % 5 == 0 ? 2100 : 200);
            if (random.coin()) z = -z;
            b[c] = term{z, column, random};
            squares += z * z;
        }
        // Just enough, or a little or far more.
        mpz_class const least = (squares + mpz_class{factor} - 1) / mpz_class{factor};
        mpz_class const extra = random_number(random, i % 3 == 0 ? 1 : 300), share = random_number(random, 100);
        a[0] = term{least + extra, 2 * column, random};
        if (i % 2 != 0) a[1] = term{share, 2 * column, random};
        ASSERT_NO_FATAL_FAILURE(expect_combination(factor, a, b, std::to_string(i)));
    }
}

TEST(combination, of_equal_elements_is_zero) {
    random_source random{42};
    for (int i = 0; i < rounds / 4; ++i) {
        std::uint64_t const n = random_count(random);
        mpz_class const x = random_number(random, 53), sum = mpz_class{n} * x;
        int const column = random.between(-34, 20);
        term const a[2] = {{sum * x, 2 * column, random}, {}}, b[2] = {{-sum, column, random}, {}};
        ASSERT_NO_FATAL_FAILURE(expect_combination(n, a, b, x.get_str() + " x " + std::to_string(n)));
    }
}

TEST(combination, of_one_addend_far_below_the_other_keeps_both) {
    random_source random{43};
    term const none;
    for (int i = 0; i < rounds / 4; ++i) {
        term const a[2] = {{random_number(random, 90), random.between(-50, 0), random},
                           {random_number(random, 90), random.between(-50, 0), random}},
                   b[2] = {none, none};
        ASSERT_NO_FATAL_FAILURE(expect_combination(random.coin() ? 1 : random_count(random), a, b, std::to_string(i)));
    }
}

TEST(combination, of_the_longest_float64_sums_fits_the_scratch) {
    random_source random{44};
    std::uint64_t const n = ~std::uint64_t{0} >> 1;
    // All bits of all limbs of S2, and S1 as large as that allows: more than any data can fill.
    mpz_class const sum = power_of_two(2190) - 1;
    term const b[2] = {{-sum, -34, random}, {sum, -34, random}};
    term const a[2] = {{power_of_two(32 * 133 + 63) - 1, -68, random}, {power_of_two(32 * 133 + 63) - 1, -68, random}};
    expect_combination(n, a, b, "largest");
}

TEST(combination, of_nothing_is_zero) {
    std::uint64_t scratch[ex::combination_capacity];
    ex::digit_span const got = ex::combine({}, scratch);
    EXPECT_TRUE(ex::magnitude_of(got).top == 0);
}

} // namespace
