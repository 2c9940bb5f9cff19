// Values that follow each other in a run of the folds: what is left of one of them may depend on those before it.
#include "reduce/on_cpu/cases.hpp"
#include "reduce/on_cpu/samples.hpp"
#include "support/check.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace oracle;
using namespace on_cpu;

constexpr std::int64_t count = 768; // several batches of a thread, the last one of them not whole

struct format {
    sf::dtype type;
    int bits; // of a significand
};
constexpr format formats[] = {{sf::dtype::float64, 53}, {sf::dtype::float32, 24}, {sf::dtype::bfloat16, 8}};

/// Odd multiples of 2^-exponent or of twice that, of either sign, and now and then a value that decides on the window.
/// The sum of those is 0, so that nothing of the others is lost where it is rounded.
std::vector<double> odd_multiples(int bits, int exponent, std::mt19937_64& random) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) {
        auto const odd = static_cast<double>((random() >> (64 - bits)) | 1);
        double const value = std::ldexp(random() % 2 == 0 ? odd : -odd, static_cast<int>(random() % 2) - exponent);
        values.push_back(i % 64 != 0 ? value : i % 128 == 0 ? 1.5 : -1.5);
    }
    return values;
}

/// With 53 bits one can see the lowest of a float32 fold, beside a sum of magnitudes.
sf::reduce_options const in_float64{.result = sf::dtype::float64};

void expect_right(sample const& s, sf::operation_set operations, launch_shape const& shape) {
    shifted const x{s, 0};
    sf::reduce_options const options = sf::is_complex(s.type) ? sf::reduce_options{} : in_float64;
    on_cpu::workspace work{s.type, operations, options};
    std::string const label = s.label + " " + to_string(operations);
    for (std::uint64_t seed : {1, 2}) // the second time under the window of the first
        expect_results(work.run({x.data, s.n, s.type}, {}, shape, seed), summarise(s.bytes.data(), s.n, s.type),
                       options, label + ", launch " + std::to_string(seed));
    EXPECT_TRUE(work.is_clean()) << label;
}

/// Wherever the window is, one of the exponents is that of half a unit of its folds: which way such a value is rounded,
/// and so what is left of it, depends on whether the sum of the run is even.
TEST(runs_on_cpu, rests_of_half_a_unit) {
    std::mt19937_64 random{11};
    std::size_t turn = 0;
    for (format const& f : formats) {
        bool const is_float64 = f.type == sf::dtype::float64;
        for (int exponent = is_float64 ? 66 : 38; exponent <= (is_float64 ? 100 : 56); ++exponent) {
            sample const s = as_sample(odd_multiples(f.bits, exponent, random), f.type,
                                       "multiples of 2^-" + std::to_string(exponent));
            for (sf::operation_set const operations : families(f.type))
                expect_right(s, operations, shapes[turn++ % std::size(shapes)]);
            if (f.type == sf::dtype::bfloat16) continue;
            sample pairs = s;
            pairs.type = is_float64 ? sf::dtype::complex128 : sf::dtype::complex64;
            pairs.n /= 2;
            for (sf::operation_set const operations : families(pairs.type))
                expect_right(pairs, operations, shapes[turn++ % std::size(shapes)]);
        }
    }
}

TEST(runs_on_cpu, rests_of_half_a_unit_of_products) {
    std::mt19937_64 random{12};
    for (format const& f : formats) {
        bool const is_float64 = f.type == sf::dtype::float64;
        for (int exponent = is_float64 ? 138 : 90; exponent <= (is_float64 ? 152 : 104); ++exponent) {
            sample const a = as_sample(odd_multiples(f.bits, exponent, random), f.type,
                                       "multiples of 2^-" + std::to_string(exponent)),
                         b = as_sample(std::vector<double>(count, 1.0), f.type, "ones");
            shifted const x{a, 0}, y{b, 0};
            on_cpu::workspace work{f.type, sf::operation::dot, in_float64};
            for (std::uint64_t seed : {1, 2})
                expect_results(work.run({x.data, count, f.type}, {y.data, count, f.type}, shapes[seed], seed),
                               summarise_pairs(a.bytes.data(), b.bytes.data(), count, f.type), in_float64, a.label);
        }
    }
}

/// As far from M as a run can get, on either side: behind ones, by which the window is chosen, so that it has no room
/// to spare for one of the powers.
TEST(runs_on_cpu, values_just_below_a_power_of_two) {
    for (format const& f : formats)
        for (double const sign : {1.0, -1.0})
            for (int power = 1; power <= 8; ++power) {
                double const most = sign * std::ldexp(1 - std::ldexp(1.0, -f.bits), power);
                std::vector<double> values(static_cast<std::size_t>(2 * count), sign);
                values.insert(values.end(), static_cast<std::size_t>(4 * count), most);
                sample const s = as_sample(values, f.type, "up to " + std::to_string(sign * std::ldexp(1.0, power)));
                for (sf::operation_set const operations : families(f.type)) expect_right(s, operations, shapes[0]);
            }
}

} // namespace
