// Truth values, bitwise operations and products, against the oracle and in every way to run them.
#include "reduce/levels.hpp"
#include "steadfold/error.hpp"
#include "support/check.hpp"
#include "support/oracle_factors.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace oracle;
using sf::operation;
using sf::status_flags;
constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

constexpr operation all_factors[] = {operation::any,    operation::every,   operation::bit_and,
                                     operation::bit_or, operation::bit_xor, operation::product};

sf::reduction_results run(sample const& s, sf::reduce_options const& options, std::int64_t piece = 1 << 30,
                          int threads = 1, sf::communicator const& world = {}) {
    sf::reduction reduction{s.type, factor_operations_of(s.type), options, {.threads = threads}};
    for (std::int64_t first = 0; first < s.n; first += piece)
        reduction.add(s.part(first, std::min(piece, s.n - first)), first);
    return reduction.finish(world);
}

void expect_oracle(sf::reduction_results const& got, sample const& s, sf::reduce_options const& options,
                   std::string const& how = "") {
    for (operation const op : all_factors)
        if (got.operations().contains(op))
            expect_same(got[op], evaluate_factors(s, op, options), op, s.label + " " + describe(options) + " " + how);
}

TEST(factors, of_every_type_and_class_are_those_of_the_oracle) {
    std::uint64_t seed = 400;
    for (int t = 0; t < sf::dtype_count; ++t)
        for (data_class const which : classes_of(static_cast<sf::dtype>(t)))
            for (std::int64_t const n : {0, 1, 2, 3, 17, 300, 5000}) {
                sample const s = generate(which, static_cast<sf::dtype>(t), n, ++seed);
                for (sf::nan_policy const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore})
                    expect_oracle(run(s, {.nans = nans}), s, {.nans = nans});
            }
}

TEST(factors, in_other_result_types_are_rounded_once) {
    std::uint64_t seed = 500;
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float16, sf::dtype::int8, sf::dtype::uint64})
        for (sf::dtype const result : {sf::dtype::float64, sf::dtype::float32, sf::dtype::bfloat16, sf::dtype::int8,
                                       sf::dtype::int64, sf::dtype::uint16, sf::dtype::uint64})
            for (data_class const which : classes_of(type))
                for (std::int64_t const n : {0, 1, 4, 9}) {
                    sample const s = generate(which, type, n, ++seed);
                    expect_oracle(run(s, {.result = result}), s, {.result = result});
                }
}

TEST(factors, are_the_same_in_any_pieces_and_threads) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::bfloat16, sf::dtype::int64, sf::dtype::uint8})
        for (data_class const which : classes_of(type)) {
            sample const s = generate(which, type, 30001, 600);
            sf::reduction_results const expected = run(s, {});
            expect_oracle(expected, s, {});
            for (int const threads : {2, 5})
                for (std::int64_t const piece : {std::int64_t{1} << 30, std::int64_t{9000}})
                    EXPECT_EQ(run(s, {}, piece, threads), expected) << s.label << " " << threads << " " << piece;
            EXPECT_EQ(run(s, {}, 333), expected) << s.label;
        }
}

TEST(factors, merge) {
    for (sf::dtype const type : {sf::dtype::float32, sf::dtype::int32})
        for (data_class const which : classes_of(type)) {
            sample const s = generate(which, type, 500, 700);
            sf::operation_set const ops = factor_operations_of(type);
            sf::reduction first{type, ops}, second{type, ops};
            first.add(s.part(0, 123), 0);
            second.add(s.part(123, 377), 123);
            second.merge(first);
            expect_oracle(second.finish(), s, {});
        }
}

TEST(factors, leave_missing_integers_out) {
    for (std::int64_t const n : {0, 1, 16, 17, 5000}) {
        sample const s = generate(data_class::integer_small, sf::dtype::int16, n, 800);
        sf::reduce_options const options{.missing = 0};
        expect_oracle(run(s, options), s, options);
    }
}

double product(std::vector<double> const& x, status_flags* status = nullptr, sf::reduce_options const& options = {}) {
    auto const value =
        sf::reduce({}, sf::array_view(sf::view<double const>(x)), sf::product, options)[operation::product];
    if (status) *status = value.status;
    return value.as_double();
}

TEST(product, neither_overflows_nor_underflows_on_the_way) {
    EXPECT_EQ(product({1e300, 1e300, 0x1p-1000, 0x1p-1000, 1}), 1e300 * 0x1p-1000 * (1e300 * 0x1p-1000));
    EXPECT_EQ(product(std::vector<double>(10000, 0x1p1000)), inf);
    std::vector<double> x(20000, 0x1p1000);
    std::fill(x.begin(), x.begin() + 10000, 0x1p-1000);
    status_flags status{};
    EXPECT_EQ(product(x, &status), 1.0);
    EXPECT_EQ(status, status_flags::none);
    EXPECT_EQ(product({0x1p-1074, 0x1p-1}, &status), 0.0);
    EXPECT_EQ(status, status_flags::inexact);
    EXPECT_EQ(product({1e200, 1e200}, &status), inf);
    EXPECT_EQ(status, status_flags::inexact | status_flags::overflow);
}

TEST(product, knows_signs_zeros_infinities_and_nan) {
    status_flags status{};
    EXPECT_TRUE(std::signbit(product({-0.0, 5})));
    EXPECT_FALSE(std::signbit(product({-0.0, -5})));
    EXPECT_EQ(product({inf, -2}), -inf);
    EXPECT_EQ(product({-inf, -2}), inf);
    EXPECT_TRUE(std::isnan(product({inf, 0, 3}, &status)));
    EXPECT_EQ(status, status_flags::invalid);
    EXPECT_TRUE(std::isnan(product({inf, 0, nan}, &status)));
    EXPECT_EQ(status, status_flags::none);
    EXPECT_EQ(product({3, nan, -4}, &status, {.nans = sf::nan_policy::ignore}), -12.0);
    EXPECT_EQ(product({}, &status), 1.0);
    EXPECT_EQ(status, status_flags::empty);
}

template <class T>
sf::statistics<T> of(std::vector<T> const& x) {
    return sf::reduce({}, sf::view<T const>(x), factor_operations_of(sf::dtype_of<T>));
}

TEST(product, of_integers_is_exact_or_saturates) {
    EXPECT_EQ(of<std::int64_t>({INT64_MIN, 1}).product, INT64_MIN);
    EXPECT_EQ(of<std::int64_t>({INT64_MIN, 1}).status(operation::product), status_flags::none);
    EXPECT_EQ(of<std::int64_t>({INT64_MIN, -1}).product, INT64_MAX);
    EXPECT_EQ(of<std::int64_t>({INT64_MIN, -1}).status(operation::product), status_flags::overflow);
    EXPECT_EQ(of<std::uint64_t>({1ull << 32, 1ull << 32}).product, UINT64_MAX);
    EXPECT_EQ(of<std::uint64_t>({0xffffffffull, 0x100000001ull}).product, UINT64_MAX);
    EXPECT_EQ(of<std::uint64_t>({0xffffffffull, 0x100000001ull}).status(operation::product), status_flags::none);
    EXPECT_EQ(of<std::int8_t>({-128, -128, 2}).product, 32768);
    EXPECT_EQ(of<std::int64_t>({INT64_MAX, INT64_MAX, INT64_MAX, 0}).product, 0);
    EXPECT_EQ(of<std::int64_t>({INT64_MAX, INT64_MAX, INT64_MAX, 0}).status(operation::product), status_flags::none);
}

TEST(bits, of_narrow_integers_are_extended_and_of_nothing_are_neutral) {
    EXPECT_EQ(of<std::int8_t>({-1, -2}).bit_and, -2);
    EXPECT_EQ(of<std::int8_t>({-128, 1}).bit_or, -127);
    EXPECT_EQ(of<std::int8_t>({-128, -128, 3}).bit_xor, 3);
    EXPECT_EQ(of<std::uint8_t>({0xf0, 0x3c}).bit_and, 0x30u);
    EXPECT_EQ(of<std::uint8_t>({0xf0, 0x3c}).bit_or, 0xfcu);
    EXPECT_EQ(of<std::uint8_t>({0xf0, 0x3c}).bit_xor, 0xccu);
    EXPECT_EQ(of<std::int32_t>({}).bit_and, -1);
    EXPECT_EQ(of<std::uint32_t>({}).bit_and, UINT64_MAX);
    EXPECT_EQ(of<std::uint32_t>({}).bit_or, 0u);
    EXPECT_EQ(of<std::uint32_t>({}).bit_xor, 0u);
    EXPECT_EQ(of<std::uint32_t>({}).status(operation::bit_and), status_flags::empty);
}

TEST(truth, counts_nan_as_true) {
    EXPECT_TRUE(of<double>({0, nan}).any);
    EXPECT_FALSE(of<double>({0, -0.0}).any);
    EXPECT_FALSE(of<double>({}).any);
    EXPECT_TRUE(of<double>({}).every);
    EXPECT_TRUE(of<double>({1, nan, inf}).every);
    EXPECT_FALSE(of<double>({1, nan, -0.0}).every);
    sf::reduce_options const ignore{.nans = sf::nan_policy::ignore};
    std::vector<double> const x = {0, nan};
    EXPECT_FALSE(sf::reduce({}, sf::view<double const>(x), sf::any, ignore).any);
}

TEST(factors, of_types_that_lack_them_are_refused) {
    EXPECT_THROW((sf::reduction{sf::dtype::float64, sf::bit_and}), sf::argument_error);
    EXPECT_THROW((sf::reduction{sf::dtype::complex64, sf::bit_xor}), sf::argument_error);
    EXPECT_THROW((sf::reduction{sf::dtype::complex64, sf::product}), sf::argument_error);
    EXPECT_EQ(sf::parse_operations("any,every,bitand,bitor,bitxor,prod"),
              sf::any | sf::every | sf::bit_and | sf::bit_or | sf::bit_xor | sf::product);
    EXPECT_EQ(sf::parse_operations("bit_and, bit_or , bit_xor,product, sum_of_squares,nan_count,inf_count,zero_count"),
              sf::parse_operations("bitand,bitor,bitxor,prod,sumsq,nan,inf,zero"));
    EXPECT_FALSE(sf::parse_operations("all").intersects(sf::any | sf::product | sf::bit_or));
}

} // namespace
