// The oracle itself against the processor's own correctly rounded operations and against known results.
#include "support/check.hpp"
#include "support/number_formats.hpp"
#include "support/oracle.hpp"
#include "support/oracle_round.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace oracle;
using sf::operation;

double of(std::vector<double> const& values, operation op, sf::reduce_options const& options = {}) {
    sample const s = sample_of(sf::dtype::float64, values, "");
    return std::bit_cast<double>(evaluate(summarise(s.bytes.data(), s.n, s.type), op, options).bits[0]);
}

TEST(oracle, agrees_with_the_processor_on_one_operation) {
    sample const s = generate(data_class::any_finite_bits, sf::dtype::float64, 4000, 41);
    for (std::int64_t i = 0; i + 1 < s.n; ++i) {
        double const a = std::bit_cast<double>(read_bits(s.at(i), 8)),
                     b = std::bit_cast<double>(read_bits(s.at(i + 1), 8));
        ASSERT_EQ(of({a, b}, operation::sum), a + b) << a << " " << b;
        ASSERT_EQ(of({a}, operation::sum_of_squares), a * a) << a;
        ASSERT_EQ(of({a, b}, operation::max), std::fmax(a, b));
        int exponent = 0;
        mpz_class const significand = std::ldexp(std::frexp(std::fabs(a), &exponent), 53);
        rounded const root = round_root({significand, 1, exponent - 53, false}, sf::dtype::float64);
        ASSERT_EQ(std::bit_cast<double>(root.bits), std::sqrt(std::fabs(a))) << a;
    }
}

TEST(oracle, narrow_formats_agree_with_the_processor) {
    random_source random{42};
    for (int i = 0; i < 20000; ++i) {
        double const value = std::ldexp(random.gaussian(), random.between(-170, 140));
        int exponent = 0;
        mpz_class const significand = std::ldexp(std::frexp(value, &exponent), 53);
        auto const narrow = round_nearest({significand, 1, exponent - 53, std::signbit(value)}, sf::dtype::float32);
        ASSERT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(narrow.bits)), static_cast<float>(value)) << value;
    }
}

TEST(oracle, every_half_and_bfloat16_survives_decoding_and_encoding) {
    for (sf::dtype const type : {sf::dtype::float16, sf::dtype::bfloat16})
        for (std::uint64_t bits = 0; bits < 65536; ++bits)
            ASSERT_EQ(encode(decode(bits, type), type),
                      std::isnan(decode(bits, type)) ? shape_of(type).canonical_nan : bits);
    EXPECT_EQ(decode(0x3c00, sf::dtype::float16), 1.0);
    EXPECT_EQ(decode(0x7bff, sf::dtype::float16), 65504.0);
    EXPECT_EQ(decode(0x0001, sf::dtype::float16), 0x1p-24);
    EXPECT_EQ(decode(0x3f80, sf::dtype::bfloat16), 1.0);
}

TEST(oracle, knows_a_few_results_by_heart) {
    EXPECT_EQ(of({DBL_MAX, DBL_MAX}, operation::mean), DBL_MAX);
    EXPECT_EQ(of({1, 2, 3, 4}, operation::variance), 1.25);
    EXPECT_EQ(of({1, 2, 3, 4}, operation::variance, {.ddof = 1}), 5.0 / 3.0);
    EXPECT_EQ(of({3e200, 4e200}, operation::l2), std::sqrt(25.0) * 1e200);
    EXPECT_EQ(of({1e100, 1.0, -1e100}, operation::sum), 1.0);
}

} // namespace
