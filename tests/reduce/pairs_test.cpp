// Complex dots, conjugated or not, and weighted means, against exact rationals and in every way to run them.
#include "steadfold/error.hpp"
#include "steadfold/pairs.hpp"
#include "support/check.hpp"
#include "support/number_formats.hpp"
#include "support/oracle_round.hpp"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace oracle;
using sf::operation;
using sf::status_flags;
constexpr double inf = std::numeric_limits<double>::infinity(), nan_value = std::numeric_limits<double>::quiet_NaN();

bool is_nan_at(sample const& s, std::int64_t i) {
    if (sf::is_integer(s.type)) return false;
    sf::dtype const real = sf::component_type(s.type);
    for (std::size_t c = 0; c < static_cast<std::size_t>(sf::component_count(s.type)); ++c)
        if (std::isnan(decode(read_bits(s.at(i) + c * sf::size_bytes(real), sf::size_bytes(real)), real))) return true;
    return false;
}

/// The pairs without a NaN in them.
sample_pair without_nan(sample_pair const& pair) {
    sample_pair kept{{pair.x.type, 0, {}, pair.x.label}, {pair.y.type, 0, {}, pair.y.label}};
    for (std::int64_t i = 0; i < pair.x.n; ++i) {
        if (is_nan_at(pair.x, i) || is_nan_at(pair.y, i)) continue;
        for (auto const& [from, to] : {std::pair{&pair.x, &kept.x}, std::pair{&pair.y, &kept.y}}) {
            to->bytes.insert(to->bytes.end(), from->at(i), from->at(i) + sf::size_bytes(from->type));
            ++to->n;
        }
    }
    return kept;
}

/// One part of a complex product sum as a dot of twice as many real pairs.
sf::result_value part_of_dot(sample_pair const& pair, bool imaginary, bool conjugated,
                             sf::reduce_options const& options) {
    sf::dtype const real = sf::component_type(pair.x.type);
    std::size_t const bytes = sf::size_bytes(real);
    std::vector<std::byte> x, y;
    auto const push = [&](std::byte const* a, std::byte const* b, bool negative) {
        x.insert(x.end(), a, a + bytes);
        y.insert(y.end(), b, b + bytes);
        if (negative) x.back() ^= std::byte{0x80};
    };
    for (std::int64_t i = 0; i < pair.x.n; ++i) {
        std::byte const *a = pair.x.at(i), *b = pair.y.at(i);
        push(a, imaginary ? b + bytes : b, false);
        push(a + bytes, imaginary ? b : b + bytes, imaginary == conjugated);
    }
    return evaluate(summarise_pairs(x.data(), y.data(), 2 * pair.x.n, real), operation::dot, options);
}

sf::result_value complex_dot(sample_pair const& pair, bool conjugated, sf::reduce_options const& options) {
    sample_pair const kept = without_nan(pair);
    bool const poisoned = options.nans == sf::nan_policy::propagate && kept.x.n < pair.x.n;
    sf::result_value const real = part_of_dot(kept, false, conjugated, options);
    sf::result_value const imaginary = part_of_dot(kept, true, conjugated, options);
    sf::dtype const type = real.type == sf::dtype::float64 ? sf::dtype::complex128 : sf::dtype::complex64;
    if (!poisoned) return {type, {real.bits[0], imaginary.bits[0]}, real.status | imaginary.status};
    std::uint64_t const bits = oracle::nan(real.type, status_flags::none).bits;
    return {type, {bits, bits}, status_flags::none};
}

sf::result_value weighted(sample_pair const& pair, sf::reduce_options const& options) {
    sample_pair const kept = without_nan(pair);
    sf::dtype const type = options.result.value_or(sf::default_real_type(pair.x.type));
    auto const value = [&]() -> rounded {
        if (options.nans == sf::nan_policy::propagate && kept.x.n < pair.x.n) return nan(type, status_flags::none);
        if (kept.x.n == 0) return nan(type, status_flags::empty);
        summary const w = summarise(kept.x.bytes.data(), kept.x.n, pair.x.type);
        summary const p = summarise_pairs(kept.x.bytes.data(), kept.y.bytes.data(), kept.x.n, pair.x.type);
        mpz_class const& weights = w.component[0].sum;
        bool const up = p.component[0].positive_infinities > 0, down = p.component[0].negative_infinities > 0;
        if (w.infinities > 0 || p.invalid_products > 0 || (up && down) || weights == 0)
            return nan(type, status_flags::invalid);
        bool const negative = weights < 0;
        if (up || down) return infinity(down != negative, type);
        rational mean{p.component[0].products, abs(weights), p.unit, p.component[0].only_negative_zeros != negative};
        if (negative) mean.numerator = -mean.numerator;
        if (sf::is_integer(pair.x.type)) mean.negative_zero = false;
        return round_nearest(mean, type);
    }();
    return {type, {value.bits, 0}, value.status};
}

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
                        expect_same(run(pair, operation::weighted_mean, options), weighted(pair, options),
                                    operation::weighted_mean, pair.x.label + " . " + pair.y.label);
                    }
                }
}

TEST(weighted_mean, is_the_same_in_any_pieces_and_threads) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float16, sf::dtype::int32})
        for (int which = 0; which < pair_class_count; ++which) {
            sample_pair const pair = generate_pair(static_cast<pair_class>(which), type, 50001, 7);
            sf::result_value const expected = weighted(pair, {});
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
