// Strided views give the bits of the same elements copied together, whatever the stride, and name what is wrong.
#include "reduce/named_results.hpp"
#include "reduce/strided.hpp"
#include "steadfold/batch.hpp"
#include "steadfold/error.hpp"
#include "steadfold/future.hpp"
#include "steadfold/moments.hpp"
#include "steadfold/pairs.hpp"
#include "steadfold/transform.hpp"
#include "support/check.hpp"
#include "support/spread.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace oracle;
using sf::operation;

spread_sample scatter(data_class which, sf::dtype type, std::int64_t n, std::int64_t stride, std::uint64_t seed) {
    return spread(generate(which, type, n, seed), stride, seed);
}

struct shape {
    std::int64_t n, stride;
};
constexpr shape shapes[] = {{0, 5},    {1, -9},    {2, 1000},  {63, 2},    {64, -1},    {65, 3},   {1000, 0},
                            {777, 17}, {4096, -2}, {4097, -7}, {12345, 2}, {70000, -3}, {70000, 4}};

/// Everything of one array, integers' and product too.
sf::operation_set everything(sf::dtype type) {
    sf::operation_set ops = operations_of(type);
    if (!sf::is_complex(type)) ops = ops | sf::product;
    if (sf::is_integer(type)) ops = ops | sf::bit_and | sf::bit_or | sf::bit_xor;
    return ops;
}

void expect_equal(sf::reduction_results const& got, sf::reduction_results const& expected, sf::operation_set ops,
                  std::string const& label) {
    for (int i = 0; i < sf::operation_count; ++i)
        if (auto const op = static_cast<operation>(i); ops.contains(op)) expect_same(got[op], expected[op], op, label);
}

void for_each_type(std::function<void(sf::dtype)> const& f) {
    for (int t = 0; t < sf::dtype_count; ++t) f(static_cast<sf::dtype>(t));
}

TEST(strided, arrays_of_every_type_give_the_oracles_bits) {
    for_each_type([](sf::dtype type) {
        auto const classes = classes_of(type);
        std::uint64_t seed = 0;
        for (shape const& how : shapes) {
            auto const which = classes[(static_cast<std::size_t>(type) + 5 * seed) % classes.size()];
            spread_sample const s = scatter(which, type, how.n, how.stride, ++seed);
            sf::reduction all{type, operations_of(type), {}, {.threads = 1 + static_cast<int>(seed % 3)}};
            all.add(s.view(), 100);
            expect_results(all.finish(), summarise(s.together.bytes.data(), how.n, type, {}, 100), {},
                           s.together.label);
        }
    });
}

TEST(strided, arrays_equal_their_copies_in_every_operation_and_mode) {
    for_each_type([](sf::dtype type) {
        for (shape const& how : shapes)
            for (auto const mode : {sf::reduction_mode::exact, sf::reduction_mode::fast}) {
                spread_sample const s = scatter(classes_of(type)[0], type, how.n, how.stride, 77);
                sf::operation_set const ops =
                    mode == sf::reduction_mode::exact ? everything(type) : sf::sum | sf::l1 | sf::sum_of_squares;
                sf::reduce_options const options{.mode = mode};
                expect_equal(sf::reduce({}, s.view(), ops, options, 7),
                             sf::reduce({}, s.together.view(), ops, options, 7), ops, s.together.label);
            }
    });
}

TEST(strided, missing_values_are_left_out) {
    for_each_type([](sf::dtype type) {
        if (!sf::is_integer(type)) return;
        for (shape const& how : shapes) {
            spread_sample const s = scatter(data_class::integer_small, type, how.n, how.stride, 5);
            sf::reduce_options const options{.nans = sf::nan_policy::ignore, .missing = 1};
            expect_results(sf::reduce({}, s.view(), operations_of(type), options),
                           summarise(s.together.bytes.data(), how.n, type, 1), options, s.together.label);
        }
    });
}

TEST(strided, dots_of_different_strides_give_the_oracles_bits) {
    constexpr shape others[] = {{0, 1}, {1, 1}, {2, -3}, {65, 1}, {1000, -2}, {4097, 0}, {70000, 1}};
    for_each_type([&](sf::dtype type) {
        auto const classes = classes_of(type);
        std::uint64_t seed = 0;
        for (shape const& how : others)
            for (std::int64_t const stride : {-5, 0, 1, 3}) {
                ++seed;
                spread_sample const x = scatter(classes[seed % classes.size()], type, how.n, stride, seed);
                spread_sample const y =
                    scatter(classes[(3 * seed) % classes.size()], type, how.n, how.stride, seed + 1000);
                std::string const label = x.together.label + " and " + y.together.label;
                sf::result_value const got = sf::dot({}, x.view(), y.view());
                expect_same(got, sf::dot({}, x.together.view(), y.together.view()), operation::dot, label);
                if (sf::is_complex(type)) continue; // their oracle is in pairs_test
                expect_same(got,
                            evaluate(summarise_pairs(x.together.bytes.data(), y.together.bytes.data(), how.n, type),
                                     operation::dot, {}),
                            operation::dot, label);
            }
    });
}

TEST(strided, other_functions_of_two_arrays_equal_those_of_copies) {
    for_each_type([](sf::dtype type) {
        for (shape const& how : shapes)
            for (std::int64_t const stride : {-2, 1}) {
                auto const which = classes_of(type)[0];
                spread_sample const x = scatter(which, type, how.n, how.stride, 8),
                                    y = scatter(which, type, how.n, stride, 9);
                sf::array_view const a = x.together.view(), b = y.together.view();
                std::string const label = x.together.label + " and " + y.together.label;
                for (auto const mode : {sf::reduction_mode::exact, sf::reduction_mode::fast})
                    expect_same(sf::dot_conjugated({}, x.view(), y.view(), {.mode = mode}),
                                sf::dot_conjugated({}, a, b, {.mode = mode}), operation::dot_conjugated, label);
                expect_same(sf::distance({}, x.view(), y.view()), sf::distance({}, a, b), operation::l2, label);
                if (sf::is_complex(type)) continue;
                expect_same(sf::weighted_mean({}, x.view(), y.view()), sf::weighted_mean({}, a, b),
                            operation::weighted_mean, label);
                sf::moments const of_view = sf::central_moments({}, x.view()), of_copy = sf::central_moments({}, a);
                EXPECT_EQ(of_view.count, of_copy.count) << label;
                if (of_copy.fourth == of_copy.fourth) { // not NaN
                    EXPECT_EQ(of_view.second, of_copy.second) << label;
                    EXPECT_EQ(of_view.fourth, of_copy.fourth) << label;
                }
            }
    });
}

TEST(strided, columns_and_rows_of_a_matrix) {
    constexpr std::int64_t rows = 3, columns = 4;
    std::vector<double> const m = {1, 2,       3,  4, //
                                   5, 0x1p100, 7,  8, //
                                   9, -10,     11, 12};
    sf::strided_view const second{m.data() + 1, rows, columns};
    sf::statistics<double> const stats = sf::reduce({}, second, sf::sum | sf::extrema);
    EXPECT_EQ(stats.sum, 0x1p100);
    EXPECT_EQ(stats.argmax, 1); // the row
    EXPECT_EQ(stats.argmin, 2);
    EXPECT_EQ(stats.min, -10.0);
    sf::view const row{m.data(), rows};
    EXPECT_EQ(sf::dot({}, row, sf::strided_view{m.data(), rows, columns}), 1 + 2 * 5 + 3 * 9);
    EXPECT_EQ(sf::dot({}, sf::strided_view{m.data() + 2, rows, -1}, row), 3 * 1 + 2 * 2 + 1 * 3);
    EXPECT_EQ(
        sf::distance({}, sf::strided_view{m.data(), rows, columns}, sf::strided_view{m.data() + 2, rows, columns}),
        std::sqrt(12.0));
    EXPECT_EQ(sf::weighted_mean({}, sf::strided_view{m.data(), 5, 0}, sf::strided_view{m.data() + 11, 5, -2}),
              (12.0 - 10 + 8 + 0x1p100 + 4) / 5);
    std::vector<std::complex<float>> const z = {{1, 2}, {3, 4}, {5, 6}};
    EXPECT_EQ(sf::dot_conjugated({}, sf::strided_view{z.data(), 2, 2}, sf::strided_view{z.data() + 2, 2, -2}),
              std::complex<float>(34, 0));
}

TEST(strided, transforms_see_their_elements) {
    std::vector<double> const m = {1, 2, 3, 4, 5, 6};
    sf::strided_view const backwards{m.data() + 5, 3, -2}; // 6, 4, 2
    sf::view const start{m.data(), 3};
    auto const plus_one = [](double a) { return a + 1; };
    EXPECT_EQ(sf::transform_reduce({}, backwards, plus_one, sf::sum).sum, 15.0);
    auto const digits = [](double a, double b) { return 10 * a + b; };
    auto const both = sf::transform_reduce({}, backwards, start, digits, sf::sum | sf::extrema);
    EXPECT_EQ(both.sum, 61 + 42 + 23);
    EXPECT_EQ(both.argmin, 2);
    EXPECT_EQ(sf::fast_reduce(backwards, 0.0, [](double a, double b) { return 10 * a + b; }), 642.0);
}

TEST(strided, workspaces_batches_and_pieces_take_them) {
    spread_sample const s = scatter(data_class::gaussian, sf::dtype::float64, 5000, -3, 4);
    spread_sample const t = scatter(data_class::gaussian, sf::dtype::float64, 5000, 2, 5);
    sf::operation_set const ops = operations_of(s.view().type);
    summary const expected = summarise(s.together.bytes.data(), s.view().count, s.view().type);
    sf::result_value const product = sf::dot({}, s.together.view(), t.together.view());

    sf::workspace work{s.view().type, ops}, dots{s.view().type, operation::dot};
    std::vector<sf::result_value> out(number_of(ops));
    sf::enqueue_reduce(work, s.view(), out, {});
    expect_results(named(ops, out), expected, {}, s.together.label);
    expect_same(sf::dot_async({}, s.view(), t.view(), dots, {}).get(), product, operation::dot, s.together.label);

    sf::batch_item const items[] = {{.x = s.view(), .operations = ops},
                                    {.x = s.view(), .operations = operation::dot, .y = t.view()}};
    auto const both = sf::reduce({}, items);
    expect_results(both[0], expected, {}, s.together.label);
    expect_same(both[1][operation::dot], product, operation::dot, s.together.label);

    sf::array_piece const pieces[] = {{sf::reduce_detail::part_of(s.view(), 0, 1234), 0},
                                      {sf::reduce_detail::part_of(s.view(), 1234, 5000 - 1234), 1234}};
    expect_results(sf::reduce({}, s.view().type, pieces, ops), expected, {}, s.together.label);
}

TEST(strided, outputs_may_lie_between_the_elements) {
    std::vector<double> m = {1, 0, 2, 0, 3, 0};
    sf::workspace sums{sf::dtype::float64, sf::sum};
    sf::strided_view const column{m.data(), 3, 2};
    sf::enqueue_reduce(sums, column, &m[3], {});
    EXPECT_EQ(m, (std::vector<double>{1, 0, 2, 6, 3, 0}));
    EXPECT_THROW(sf::enqueue_reduce(sums, column, &m[4], {}), sf::argument_error);
    EXPECT_THROW(sf::enqueue_reduce(sums, sf::strided_view{m.data() + 4, 3, -2}, &m[2], {}), sf::argument_error);
}

TEST(strided, overlaps_are_those_of_the_elements_themselves) {
    std::vector<std::int16_t> const memory(64);
    auto const* const bytes = reinterpret_cast<std::byte const*>(memory.data());
    for (std::int64_t const stride : {-3, -1, 0, 1, 2, 5})
        for (std::int64_t const n : {0, 1, 2, 4}) {
            std::int64_t const first = 30;
            sf::array_view const x{memory.data() + first, n, sf::dtype::int16, stride};
            for (std::size_t at = 0; at < 120; ++at)
                for (std::size_t const length : {0, 1, 2, 3, 8}) {
                    bool expected = false;
                    for (std::int64_t i = 0; i < n; ++i) {
                        auto const low = static_cast<std::size_t>(2 * (first + i * stride));
                        expected = expected || (length > 0 && low < at + length && at < low + 2);
                    }
                    EXPECT_EQ(sf::reduce_detail::overlaps(x, bytes + at, length), expected)
                        << n << " elements, stride " << stride << ", " << length << " bytes at " << at;
                }
        }
}

/// `call` must throw an argument_error whose text has every one of `words`.
void expect_refused(std::function<void()> const& call, std::vector<std::string> const& words) {
    try {
        call();
        ADD_FAILURE() << "not refused; expected a message with " << words.front();
    } catch (sf::argument_error const& e) {
        for (std::string const& word : words)
            EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "no \"" << word << "\" in: " << e.what();
    }
}

std::vector<double> const numbers = {1, 2, 3, 4};

TEST(strided_arguments, that_lead_out_of_the_address_space_are_named) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                           least = std::numeric_limits<std::int64_t>::min();
    double const* const x = numbers.data();
    for (std::int64_t const stride : {most, least, most / 8, least / 8, most / 16, -(std::int64_t{1} << 44)}) {
        std::vector<std::string> const words = {std::to_string(stride), "4 float64", "address space", "not in bytes"};
        expect_refused([&] { (void)sf::strided_view{x, 4, stride}; }, words);
        sf::array_view const bad{x, 4, sf::dtype::float64, stride}, good{x, 4, sf::dtype::float64};
        expect_refused([&] { (void)sf::reduce({}, bad, sf::sum); }, words);
        expect_refused([&] { (void)sf::dot({}, good, bad); }, words);
        expect_refused([&] { (void)sf::dot_conjugated({}, bad, good); }, words);
        expect_refused([&] { (void)sf::distance({}, good, bad); }, words);
        expect_refused([&] { (void)sf::central_moments({}, bad); }, words);
        EXPECT_NO_THROW((sf::strided_view{x, 1, stride})); // leads nowhere
        EXPECT_NO_THROW((sf::strided_view{x, 0, stride}));
        EXPECT_EQ(sf::reduce({}, sf::strided_view{x, 1, stride}, sf::sum).sum, 1.0);
    }
    expect_refused([&] { (void)sf::strided_view{x, 4, std::uint64_t{1} << 63}; }, {"9223372036854775808", "2^63"});
    expect_refused([&] { (void)sf::strided_view{x, -4, 2}; }, {"-4"});
    expect_refused([&] { (void)sf::strided_view<double const>{nullptr, 4, 2}; }, {"null"});
    auto const* const odd = reinterpret_cast<double const*>(reinterpret_cast<std::byte const*>(x) + 4);
    expect_refused([&] { (void)sf::strided_view{odd, 3, 2}; }, {"multiple of 8"});
    expect_refused([&] { (void)sf::reduce({}, {x, most, sf::dtype::float64}, sf::sum); }, {"address space"});
}

TEST(strided_view, knows_its_elements) {
    std::vector<double> x = {1, 2, 3, 4};
    sf::strided_view const v{x.data() + 3, 2u, -2};
    static_assert(std::is_same_v<decltype(v), sf::strided_view<double> const>);
    static_assert(std::is_trivially_copyable_v<sf::strided_view<double>>);
    static_assert(!std::is_convertible_v<sf::strided_view<double const>, sf::strided_view<double>>);
    static_assert(!std::is_convertible_v<sf::strided_view<double>, sf::view<double>>);
    sf::strided_view<double const> const constant = v;
    sf::array_view const any = constant;
    EXPECT_EQ(any.data, x.data() + 3);
    EXPECT_EQ(any.count, 2);
    EXPECT_EQ(any.stride, -2);
    EXPECT_EQ(any.type, sf::dtype::float64);
    EXPECT_FALSE(any.contiguous());
    sf::strided_view<double> const all = sf::view{x.data(), 4};
    EXPECT_EQ(all.stride(), 1);
    EXPECT_TRUE(sf::array_view(all).contiguous());
    EXPECT_TRUE(sf::strided_view<float>().empty());
}

} // namespace
