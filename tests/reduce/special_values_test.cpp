// Results that can be worked out by hand: signs of zero, ties, infinities, NaN, overflow, empty ranges.
#include "reduce/levels.hpp"
#include "support/check.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace {

using namespace oracle;
using sf::operation;
using sf::status_flags;
constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest = 0x1p-1074, tiny = 1e-300;

sf::result_value of(operation op, sample const& s, sf::reduce_options const& options = {}) {
    sf::reduction reduction{s.type, op, options};
    reduction.add(s.view());
    return reduction.finish()[op];
}

sf::result_value of(operation op, std::vector<double> const& values, sf::reduce_options const& options = {},
                    sf::dtype type = sf::dtype::float64) {
    return of(op, sample_of(type, values, ""), options);
}

template <class T>
sample integers(std::vector<T> const& values) {
    sample s{sf::dtype_of<T>, static_cast<std::int64_t>(values.size()), {}, "integers"};
    s.bytes.resize(values.size() * sizeof(T));
    std::copy_n(reinterpret_cast<std::byte const*>(values.data()), s.bytes.size(), s.bytes.begin());
    return s;
}

double dot(std::vector<double> const& x, std::vector<double> const& y, status_flags* status = nullptr,
           sf::reduce_options const& options = {}) {
    sf::result_value const value =
        sf::dot({}, sf::array_view(sf::view<double const>(x)), sf::array_view(sf::view<double const>(y)), options);
    if (status) *status = value.status;
    return value.as_double();
}

#define EXPECT_VALUE(result, expected)                                                                                 \
    EXPECT_EQ((result).bits[0], encode_value((result).type, (expected))) << (result).to_hex()

std::uint64_t encode_value(sf::dtype type, double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, sample_of(type, std::vector{value}, "").bytes.data(), sf::size_bytes(type));
    return bits;
}

TEST(sum, of_all_negative_zeros_is_negative_zero) {
    for (auto const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16})
        for (std::size_t const n : {1, 2, 16, 100, 5000}) {
            EXPECT_VALUE(of(operation::sum, std::vector(n, -0.0), {}, type), -0.0);
            EXPECT_VALUE(of(operation::mean, std::vector(n, -0.0), {}, type), -0.0);
            EXPECT_VALUE(of(operation::l1, std::vector(n, -0.0), {}, type), 0.0);
        }
    EXPECT_VALUE(of(operation::sum, {-0.0, 0.0}), 0.0);
    EXPECT_VALUE(of(operation::sum, {-1.0, 1.0, -0.0}), 0.0);
    EXPECT_VALUE(of(operation::sum, {-0.0, nan}, {.nans = sf::nan_policy::ignore}), -0.0);
}

TEST(sum, of_negative_zero_parts_is_not_disturbed_by_elements_that_are_left_out) {
    std::vector<std::complex<double>> const x = {{-0.0, -0.0}, {nan, 5.0}, {5.0, nan}};
    sf::reduction reduction{sf::dtype::complex128, sf::sum, {.nans = sf::nan_policy::ignore}};
    reduction.add(sf::view<std::complex<double> const>(x));
    sf::result_value const sum = reduction.finish()[operation::sum];
    EXPECT_EQ(sum.bits[0], std::bit_cast<std::uint64_t>(-0.0));
    EXPECT_EQ(sum.bits[1], std::bit_cast<std::uint64_t>(-0.0));
}

TEST(sum, breaks_ties_to_even_unless_anything_is_left) {
    constexpr double half_unit = 0x1p-53, one_unit = 0x1p-52;
    EXPECT_VALUE(of(operation::sum, {1, half_unit}), 1.0);
    EXPECT_VALUE(of(operation::sum, {1, half_unit, tiny}), 1 + one_unit);
    EXPECT_VALUE(of(operation::sum, {1, half_unit, -tiny}), 1.0);
    EXPECT_VALUE(of(operation::sum, {1 + one_unit, half_unit}), 1 + 2 * one_unit);
    EXPECT_VALUE(of(operation::sum, {1 + one_unit, half_unit, -smallest}), 1 + one_unit);
    EXPECT_VALUE(of(operation::sum, {-1, -half_unit, -smallest}), -1 - one_unit);
}

TEST(sum, keeps_a_remainder_below_the_lowest_32_bits_of_a_fold) {
    EXPECT_VALUE(of(operation::sum, {1, -1, 0x1p-1043}), 0x1p-1043);
    EXPECT_VALUE(of(operation::sum, {0x1p1000, -0x1p1000, smallest}), smallest);
}

// The window is set by the first values; the largest it still takes, all of one sign, fill the fold sums to the brim.
TEST(sum, of_a_whole_tile_at_the_limit_of_the_window_does_not_wrap) {
    constexpr std::size_t n = 4 * 4096;
    auto const check = [](std::vector<double> const& values, std::string const& level) {
        sample const whole = sample_of(sf::dtype::float64, values, "limit of a window, level " + level);
        sf::reduction reduction{whole.type, sf::sum | sf::l1 | sf::sum_of_squares, {}, {.threads = 1}};
        reduction.add(whole.part(0, 1), 0);
        reduction.add(whole.part(1, n), 1);
        expect_results(reduction.finish(), summarise(whole.bytes.data(), whole.n, whole.type), {}, whole.label);
    };
    at_every_level([&](std::string const& level) {
        for (double const sign : {1.0, -1.0})
            for (double const largest : {2.0, std::nextafter(2.0, 0.0), std::nextafter(2.0, 0.0) * 0x1p600}) {
                double const first = 0.375 * largest; // its window ends one bit higher
                std::vector<double> x(1 + n, sign * largest), root(1 + n, std::nextafter(std::sqrt(largest), 0.0));
                x[0] = sign * first;
                root[0] = std::sqrt(first);
                check(x, level);
                check(root, level); // whose squares are at the limit
            }
    });
}

TEST(sum, rounds_once_into_narrow_results) {
    // By way of float64 these would become ties and go down to 1.
    EXPECT_VALUE(of(operation::sum, {1, 0x1p-11, 0x1p-100}, {.result = sf::dtype::float16}), 1 + 0x1p-10);
    EXPECT_VALUE(of(operation::sum, {1, 0x1p-8, 0x1p-100}, {.result = sf::dtype::bfloat16}), 1 + 0x1p-7);
    EXPECT_VALUE(of(operation::sum, {1, 0x1p-24, 0x1p-100}, {.result = sf::dtype::float32}), 1 + 0x1p-23);
    EXPECT_EQ(of(operation::sum, {2.5, tiny}, {.result = sf::dtype::int64}).as_int64(), 3);
    EXPECT_EQ(of(operation::sum, {2.5}, {.result = sf::dtype::int64}).as_int64(), 2);
    EXPECT_EQ(of(operation::sum, {-3.5}, {.result = sf::dtype::int8}).as_int64(), -4);
}

TEST(sum, overflows_only_at_the_end) {
    EXPECT_VALUE(of(operation::sum, {DBL_MAX, DBL_MAX, -DBL_MAX, -1e300}), DBL_MAX - 1e300);
    sf::result_value const beyond = of(operation::sum, {DBL_MAX, DBL_MAX});
    EXPECT_VALUE(beyond, inf);
    EXPECT_EQ(beyond.status, status_flags::overflow | status_flags::inexact);
    // Half a unit of DBL_MAX is where infinity begins.
    EXPECT_VALUE(of(operation::sum, {DBL_MAX, 0x1p970}), inf);
    EXPECT_VALUE(of(operation::sum, {DBL_MAX, 0x1p970, -smallest}), DBL_MAX);
}

TEST(mean, of_the_largest_values_is_the_largest_value) {
    EXPECT_VALUE(of(operation::mean, {DBL_MAX, DBL_MAX}), DBL_MAX);
    EXPECT_EQ(of(operation::mean, {DBL_MAX, DBL_MAX}).status, status_flags::none);
    EXPECT_VALUE(of(operation::mean, std::vector<double>(3, FLT_MAX), {}, sf::dtype::float32), FLT_MAX);
    EXPECT_VALUE(of(operation::mean, {smallest, 0}), 0.0); // halfway, to even
    EXPECT_VALUE(of(operation::mean, {3 * smallest, 0}), 2 * smallest);
}

TEST(squares, neither_vanish_nor_overflow_on_the_way) {
    EXPECT_VALUE(of(operation::l2, {1e-200}), 1e-200);
    EXPECT_VALUE(of(operation::l2, {smallest}), smallest);
    EXPECT_VALUE(of(operation::l2, {3 * 0x1p600, 4 * 0x1p600}), 5 * 0x1p600);
    EXPECT_VALUE(of(operation::l2, {DBL_MAX}), DBL_MAX);
    EXPECT_VALUE(of(operation::l2, std::vector(4, DBL_MAX)), inf);
    EXPECT_VALUE(of(operation::sum_of_squares, std::vector<double>(1 << 14, 0x1p-544)), 0x1p-1074);
    EXPECT_VALUE(of(operation::sum_of_squares, {1e200}), inf);
    EXPECT_TRUE(has(of(operation::sum_of_squares, {1e200}).status, status_flags::overflow));
    EXPECT_EQ(of(operation::sum_of_squares, {1e-200}).status, status_flags::inexact); // rounds to 0
}

TEST(spread, of_huge_and_of_tiny_values_is_exact) {
    EXPECT_VALUE(of(operation::stddev, {0, 0x1p-1000}), 0x1p-1001);
    EXPECT_VALUE(of(operation::stddev, {DBL_MAX, -DBL_MAX}), DBL_MAX);
    EXPECT_VALUE(of(operation::variance, {1e16, 1e16 + 2, 1e16 + 4}, {.ddof = 1}), 4.0);
    EXPECT_VALUE(of(operation::variance, std::vector(1000, 0.1)), 0.0);
    EXPECT_VALUE(of(operation::variance, {7}), 0.0);
    sf::result_value const too_few = of(operation::variance, {7}, {.ddof = 1});
    EXPECT_VALUE(too_few, nan);
    EXPECT_EQ(too_few.status, status_flags::invalid);
}

TEST(integers, extremes_do_not_overflow_on_the_way) {
    auto const three = integers<std::int64_t>({INT64_MIN, INT64_MIN, INT64_MIN});
    EXPECT_EQ(of(operation::linf, three).bits[0], std::uint64_t{1} << 63);
    EXPECT_VALUE(of(operation::sum_of_squares, three, {.result = sf::dtype::float64}), 3 * 0x1p126);
    EXPECT_VALUE(of(operation::l2, integers<std::int64_t>({INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN})), 0x1p64);
    EXPECT_EQ(of(operation::sum, three).status, status_flags::overflow);
    EXPECT_EQ(of(operation::sum, three).as_int64(), INT64_MIN);
    EXPECT_EQ(of(operation::l1, integers<std::int64_t>({INT64_MIN})).bits[0], std::uint64_t{1} << 63);
    EXPECT_EQ(of(operation::l1, integers<std::int8_t>({-128, -128})).bits[0], 256u);
    auto const largest = integers<std::uint64_t>({UINT64_MAX, UINT64_MAX});
    EXPECT_EQ(of(operation::sum, largest).bits[0], UINT64_MAX);
    EXPECT_EQ(of(operation::sum, largest).status, status_flags::overflow);
    EXPECT_VALUE(of(operation::mean, largest), 0x1p64);
    EXPECT_EQ(of(operation::mean, largest, {.result = sf::dtype::uint64}).bits[0], UINT64_MAX);
    EXPECT_VALUE(of(operation::variance, largest), 0.0);
}

TEST(integers, narrow_unsigned_extrema_are_elements) {
    EXPECT_EQ(of(operation::max, integers<std::uint8_t>({3, 255, 0})).bits[0], 255u);
    EXPECT_EQ(of(operation::min, integers<std::uint16_t>({3, 65535, 2})).bits[0], 2u);
    EXPECT_EQ(of(operation::linf, integers<std::uint32_t>({3, 0xffffffffu})).bits[0], 0xffffffffu);
}

TEST(integers, missing_values_are_left_out) {
    auto const data = integers<std::int16_t>({-999, 4, -999, 6, 0});
    sf::reduce_options const options{.nans = sf::nan_policy::ignore, .missing = -999};
    EXPECT_EQ(of(operation::sum, data, options).as_int64(), 10);
    EXPECT_EQ(of(operation::count, data, options).as_int64(), 3);
    EXPECT_EQ(of(operation::nan_count, data, options).as_int64(), 2);
    EXPECT_EQ(of(operation::min, data, options).as_int64(), 0);
    EXPECT_EQ(of(operation::argmax, data, options).as_int64(), 3);
    for (int i = 0; i < sf::operation_count; ++i)
        for (std::int64_t const n : {0, 1, 16, 17, 1000, 5000}) {
            auto const op = static_cast<operation>(i);
            sample const s = generate(data_class::integer_small, sf::dtype::int32, n, 5);
            sf::reduce_options const leave_out{.nans = sf::nan_policy::ignore, .ddof = 1, .missing = 2};
            if (!operations_of(s.type).contains(op)) continue;
            expect_same(of(op, s, leave_out), evaluate(summarise(s.bytes.data(), n, s.type, 2), op, leave_out), op,
                        s.label);
        }
}

TEST(infinity, of_both_signs_is_invalid) {
    for (operation const op : {operation::sum, operation::mean}) {
        EXPECT_VALUE(of(op, {inf, 1}), inf);
        EXPECT_EQ(of(op, {inf, 1}).status, status_flags::none);
        EXPECT_VALUE(of(op, {1, -inf, DBL_MAX}), -inf);
        EXPECT_VALUE(of(op, {inf, -inf}), nan);
        EXPECT_EQ(of(op, {inf, -inf}).status, status_flags::invalid);
    }
    for (operation const op : {operation::l1, operation::l2, operation::linf, operation::sum_of_squares})
        EXPECT_VALUE(of(op, {inf, -inf}), inf);
    EXPECT_VALUE(of(operation::variance, {inf, 1}), nan);
    EXPECT_VALUE(of(operation::min, {inf, -inf}), -inf);
    EXPECT_EQ(of(operation::inf_count, {inf, -inf, 2}).as_int64(), 2);
}

TEST(not_a_number, is_canonical_whatever_came_in) {
    double const signalling = std::bit_cast<double>(0xfff0000000000123u);
    for (int i = 0; i < sf::operation_count; ++i) {
        auto const op = static_cast<operation>(i);
        if (op == operation::dot || op >= operation::argmin) continue;
        EXPECT_EQ(of(op, {1, signalling, inf}).bits[0], 0x7ff8000000000000u) << sf::name(op);
        EXPECT_EQ(of(op, {1, signalling, inf}).status, status_flags::none) << sf::name(op);
        EXPECT_EQ(of(op, {1, nan}, {}, sf::dtype::bfloat16).bits[0], 0x7fc00000u) << sf::name(op); // float32 result
        EXPECT_EQ(of(op, {1, nan}, {.result = sf::dtype::float16}).bits[0], 0x7e00u) << sf::name(op);
        EXPECT_EQ(of(op, {1, nan}, {.result = sf::dtype::bfloat16}).bits[0], 0x7fc0u) << sf::name(op);
        EXPECT_EQ(of(op, {1, nan}, {.result = sf::dtype::int32}).status, status_flags::invalid) << sf::name(op);
    }
}

TEST(not_a_number, decides_indices_or_is_left_out) {
    std::vector<double> const x = {5, nan, 3, nan, 9, 3, 9};
    sf::reduce_options const ignore{.nans = sf::nan_policy::ignore};
    EXPECT_EQ(of(operation::argmin, x).as_int64(), 1);
    EXPECT_EQ(of(operation::argmax, x).as_int64(), 1);
    EXPECT_EQ(of(operation::argmin, x, ignore).as_int64(), 2);
    EXPECT_EQ(of(operation::argmax, x, ignore).as_int64(), 4);
    EXPECT_EQ(of(operation::count, x).as_int64(), 7);
    EXPECT_EQ(of(operation::count, x, ignore).as_int64(), 5);
    EXPECT_EQ(of(operation::nan_count, x, ignore).as_int64(), 2);
    EXPECT_VALUE(of(operation::mean, x, ignore), 29.0 / 5);
}

TEST(extrema, know_the_sign_of_zero_and_the_first_index) {
    EXPECT_VALUE(of(operation::min, {0.0, -0.0, 0.0}), -0.0);
    EXPECT_VALUE(of(operation::max, {-0.0, 0.0, -0.0}), 0.0);
    EXPECT_EQ(of(operation::argmin, {0.0, -0.0, 0.0, -0.0}).as_int64(), 1);
    EXPECT_EQ(of(operation::argmax, {-0.0, 0.0, 0.0}).as_int64(), 1);
    std::vector<double> equal(10000, 2.0);
    EXPECT_EQ(of(operation::argmin, equal).as_int64(), 0);
    EXPECT_EQ(of(operation::argmax, equal).as_int64(), 0);
    equal[9999] = 1;
    equal[4096] = 3;
    EXPECT_EQ(of(operation::argmin, equal).as_int64(), 9999);
    EXPECT_EQ(of(operation::argmax, equal).as_int64(), 4096);
}

TEST(empty, ranges_have_documented_values) {
    for (auto const type : {sf::dtype::float64, sf::dtype::float16, sf::dtype::complex128})
        for (auto const op : {operation::sum, operation::mean, operation::variance, operation::stddev, operation::l2}) {
            sf::result_value const value = of(op, std::vector<double>{}, {}, type);
            EXPECT_EQ(value.status, status_flags::empty) << sf::name(op);
            bool const zero = op == operation::sum || op == operation::l2;
            EXPECT_VALUE((sf::result_value{sf::component_type(value.type), value.bits, value.status}),
                         zero ? 0.0 : nan);
        }
    EXPECT_EQ(of(operation::argmin, std::vector<double>{}).as_int64(), -1);
    EXPECT_VALUE(of(operation::max, std::vector<double>{}), nan);
    EXPECT_EQ(of(operation::count, std::vector<double>{}).as_int64(), 0);
    EXPECT_EQ(of(operation::sum, {nan, nan}, {.nans = sf::nan_policy::ignore}).status, status_flags::empty);
    EXPECT_EQ(dot({}, {}), 0.0);
}

TEST(dot, products_neither_vanish_nor_overflow_on_the_way) {
    EXPECT_EQ(dot({1e-200, 1e-200}, {1e-200, -1e-200}), 0.0);
    EXPECT_EQ(dot({1e-200, 1e200, 1e200}, {1e-200, 1e200, -1e200}), 0.0); // 1e-400, rounded
    EXPECT_EQ(dot({smallest, 1.0}, {0x1p1023, 0.0}), 0x1p-51);
    EXPECT_EQ(dot({1e200, 1e200, 3}, {1e200, -1e200, 4}), 12.0);
    EXPECT_EQ(dot({1e200}, {1e200}), inf);
    EXPECT_EQ(dot(std::vector<double>(4096, 0x1p-537), std::vector<double>(4096, 0x1p-549)), 0x1p-1074);
}

TEST(dot, of_infinity_and_zero_is_invalid) {
    status_flags status{};
    EXPECT_TRUE(std::isnan(dot({inf, 1}, {0, 1}, &status)));
    EXPECT_EQ(status, status_flags::invalid);
    EXPECT_TRUE(std::isnan(dot({inf, inf}, {1, -1}, &status)));
    EXPECT_EQ(status, status_flags::invalid);
    EXPECT_EQ(dot({inf, 2}, {-1, 3}, &status), -inf);
    EXPECT_TRUE(std::isnan(dot({inf, nan}, {0, 1}, &status)));
    EXPECT_EQ(status, status_flags::none); // NaN was there before
    EXPECT_EQ(dot({nan, 2}, {1, 3}, &status, {.nans = sf::nan_policy::ignore}), 6.0);
    EXPECT_TRUE(std::signbit(dot({-0.0, 0.0}, {1, -2})));
    EXPECT_FALSE(std::signbit(dot({-0.0, 0.0}, {1, 2})));
}

TEST(typed, results_are_the_untyped_ones) {
    std::vector<float> const x = {1.5f, -2.5f, 0.0f, 4.0f};
    auto const s = sf::reduce({}, sf::view<float const>(x), sf::parse_operations("all"));
    EXPECT_EQ(s.sum, 3.0f);
    EXPECT_EQ(s.mean, 0.75f);
    EXPECT_EQ(s.l1, 8.0f);
    EXPECT_EQ(s.linf, 4.0f);
    EXPECT_EQ(s.min, -2.5f);
    EXPECT_EQ(s.argmin, 1);
    EXPECT_EQ(s.argmax, 3);
    EXPECT_EQ(s.zero_count, 1);
    EXPECT_EQ(s.count, 4);
    EXPECT_EQ(s.raw[operation::sum].type, sf::dtype::float32);
}

} // namespace
