// Complex dots, conjugated or not, and weighted means, against exact rationals and in every way to run them.
#include "steadfold/error.hpp"
#include "steadfold/pairs.hpp"
#include "support/check.hpp"
#include "support/oracle_made.hpp"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace oracle;
using sf::operation;
using sf::status_flags;
constexpr double inf = std::numeric_limits<double>::infinity(), nan_value = std::numeric_limits<double>::quiet_NaN();

sf::result_value run(sample_pair const& pair, operation op, sf::reduce_options const& options,
                     std::int64_t piece = 1 << 30, int threads = 1) {
    sf::reduction reduction{pair.x.type, op, options, {.threads = threads}};
    for (std::int64_t first = 0; first < pair.x.n; first += piece) {
        std::int64_t const count = std::min(piece, pair.x.n - first);
        reduction.add_products(pair.x.part(first, count), pair.y.part(first, count));
    }
    return reduction.finish()[op];
}

constexpr sf::dtype complexes[] = {sf::dtype::complex64, sf::dtype::complex128};

TEST(complex_dot, of_every_class_is_exact_in_both_parts) {
    for (sf::dtype const type : complexes)
        for (int which = 0; which < pair_class_count; ++which)
            for (std::int64_t const n : {0, 1, 2, 17, 3000})
                for (std::uint64_t seed = 1; seed < 6; ++seed) {
                    sample_pair const pair = generate_pair(static_cast<pair_class>(which), type, n, seed);
                    for (auto const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore}) {
                        sf::reduce_options const options{.nans = nans};
                        expect_same(run(pair, operation::dot, options), complex_dot(pair, false, options),
                                    operation::dot, pair.x.label);
                        expect_same(run(pair, operation::dot_conjugated, options), complex_dot(pair, true, options),
                                    operation::dot_conjugated, pair.x.label);
                    }
                }
}

TEST(complex_dot, is_the_same_in_any_pieces_and_threads) {
    for (sf::dtype const type : complexes)
        for (int which = 0; which < pair_class_count; ++which) {
            sample_pair const pair = generate_pair(static_cast<pair_class>(which), type, 50001, 7);
            sf::result_value const expected = run(pair, operation::dot_conjugated, {});
            EXPECT_EQ(run(pair, operation::dot_conjugated, {}, 40000, 3), expected) << pair.x.label;
            EXPECT_EQ(run(pair, operation::dot_conjugated, {}, 777), expected) << pair.x.label;
        }
}

TEST(complex_dot, conjugates_the_first_array) {
    using complex = std::complex<double>;
    std::vector<complex> const x = {{1, 2}}, y = {{3, 4}};
    EXPECT_EQ(sf::dot({}, sf::view<complex const>(x), sf::view<complex const>(y)), complex(-5, 10));
    EXPECT_EQ(sf::dot_conjugated({}, sf::view<complex const>(x), sf::view<complex const>(y)), complex(11, -2));
    std::vector<double> const a = {1, 2}, b = {3, 4};
    EXPECT_EQ(sf::dot_conjugated({}, sf::view<double const>(a), sf::view<double const>(b)), 11.0);
}

TEST(complex_dot, in_fast_mode_is_near) {
    using complex = std::complex<double>;
    std::vector<complex> const x(5000, {0.1, 0.2}), y(5000, {0.3, -0.7});
    auto const near = sf::dot_conjugated({}, sf::view<complex const>(x), sf::view<complex const>(y),
                                         {.mode = sf::reduction_mode::fast});
    auto const exact = sf::dot_conjugated({}, sf::view<complex const>(x), sf::view<complex const>(y));
    EXPECT_LT(std::abs(near - exact), 1e-9);
    EXPECT_NE(exact, complex{});
}

TEST(weighted_mean, of_every_type_and_class_is_the_rational_rounded_once) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16,
                                 sf::dtype::int8, sf::dtype::int64, sf::dtype::uint32, sf::dtype::uint64})
        for (int which = 0; which < pair_class_count; ++which)
            for (std::int64_t const n : {0, 1, 2, 3, 17, 3000})
                for (std::uint64_t seed = 1; seed < 6; ++seed) {
                    sample_pair const pair = generate_pair(static_cast<pair_class>(which), type, n, seed);
                    for (auto const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore}) {
                        sf::reduce_options options{.nans = nans};
                        if (seed == 4) options.result = sf::dtype::bfloat16;
                        if (seed == 5) options.result = sf::dtype::int16;
                        expect_same(run(pair, operation::weighted_mean, options), weighted_mean(pair, options),
                                    operation::weighted_mean, pair.x.label + " . " + pair.y.label);
                    }
                }
}

TEST(weighted_mean, is_the_same_in_any_pieces_and_threads) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float16, sf::dtype::int32})
        for (int which = 0; which < pair_class_count; ++which) {
            sample_pair const pair = generate_pair(static_cast<pair_class>(which), type, 50001, 7);
            sf::result_value const expected = weighted_mean(pair, {});
            expect_same(run(pair, operation::weighted_mean, {}, 40000, 3), expected, operation::weighted_mean, "");
            expect_same(run(pair, operation::weighted_mean, {}, 777), expected, operation::weighted_mean, "");
        }
}

double mean(std::vector<double> const& w, std::vector<double> const& x, status_flags* status = nullptr) {
    auto const value =
        sf::weighted_mean({}, sf::array_view(sf::view<double const>(w)), sf::array_view(sf::view<double const>(x)));
    if (status) *status = value.status;
    return value.as_double();
}

TEST(weighted_mean, of_special_values_is_documented) {
    status_flags status{};
    EXPECT_EQ(mean({1, 2}, {3, 6}), 5.0);
    EXPECT_EQ(mean({1e308, 1e308}, {1e308, 1e308}), 1e308);
    EXPECT_EQ(mean({1, 2}, {0x1p-1074, 0x1p-1074}), 0x1p-1074);
    EXPECT_TRUE(std::isnan(mean({1, -1}, {3, 6}, &status)));
    EXPECT_EQ(status, status_flags::invalid);
    EXPECT_TRUE(std::isnan(mean({inf, 1}, {3, 6}, &status)));
    EXPECT_EQ(status, status_flags::invalid);
    EXPECT_EQ(mean({-2, 1}, {inf, 6}, &status), inf);
    EXPECT_EQ(status, status_flags::none);
    EXPECT_TRUE(std::isnan(mean({0, 1}, {inf, 6}, &status)));
    EXPECT_TRUE(std::isnan(mean({1, nan_value}, {3, 6}, &status)));
    EXPECT_EQ(status, status_flags::none);
    EXPECT_TRUE(std::isnan(mean({}, {}, &status)));
    EXPECT_EQ(status, status_flags::empty);
}

TEST(pairs, refuse_what_they_cannot_do) {
    EXPECT_THROW((sf::reduction{sf::dtype::complex64, operation::weighted_mean}), sf::argument_error);
    EXPECT_THROW((sf::reduction{sf::dtype::float64, sf::operation_set{operation::dot} | operation::dot_conjugated}),
                 sf::argument_error);
    EXPECT_THROW((sf::reduction{sf::dtype::int32, operation::weighted_mean, {.missing = 1}}), sf::argument_error);
}

} // namespace
