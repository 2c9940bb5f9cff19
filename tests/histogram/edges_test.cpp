// Edges of uniform bins are the exact values rounded once: checked with rationals. Bad bins are named.
#include "steadfold/error.hpp"
#include "steadfold/histogram.hpp"
#include "support/generators.hpp"

#include <bit>
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <gmpxx.h>
#include <gtest/gtest.h>
#include <limits>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

using namespace oracle;

/// Distance to the exact edge, in rationals.
mpq_class distance(double x, mpq_class const& exact) {
    return abs(mpq_class(x) - exact);
}

bool is_even(double x) {
    return (std::bit_cast<std::uint64_t>(x) & 1) == 0;
}

/// Nearest double, and the even one of two as near.
void expect_nearest(double got, mpq_class const& exact, std::string const& label) {
    double const infinity = std::numeric_limits<double>::infinity();
    for (double const other : {std::nextafter(got, infinity), std::nextafter(got, -infinity)}) {
        if (!std::isfinite(other)) continue;
        int const order = cmp(distance(got, exact), distance(other, exact));
        EXPECT_TRUE(order < 0 || (order == 0 && is_even(got))) << label << ": " << got << " rather than " << other;
    }
}

void check_edge(sf::histogram_bins const& bins, std::int64_t i, std::string const& label) {
    auto const count = static_cast<long>(bins.count()), at = static_cast<long>(i);
    double const edge = bins.edges()[static_cast<std::size_t>(i)];
    mpq_class const low{bins.edges().front()}, high{bins.edges().back()};
    expect_nearest(edge, (low * (count - at) + high * at) / count, label + " edge " + std::to_string(i));
    EXPECT_FALSE(edge == 0 && std::signbit(edge)) << label << " edge " << i;
}

/// Every edge, or every `step`th one and the last.
void check_edges(double low, double high, std::int64_t count, std::int64_t step = 1) {
    std::string const label =
        std::to_string(count) + " bins from " + std::to_string(low) + " to " + std::to_string(high);
    sf::histogram_bins const bins = sf::uniform_bins(low, high, count);
    ASSERT_EQ(bins.count(), count) << label;
    ASSERT_EQ(bins.edges().size(), static_cast<std::size_t>(count) + 1) << label;
    EXPECT_TRUE(bins.uniform());
    for (std::int64_t i = 0; i < count; i += step) check_edge(bins, i, label);
    EXPECT_EQ(bins.edges().front(), low);
    EXPECT_EQ(bins.edges().back(), high);
}

TEST(edges, of_uniform_bins_are_rounded_once) {
    constexpr double tiny = DBL_TRUE_MIN, eps = DBL_EPSILON;
    for (std::int64_t const count : {1, 2, 3, 7, 10, 64, 999}) {
        check_edges(0, 1, count);
        check_edges(-1, 1, count);
        check_edges(-0.1, 0.3, count);
        check_edges(-DBL_MAX, DBL_MAX, count);
        check_edges(DBL_MAX / 2, DBL_MAX, count);
        check_edges(-DBL_MAX, tiny, count);
        check_edges(-tiny, DBL_MAX, count);
        check_edges(1, 1e15, count);
        check_edges(-1e-300, 1, count);
        check_edges(1 - eps / 2, 1e16 + 2, count);
        check_edges(0, static_cast<double>(count) * tiny, count);
        check_edges(-DBL_MIN, DBL_MIN, count);
        check_edges(-DBL_MIN - 5 * tiny, 3 * DBL_MIN, count);
        check_edges(1, 1 + static_cast<double>(count) * eps, count);
        check_edges(-1e16, -1e16 + 2 * static_cast<double>(count), count);
    }
    check_edges(-3 * tiny, 4 * tiny, 5); // -0.2 and below -0.5 of the smallest number become +0
    check_edges(-2 * tiny, tiny, 2);
    EXPECT_EQ(sf::uniform_bins(0, 1, 10).edges()[3], 0.3);
    EXPECT_FALSE(std::signbit(sf::uniform_bins(-1, 1, 2).edges()[1]));
    EXPECT_FALSE(std::signbit(sf::uniform_bins(-0.0, 1, 2).edges()[0]));
}

TEST(edges, between_any_numbers_are_rounded_once) {
    random_source random{1};
    for (data_class const which : {data_class::any_finite_bits, data_class::log_normal, data_class::subnormals,
                                   data_class::gaussian, data_class::outliers}) {
        sample const s = generate(which, sf::dtype::float64, 400, 5);
        auto const* values = reinterpret_cast<double const*>(s.bytes.data());
        for (int i = 0; i + 1 < 400; i += 2) {
            double const low = std::min(values[i], values[i + 1]), high = std::max(values[i], values[i + 1]);
            auto const count = static_cast<std::int64_t>(1) << random.between(0, 24);
            std::int64_t const bins = std::max<std::int64_t>(1, count - random.below(count));
            if (bins <= 20000 &&
                high - low > static_cast<double>(bins) * std::max(std::abs(low), std::abs(high)) * 1e-15)
                check_edges(low, high, bins, 1 + bins / 50);
        }
    }
}

TEST(edges, of_a_million_bins_and_more) {
    check_edges(-1, 3, 1 << 20, 4099);
    check_edges(1, 2, 1000003, 4099);
    check_edges(-DBL_MAX, 0x1p100, sf::max_histogram_bins, 1000003);
}

// With n bins, edge 1 is (n - 1) low / n + high / n. Here low and high are chosen (49 bits apart) so that it is
// -(m 2^49 + 2^48 + 1/n), m even: halfway between two doubles but for the remainder of the division.
TEST(edges, halfway_but_for_the_last_remainder_are_rounded_once) {
    std::int64_t const n = (1 << 20) + 1;
    int cases = 0;
    for (std::int64_t s = std::int64_t{1} << 32; cases < 20; ++s)
        for (std::int64_t const c : {17, 19, 31}) {
            std::int64_t const low = (c + n * (2 * s + 1)) / 2, m = low - s - 1;
            ASSERT_GE(m, std::int64_t{1} << 52);
            ASSERT_LT(low, std::int64_t{1} << 53);
            if (m % 2 != 0) continue;
            sf::histogram_bins const bins =
                sf::uniform_bins(-std::ldexp(static_cast<double>(low), 49), -static_cast<double>((c << 48) + 1), n);
            EXPECT_EQ(bins.edges()[1], -std::ldexp(static_cast<double>(m + 1), 49));
            check_edge(bins, 1, "halfway");
            ++cases;
        }
}

TEST(edges, do_not_depend_on_the_callers_floating_point_environment) {
    auto const make = [] {
        return std::vector{sf::uniform_bins(-0.1, 0.7, 1000), sf::uniform_bins(-1e-320, 7e-315, 1000),
                           sf::bin_edges({-DBL_TRUE_MIN, 0, DBL_TRUE_MIN})};
    };
    std::vector<sf::histogram_bins> const expected = make();
    for (int const mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
#if defined(__x86_64__)
        unsigned const before = _mm_getcsr();
        _mm_setcsr(before | 0x8040u); // flush to zero, denormals are zero
#endif
        std::vector<sf::histogram_bins> const got = make();
#if defined(__x86_64__)
        _mm_setcsr(before);
#endif
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(got, expected);
    }
}

template <class Call>
void expect_refused(Call const& call, std::vector<std::string> const& words) {
    try {
        call();
        ADD_FAILURE() << "not refused; expected a message with " << words.front();
    } catch (sf::argument_error const& e) {
        for (std::string const& word : words)
            EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "no \"" << word << "\" in: " << e.what();
    }
}

TEST(edges, that_make_no_bins_are_named) {
    double const nan = std::nan(""), infinity = HUGE_VAL;
    expect_refused([] { (void)sf::uniform_bins(1, 1, 3); }, {"from 1 to 1"});
    expect_refused([] { (void)sf::uniform_bins(0.0, -0.0, 3); }, {"from 0 to -0"});
    expect_refused([] { (void)sf::uniform_bins(2, 1, 3); }, {"from 2 to 1"});
    expect_refused([&] { (void)sf::uniform_bins(nan, 1, 3); }, {"nan"});
    expect_refused([&] { (void)sf::uniform_bins(0, infinity, 3); }, {"inf", "finite"});
    expect_refused([] { (void)sf::uniform_bins(0, 1, 0); }, {"0 bins", "16777216"});
    expect_refused([] { (void)sf::uniform_bins(0, 1, -5); }, {"-5 bins"});
    expect_refused([] { (void)sf::uniform_bins(0, 1, sf::max_histogram_bins + 1); }, {"16777217 bins"});
    expect_refused([] { (void)sf::uniform_bins(1, 1 + 64 * DBL_EPSILON, 65); }, {"no room for 65 bins", "edges"});
    expect_refused([] { (void)sf::bin_edges({}); }, {"0 edges"});
    expect_refused([] { (void)sf::bin_edges({1}); }, {"1 edges"});
    expect_refused([] { (void)sf::bin_edges({0, 1, 1}); }, {"edge 1 is 1", "edge 2 is 1"});
    expect_refused([] { (void)sf::bin_edges({-0.0, 0.0}); }, {"increase"});
    expect_refused([] { (void)sf::bin_edges({3, 2}); }, {"edge 0 is 3", "edge 1 is 2"});
    expect_refused([&] { (void)sf::bin_edges({0, nan, 1}); }, {"edge 1 is nan"});
    expect_refused([&] { (void)sf::bin_edges({0, infinity}); }, {"edge 1 is inf"});
}

TEST(edges, given_are_kept) {
    sf::histogram_bins const bins = sf::bin_edges({-0.0, 1, 10});
    EXPECT_EQ(bins.count(), 2);
    EXPECT_FALSE(bins.uniform());
    EXPECT_FALSE(std::signbit(bins.edges()[0]));
    EXPECT_EQ(bins, sf::bin_edges({0, 1, 10}));
    EXPECT_NE(bins, sf::bin_edges({0, 1, 11}));
    EXPECT_EQ(sf::bin_edges({0, 1, 2}), sf::uniform_bins(0, 2, 2));
}

} // namespace
