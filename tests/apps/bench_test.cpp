// What steadfold-bench trusts: its statistics, its references, and that nothing wrong is ever timed.
#include "expansion.hpp"
#include "measure.hpp"
#include "reference.hpp"
#include "statistics.hpp"
#include "steadfold/reduce.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <initializer_list>
#include <vector>

namespace sf = steadfold;
using namespace sf::app;

namespace {

template <class T>
T sum_of(std::initializer_list<double> values) {
    expansion sum;
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

TEST(bench_expansion, sums_are_rounded_once_to_nearest_even) {
    EXPECT_EQ(sum_of<double>({1e100, 1, -1e100}), 1);
    EXPECT_EQ(sum_of<double>({1, 0x1p-53}), 1);                                // a tie, to even
    EXPECT_EQ(sum_of<double>({1, 0x1p-53, 0x1p-200}), 1 + 0x1p-52);            // just above it
    EXPECT_EQ(sum_of<double>({1 + 0x1p-52, 0x1p-53, -0x1p-200}), 1 + 0x1p-52); // just below the next one
    EXPECT_EQ(sum_of<double>({}), 0);
}

TEST(bench_expansion, float_results_are_not_rounded_twice) {
    EXPECT_EQ(sum_of<float>({1, 0x1p-24}), 1.0f);
    EXPECT_EQ(sum_of<float>({1, 0x1p-24, 0x1p-80}), 1.0f + 0x1p-23f);
    EXPECT_EQ(sum_of<float>({1, 0x1p-24, -0x1p-80}), 1.0f);
    EXPECT_EQ(sum_of<float>({1 + 0x1p-23, 0x1p-24, -0x1p-80}), 1.0f + 0x1p-23f);
}

TEST(bench_expansion, products_are_exact) {
    expansion sum;
    sum.add_product(1 + 0x1p-30, 1 + 0x1p-30);
    sum.add(-1);
    sum.add(-0x1p-29);
    EXPECT_EQ(sum.rounded<double>(), 0x1p-60);
}

TEST(bench_reference, one_wrong_bit_is_refused) {
    host_array<double> const x = gaussian<double>(1000, 1, 2), none{0};
    reference<double> expected = reference_of(x, none, 3);
    sf::reduction_results const results = sf::reduce({}, x, sf::sum | sf::l1 | sf::extrema);
    EXPECT_NO_THROW(require_equal(results, expected));
    expected.sum = std::nextafter(expected.sum, 1e300);
    EXPECT_THROW(require_equal(results, expected), wrong_result);
}

TEST(bench_reference, a_plain_sum_that_leaves_elements_out_is_refused) {
    host_array<float> const x = gaussian<float>(100000, 1, 2), none{0};
    reference<float> const expected = reference_of(x, none, 2);
    EXPECT_NO_THROW(require_close(expected.sum, expected));
    EXPECT_THROW(require_close(expected.sum + x.data()[0], expected), wrong_result);
}

TEST(bench_data, does_not_depend_on_threads) {
    host_array<double> const a = gaussian<double>(1001, 1, 1), b = gaussian<double>(1001, 1, 4);
    for (std::int64_t i = 0; i < a.size(); ++i) ASSERT_EQ(a.data()[i], b.data()[i]) << i;
}

TEST(bench_measure, an_implementation_that_breaks_while_it_is_timed_is_not_reported) {
    int calls = 0;
    implementation const broken{"broken",
                                false,
                                8,
                                1,
                                [&] { ++calls; },
                                {},
                                [&] {
                                    if (calls > 0) throw wrong_result("off by one");
                                }};
    settings chosen;
    chosen.repetitions = 2;
    chosen.min_seconds = 0;
    EXPECT_THROW(static_cast<void>(measure({"case", sf::dtype::float64, 1}, {broken}, {"host-to-host"}, chosen)),
                 wrong_result);
}

TEST(bench_measure, implementations_take_turns) {
    std::vector<char> order;
    auto const noting = [&](char mark) {
        return implementation{{mark}, false, 8, 1, [&order, mark] { order.push_back(mark); }, {}, [] {}};
    };
    settings chosen;
    chosen.repetitions = 2;
    chosen.min_seconds = 0;
    measured_group const group = measure({"case", sf::dtype::float64, 1}, {noting('a'), noting('b')}, {}, chosen);
    EXPECT_EQ(group.measurements[0].samples_us.size(), 2u);
    // Once to find the number of calls, then two rounds; an untimed call goes before every timed one.
    EXPECT_EQ(std::string(order.begin(), order.end()), "aabb"
                                                       "aabb"
                                                       "aabb");
}

} // namespace
