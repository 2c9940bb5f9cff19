// What steadfold-bench trusts: its statistics, its references, and that nothing wrong is ever timed.
#include "measure.hpp"
#include "reference.hpp"
#include "statistics.hpp"
#include "steadfold/reduce.hpp"
#include "support/oracle.hpp"
#include "values.hpp"
#include "wide_sum.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

namespace sf = steadfold;
using namespace sf::app;

namespace {

template <class T>
T sum_of(std::initializer_list<double> values) {
    wide_sum sum;
    for (double const x : values) sum.add(x);
    return sum.rounded<T>();
}

TEST(bench_statistics, quantiles_are_linear_between_neighbours) {
    EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
    EXPECT_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
    EXPECT_EQ(quantile({7}, 0.95), 7);
    EXPECT_DOUBLE_EQ(quantile({0, 10, 20, 30, 40}, 0.05), 2);
}

TEST(bench_statistics, drift_common_to_both_does_not_widen_the_interval) {
    std::vector<double> peer, ours;
    for (int i = 0; i < 40; ++i) {
        peer.push_back(200 + i);
        ours.push_back((200 + i) / 2.0);
    }
    interval const range = median_ratio_interval(peer, ours);
    EXPECT_NEAR(range.low, 2, 1e-12);
    EXPECT_NEAR(range.high, 2, 1e-12);
}

TEST(bench_statistics, interval_spans_what_noise_allows) {
    std::vector<double> peer, ours;
    for (int i = 0; i < 40; ++i) {
        peer.push_back(100 + i * 7 % 11);
        ours.push_back(100 + i * 5 % 13);
    }
    interval const range = median_ratio_interval(peer, ours);
    EXPECT_LT(range.low, range.high);
    EXPECT_LT(range.low, 105.0 / 106);
    EXPECT_GT(range.high, 105.0 / 106);
}

TEST(bench_wide_sum, sums_are_rounded_once_to_nearest_even) {
    EXPECT_EQ(sum_of<double>({1e100, 1, -1e100}), 1);
    EXPECT_EQ(sum_of<double>({1, 0x1p-53}), 1);                                // a tie, to even
    EXPECT_EQ(sum_of<double>({1, 0x1p-53, 0x1p-200}), 1 + 0x1p-52);            // just above it
    EXPECT_EQ(sum_of<double>({1 + 0x1p-52, 0x1p-53, -0x1p-200}), 1 + 0x1p-52); // just below the next one
    EXPECT_EQ(sum_of<double>({0x1p-1074, 0x1p-1074, -0x1p-1073}), 0);
    EXPECT_EQ(sum_of<double>({0x1p-1074, 0x1p-1022}), 0x1p-1022 + 0x1p-1074);
    EXPECT_EQ(sum_of<double>({-0x1p1023, -0x1p1023}), -HUGE_VAL);
    EXPECT_EQ(sum_of<double>({}), 0);
}

TEST(bench_wide_sum, float_results_are_not_rounded_twice) {
    EXPECT_EQ(sum_of<float>({1, 0x1p-24}), 1.0f);
    EXPECT_EQ(sum_of<float>({1, 0x1p-24, 0x1p-80}), 1.0f + 0x1p-23f);
    EXPECT_EQ(sum_of<float>({1, 0x1p-24, -0x1p-80}), 1.0f);
    EXPECT_EQ(sum_of<float>({1 + 0x1p-23, 0x1p-24, -0x1p-80}), 1.0f + 0x1p-23f);
    EXPECT_EQ(sum_of<float>({0x1p-149, 0x1p-150}), 0x1p-148f); // a tie of subnormals, to even
}

TEST(bench_wide_sum, products_are_exact) {
    wide_sum sum;
    sum.add_product(1 + 0x1p-30, 1 + 0x1p-30);
    sum.add(-1);
    sum.add(-0x1p-29);
    EXPECT_EQ(sum.rounded<double>(), 0x1p-60);
    wide_sum tiny; // squares that underflow, and a difference of squares that overflow
    tiny.add_product(0x1p-1074, 0x1p-1074);
    tiny.add_product(0x1.8p1023, 0x1p1023);
    tiny.add_product(-0x1.8p1023, 0x1p1023);
    tiny.add_product(0x1p-1074, 0x1p1000);
    EXPECT_EQ(tiny.rounded<double>(), 0x1p-74);
}

template <class T>
sf::result_value from_oracle(host_array<T> const& x, sf::operation op) {
    auto const* const bytes = reinterpret_cast<std::byte const*>(x.data());
    return oracle::evaluate(oracle::summarise(bytes, x.size(), sf::dtype_of<T>), op, {});
}

template <class T>
void expect_oracle_agrees(data_kind kind) {
    host_array<T> const x = generate<T>(kind, 3001, 1, 2), y = generate<T>(kind, 3001, 2, 2);
    reference<T> const found = reference_of(x, y, 3001, 3);
    auto const bits = [](auto value) {
        if constexpr (sizeof value == 4)
            return std::uint64_t{std::bit_cast<std::uint32_t>(value)};
        else
            return std::bit_cast<std::uint64_t>(value);
    };
    SCOPED_TRACE(std::string(sf::name(sf::dtype_of<T>)) + " " + name(kind));
    EXPECT_EQ(bits(found.sum), from_oracle(x, sf::operation::sum).bits[0]);
    EXPECT_EQ(bits(found.l1), from_oracle(x, sf::operation::l1).bits[0]);
    EXPECT_EQ(bits(found.min), from_oracle(x, sf::operation::min).bits[0]);
    EXPECT_EQ(bits(found.max), from_oracle(x, sf::operation::max).bits[0]);
    EXPECT_EQ(bits(found.argmin), from_oracle(x, sf::operation::argmin).bits[0]);
    EXPECT_EQ(bits(found.argmax), from_oracle(x, sf::operation::argmax).bits[0]);
    if constexpr (is_floating_element<T>) {
        auto const* const first = reinterpret_cast<std::byte const*>(x.data());
        auto const* const second = reinterpret_cast<std::byte const*>(y.data());
        oracle::summary const pairs = oracle::summarise_pairs(first, second, x.size(), sf::dtype_of<T>);
        EXPECT_EQ(bits(found.dot), oracle::evaluate(pairs, sf::operation::dot, {}).bits[0]);
    }
}

std::vector<data_kind> const all_kinds{{distribution::gaussian},
                                       {distribution::lognormal},
                                       {distribution::uniform},
                                       {distribution::random_exponents},
                                       {distribution::random_exponents, 64}};
std::vector<sf::dtype> const all_types{sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16,
                                       sf::dtype::int8,    sf::dtype::int16,   sf::dtype::int32,   sf::dtype::int64};

TEST(bench_reference, agrees_with_exact_rationals) {
    for (data_kind const kind : all_kinds)
        for (sf::dtype const type : all_types)
            with_element_type(type, [&]<class T>(T) { expect_oracle_agrees<T>(kind); });
}

TEST(bench_reference, one_wrong_bit_is_refused) {
    host_array<double> const x = generate<double>({}, 1000, 1, 2), none{0};
    reference<double> expected = reference_of(x, none, 1000, 3);
    sf::reduction_results const results = sf::reduce({}, x, sf::sum | sf::l1 | sf::extrema);
    EXPECT_NO_THROW(require_equal(results, expected));
    expected.sum = std::nextafter(expected.sum, 1e300);
    EXPECT_THROW(require_equal(results, expected), wrong_result);
}

TEST(bench_reference, a_plain_sum_that_leaves_elements_out_is_refused) {
    host_array<float> const x = generate<float>({}, 100000, 1, 2), none{0};
    reference<float> const expected = reference_of(x, none, 100000, 2);
    EXPECT_NO_THROW(require_close(expected.sum, expected));
    EXPECT_THROW(require_close(expected.sum + x.data()[0], expected), wrong_result);
}

TEST(bench_values, every_half_and_bfloat16_is_a_number_and_back) {
    for (std::uint32_t i = 0; i < 65536; ++i) {
        auto const bits = static_cast<std::uint16_t>(i);
        if ((bits & 0x7c00) != 0x7c00) {
            ASSERT_EQ(from_double<sf::half>(to_double(sf::half{bits})).bits, bits);
        }
        if ((bits & 0x7f80) != 0x7f80) {
            ASSERT_EQ(from_double<sf::bfloat16>(to_double(sf::bfloat16{bits})).bits, bits);
        }
    }
    EXPECT_EQ(to_double(sf::half{0x3c01}), 1 + 0x1p-10);
    EXPECT_EQ(to_double(sf::half{0x8001}), -0x1p-24);
    EXPECT_EQ(from_double<sf::half>(1 + 0x1p-11).bits, 0x3c00); // a tie, to even
    EXPECT_EQ(from_double<sf::half>(1 + 0x3p-11).bits, 0x3c02);
    EXPECT_EQ(from_double<sf::half>(1e6).bits, 0x7bff);
}

template <class T>
void expect_data_to_be_itself(data_kind kind) {
    host_array<T> const a = generate<T>(kind, 1001, 1, 1), b = generate<T>(kind, 1001, 1, 4);
    host_array<T> const shorter = generate<T>(kind, 500, 1, 3);
    ASSERT_EQ(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())), 0);
    ASSERT_EQ(std::memcmp(a.data(), shorter.data(), static_cast<std::size_t>(shorter.bytes())), 0);
    if constexpr (is_floating_element<T>) {
        for (std::int64_t i = 0; i < a.size(); ++i) ASSERT_TRUE(std::isfinite(to_double(a.data()[i])));
    }
}

TEST(bench_data, does_not_depend_on_threads_or_on_what_comes_later) {
    for (data_kind const kind : all_kinds)
        for (sf::dtype const type : all_types)
            with_element_type(type, [&]<class T>(T) { expect_data_to_be_itself<T>(kind); });
}

TEST(bench_data, random_exponents_are_what_they_say) {
    auto const exponents = [](data_kind kind) {
        host_array<double> const x = generate<double>(kind, 100000, 1, 2);
        std::set<int> seen;
        for (std::int64_t i = 0; i < x.size(); ++i) seen.insert(std::ilogb(x.data()[i]));
        return seen;
    };
    std::set<int> const narrow = exponents({distribution::random_exponents, 8});
    EXPECT_EQ(narrow, (std::set<int>{-4, -3, -2, -1, 0, 1, 2, 3}));
    std::set<int> const wide = exponents({distribution::random_exponents});
    EXPECT_EQ(*wide.rbegin(), 993);
    EXPECT_LT(*wide.begin(), -1022);
    EXPECT_GT(wide.size(), 2000u);
}

TEST(bench_data, kinds_are_read_as_they_are_written) {
    for (data_kind const kind : all_kinds) EXPECT_EQ(parse_data_kind(name(kind)), kind);
    for (char const* const wrong : {"", "gauss", "gaussian:3", "random-exponents:", "random-exponents:0",
                                    "random-exponents:9x", "random-exponents:99999"})
        EXPECT_THROW(static_cast<void>(parse_data_kind(wrong)), sf::argument_error) << wrong;
}

TEST(bench_measure, an_implementation_that_breaks_while_it_is_timed_is_not_reported) {
    int calls = 0;
    implementation broken;
    broken.name = "broken";
    broken.call = [&] { ++calls; };
    broken.verify = [&] {
        if (calls > 0) throw wrong_result("off by one");
    };
    settings chosen;
    chosen.repetitions = 2;
    chosen.min_seconds = 0;
    EXPECT_THROW(static_cast<void>(measure({"case", sf::dtype::float64, 1}, {broken}, {"host-to-host"}, chosen)),
                 wrong_result);
}

TEST(bench_measure, implementations_take_turns) {
    std::vector<char> order;
    auto const noting = [&](char mark) {
        implementation noted;
        noted.name = {mark};
        noted.call = [&order, mark] { order.push_back(mark); };
        noted.verify = [] {};
        return noted;
    };
    settings chosen;
    chosen.repetitions = 2;
    chosen.min_seconds = 0;
    measured_group const group = measure({"case", sf::dtype::float64, 1}, {noting('a'), noting('b')}, {}, chosen);
    EXPECT_EQ(group.measurements[0].samples_us.size(), 2u);
    // Five times to find the number of calls, then two rounds; an untimed call goes before every timed one.
    EXPECT_EQ(std::string(order.begin(), order.end()), "aaaaaaaaaabbbbbbbbbb"
                                                       "aabb"
                                                       "aabb");
}

TEST(bench_measure, an_implementation_may_take_its_time_itself) {
    implementation timed;
    timed.name = "timed";
    timed.verify = [] {};
    timed.timed = [] { return 3e-6; };
    timed.timed_calls = 200;
    timed.timing = "device-stream";
    settings chosen;
    chosen.repetitions = 3;
    chosen.min_seconds = 0;
    measured_group const group = measure({"case", sf::dtype::float64, 1}, {timed}, {"device"}, chosen);
    EXPECT_EQ(group.measurements[0].samples_us, (std::vector<double>{3, 3, 3}));
    EXPECT_EQ(group.measurements[0].calls_per_sample, 200);
    EXPECT_EQ(group.measurements[0].timing, "device-stream");
}

} // namespace
