// Central moments against the same sequence of roundings with the oracle's sums, and against values known by hand.
#include "steadfold/error.hpp"
#include "steadfold/moments.hpp"
#include "support/check.hpp"
#include "support/number_formats.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace oracle;
using sf::operation;
using sf::status_flags;

double mean_of(std::vector<double> const& x) {
    auto const* bytes = reinterpret_cast<std::byte const*>(x.data());
    return evaluate(summarise(bytes, static_cast<std::int64_t>(x.size()), sf::dtype::float64), operation::mean, {})
        .as_double();
}

std::vector<double> doubles_of(sample const& s) {
    std::vector<double> x;
    for (std::int64_t i = 0; i < s.n; ++i)
        x.push_back(sf::is_integer(s.type) ? static_cast<double>(read_integer(s.at(i), s.type))
                                           : decode(read_bits(s.at(i), sf::size_bytes(s.type)), s.type));
    return x;
}

sf::moments expected_of(sample const& s, bool ignore_nans) {
    std::vector<double> x = doubles_of(s), d2, d3, d4;
    sf::reduce_options const options{.nans = ignore_nans ? sf::nan_policy::ignore : sf::nan_policy::propagate,
                                     .result = sf::dtype::float64};
    sf::moments m;
    m.mean = evaluate(summarise(s.bytes.data(), s.n, s.type), operation::mean, options).as_double();
    if (ignore_nans) std::erase_if(x, [](double v) { return std::isnan(v); });
    m.count = static_cast<std::int64_t>(x.size());
    for (double const v : x) {
        double const d = v - m.mean;
        d2.push_back(d * d);
        d3.push_back(d2.back() * d);
        d4.push_back(d2.back() * d2.back());
    }
    m.second = mean_of(d2);
    m.third = mean_of(d3);
    m.fourth = mean_of(d4);
    m.skewness = m.third / (m.second * std::sqrt(m.second));
    m.kurtosis = m.fourth / (m.second * m.second) - 3;
    return m;
}

bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

void expect_moments(sf::moments const& got, sf::moments const& m, std::string const& label) {
    EXPECT_EQ(got.count, m.count) << label;
    EXPECT_TRUE(same(got.mean, m.mean)) << label;
    EXPECT_TRUE(same(got.second, m.second)) << label << " " << got.second << " " << m.second;
    EXPECT_TRUE(same(got.third, m.third)) << label << " " << got.third << " " << m.third;
    EXPECT_TRUE(same(got.fourth, m.fourth)) << label << " " << got.fourth << " " << m.fourth;
    if (has(got.status, status_flags::invalid) || has(got.status, status_flags::empty)) {
        EXPECT_TRUE(std::isnan(got.skewness) && std::isnan(got.kurtosis)) << label;
        return;
    }
    EXPECT_TRUE(same(got.skewness, m.skewness)) << label << " " << got.skewness << " " << m.skewness;
    EXPECT_TRUE(same(got.kurtosis, m.kurtosis)) << label << " " << got.kurtosis << " " << m.kurtosis;
}

TEST(moments, of_every_real_type_follow_the_documented_sequence) {
    for (int t = 0; t < sf::dtype_count; ++t) {
        auto const type = static_cast<sf::dtype>(t);
        if (sf::is_complex(type)) continue;
        for (data_class const which : classes_of(type))
            for (std::int64_t const n : {0, 1, 2, 3, 100, 40001}) {
                sample const s = generate(which, type, n, 31);
                for (bool const ignore : {false, true})
                    expect_moments(
                        sf::central_moments({}, s.view(),
                                            {.nans = ignore ? sf::nan_policy::ignore : sf::nan_policy::propagate}),
                        expected_of(s, ignore), s.label);
            }
    }
}

sf::moments of(std::vector<double> const& x) {
    return sf::central_moments({}, sf::view<double const>(x));
}

TEST(moments, of_small_samples_are_those_of_the_textbook) {
    sf::moments const m = of({1, 2, 3, 4, 10});
    EXPECT_EQ(m.mean, 4.0);
    EXPECT_EQ(m.second, 10.0);
    EXPECT_EQ(m.third, 36.0);
    EXPECT_EQ(m.fourth, 278.8);
    EXPECT_NEAR(m.skewness, 1.138419957660617, 1e-15);
    EXPECT_NEAR(m.kurtosis, -0.212, 1e-15);
    EXPECT_NEAR(m.corrected_skewness, 1.6970562748477143, 1e-14);
    EXPECT_NEAR(m.corrected_kurtosis, 3.152, 1e-14);
    EXPECT_EQ(m.status, status_flags::none);
    EXPECT_TRUE(std::isnan(of({1, 2}).corrected_skewness));
    EXPECT_FALSE(std::isnan(of({1, 2}).skewness));
    EXPECT_TRUE(std::isnan(of({1, 2, 4}).corrected_kurtosis));
}

TEST(moments, without_spread_or_elements_have_a_status) {
    EXPECT_EQ(of({3, 3, 3}).status, status_flags::invalid);
    EXPECT_TRUE(std::isnan(of({3, 3, 3}).skewness));
    EXPECT_EQ(of({}).status, status_flags::empty);
    EXPECT_EQ(of({1, NAN}).status, status_flags::invalid);
    EXPECT_EQ(of({1e200, -1e200}).status, status_flags::invalid); // the fourth powers overflow
    std::vector<std::int32_t> const x = {1, -9, 2, 3, 4, -9, 10};
    sf::moments const m = sf::central_moments({}, sf::view<std::int32_t const>(x), {.missing = -9});
    EXPECT_EQ(m.count, 5);
    EXPECT_EQ(m.fourth, 278.8);
    EXPECT_THROW((void)sf::central_moments({}, {nullptr, 0, sf::dtype::complex64}), sf::argument_error);
}

} // namespace
