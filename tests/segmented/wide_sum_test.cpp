// The short sums' rounding, means and roots against exact rationals.
#include "segmented/wide_sum.hpp"
#include "support/generators.hpp"
#include "support/oracle_round.hpp"

#include <gtest/gtest.h>

namespace {

namespace sf = steadfold;
using oracle::random_source;
using sf::operation;
using sf::segmented::wide_sum;

/// A sum as the library keeps it, and as an integer.
struct both {
    wide_sum wide;
    mpz_class exact;

    void add(std::int64_t digit, int shift) {
        wide.add(digit, shift);
        exact += mpz_class{static_cast<long>(digit)} << static_cast<unsigned>(shift);
    }
};

/// Digits of every length, with long runs of equal bits so that carries, ties and sticky bits occur.
std::int64_t random_digit(random_source& random) {
    std::uint64_t bits = random.bits() >> random.below(64);
    if (random.below(4) == 0) bits = std::uint64_t{1} << random.below(63);
    if (random.below(4) == 0) bits = (std::uint64_t{1} << random.below(63)) - 1;
    auto const digit = static_cast<std::int64_t>(bits & 0x7fffffffffffffffu);
    return random.coin() ? digit : -digit;
}

both random_sum(random_source& random) {
    both sum;
    // Around the places where the formats begin, end and lose bits.
    constexpr int places[] = {0,     -1,  -60, -64,  -100, -128, -160, -1074, -1022,
                              -1200, 900, 830, -149, -24,  16,   40,   -190};
    sum.wide.exponent = places[random.below(17)] + random.between(-3, 3);
    int const digits = random.between(0, 4);
    for (int i = 0; i < digits; ++i) sum.add(random_digit(random), static_cast<int>(random.below(128)));
    return sum;
}

void expect_rounded(both const& sum, operation op, std::uint64_t elements) {
    for (sf::dtype const type :
         {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16, sf::dtype::int8,
          sf::dtype::int32, sf::dtype::int64, sf::dtype::uint16, sf::dtype::uint64}) {
        sf::exact::rounded const got = round_sum(sum.wide, op, elements, type, [] { return true; });
        oracle::rational const exact{sum.exact, op == operation::mean ? mpz_class{elements} : mpz_class{1},
                                     sum.wide.exponent, op != operation::l2};
        oracle::rounded const expected =
            op == operation::l2 ? oracle::round_root(exact, type) : oracle::round_nearest(exact, type);
        std::uint64_t const mask = ~std::uint64_t{0} >> (64 - 8 * sf::size_bytes(type));
        ASSERT_EQ(got.bits, expected.bits & mask) << sum.exact.get_str(16) << " to " << sf::name(type);
        ASSERT_EQ(got.status, expected.status) << sum.exact.get_str(16) << " to " << sf::name(type);
    }
}

TEST(wide_sum, rounds_like_the_rational) {
    random_source random{1};
    for (int i = 0; i < 20000; ++i) expect_rounded(random_sum(random), operation::sum, 3);
}

TEST(wide_sum, makes_means_like_the_rational) {
    random_source random{2};
    for (int i = 0; i < 20000; ++i) {
        both sum = random_sum(random);
        std::uint64_t const elements = 1 + (random.bits() >> 1 >> random.below(63));
        if (random.coin()) { // a multiple, or next to one: quotients that are exact, or nearly
            both multiple;
            multiple.wide.exponent = sum.wide.exponent;
            multiple.add(static_cast<std::int64_t>(elements), random.between(0, 80));
            multiple.add(random.between(-1, 1), 0);
            sum = multiple;
        }
        expect_rounded(sum, operation::mean, elements);
    }
}

TEST(wide_sum, takes_roots_like_the_rational) {
    random_source random{3};
    for (int i = 0; i < 20000; ++i) {
        both sum = random_sum(random);
        if (random.coin()) { // the square of a number of up to 64 bits, or its neighbour
            mpz_class const root = static_cast<unsigned long>(random.bits() >> random.below(64));
            sum.exact = root * root + random.between(-1, 1);
            if (sum.exact < 0) sum.exact = 0;
            sum.wide.word[0] = mpz_class{sum.exact & mpz_class{~0ul}}.get_ui();
            sum.wide.word[1] = mpz_class{sum.exact >> 64}.get_ui();
            sum.wide.word[2] = 0;
        }
        if (sum.exact >= 0) expect_rounded(sum, operation::l2, 3);
    }
}

} // namespace
