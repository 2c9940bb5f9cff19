// Functions of elements, distances and operators of users, against the oracle over the transformed array.
#include "steadfold/error.hpp"
#include "steadfold/pairs.hpp"
#include "steadfold/transform.hpp"
#include "support/check.hpp"
#include "support/oracle_made.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <string>

namespace {

using namespace oracle;
using sf::operation;

template <class T>
std::vector<T> values_of(sample const& s) {
    std::vector<T> x(static_cast<std::size_t>(s.n));
    std::copy_n(s.bytes.begin(), s.bytes.size(), reinterpret_cast<std::byte*>(x.data()));
    return x;
}

template <class T>
summary summary_of(std::vector<T> const& x, std::int64_t first_index = 0) {
    return summarise(reinterpret_cast<std::byte const*>(x.data()), static_cast<std::int64_t>(x.size()), sf::dtype_of<T>,
                     {}, first_index);
}

TEST(transform, is_the_reduction_of_the_transformed_array) {
    auto const cube = [](double x) { return x * x * x; };
    auto const whole = [](double x) { return std::isfinite(x) && std::fabs(x) < 1e18 ? std::int64_t(x) : 7; };
    for (data_class const which : classes_of(sf::dtype::float64))
        for (std::int64_t const n : {0, 1, 100, 4097, 70000}) {
            sample const s = generate(which, sf::dtype::float64, n, 21);
            std::vector<double> const x = values_of<double>(s);
            std::vector<double> cubes(x.size());
            std::vector<std::int64_t> wholes(x.size());
            std::ranges::transform(x, cubes.begin(), cube);
            std::ranges::transform(x, wholes.begin(), whole);
            sf::view<double const> const v = x;
            expect_results(sf::transform_reduce({}, v, cube, operations_of(sf::dtype::float64), {}, 5).raw,
                           summary_of(cubes, 5), {}, s.label + " cubes");
            expect_results(sf::transform_reduce({}, v, whole, operations_of(sf::dtype::int64)).raw, summary_of(wholes),
                           {}, s.label + " integers");
        }
}

TEST(transform, of_two_arrays) {
    auto const [a, b] = generate_pair(pair_class::independent, sf::dtype::float32, 30000, 22);
    std::vector<float> const x = values_of<float>(a), y = values_of<float>(b);
    auto const f = [](float p, float q) { return double{p} * q; };
    std::vector<double> products(x.size());
    std::ranges::transform(x, y, products.begin(), f);
    expect_results(sf::transform_reduce({}, sf::view<float const>(x), sf::view<float const>(y), f, sf::sum).raw,
                   summary_of(products), {}, "products");
}

TEST(transform, passes_exceptions_on_and_refuses_bad_arguments) {
    std::vector<double> const x(100000, 1.0), y(3, 1.0);
    sf::view<double const> const v = x;
    auto const fail = [](double) -> double { throw std::runtime_error("in the function"); };
    EXPECT_THROW((void)sf::transform_reduce({}, v, fail, sf::sum), std::runtime_error);
    auto const add = [](double a, double b) { return a + b; };
    EXPECT_THROW((void)sf::transform_reduce({}, v, sf::view<double const>(y), add, sf::sum), sf::argument_error);
    EXPECT_THROW((void)sf::transform_reduce(
                     {}, v, [](double z) { return z; }, operation::dot),
                 sf::argument_error);
    EXPECT_THROW((void)sf::transform_reduce(
                     {}, v, [](double z) { return z; }, sf::sum, {}, -1),
                 sf::argument_error);
}

TEST(transform, on_a_device_takes_nothing_from_host_memory_and_gives_results_of_nothing) {
    std::vector<double> const x(3, 1.0);
    sf::array_view const some = sf::view<double const>(x), none{nullptr, 0, sf::dtype::float64};
    EXPECT_EQ(sf::detail::where_made({some, none}).kind, sf::processor_kind::host);
    EXPECT_THROW((void)sf::detail::where_made_on_device({some}), sf::argument_error);
    EXPECT_THROW((void)sf::detail::where_made_on_device({none, some}), sf::argument_error);
    sf::execution const where = sf::detail::where_made_on_device({none, none});
    sf::detail::device_source const never_called{nullptr, nullptr};
    EXPECT_EQ(sf::detail::reduce_source({}, sf::dtype::float64, never_called, where, 0, sf::sum | sf::max, {}),
              sf::reduce({}, none, sf::sum | sf::max));
}

TEST(distance, of_every_type_is_the_norm_of_rounded_differences) {
    for (int t = 0; t < sf::dtype_count; ++t)
        for (int which = 0; which < pair_class_count; ++which)
            for (std::int64_t const n : {0, 1, 5, 5000, 40001}) {
                sample_pair const pair =
                    generate_pair(static_cast<pair_class>(which), static_cast<sf::dtype>(t), n, 23);
                sample const d = differences(pair);
                for (auto const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore})
                    expect_same(sf::distance({}, pair.x.view(), pair.y.view(), {.nans = nans}),
                                evaluate(summarise(d.bytes.data(), d.n, d.type), operation::l2, {.nans = nans}),
                                operation::l2, d.label);
            }
}

TEST(distance, neither_overflows_nor_vanishes) {
    std::vector<double> const x = {0x3p700, 0}, y = {0, 0x4p700}, p = {0x3p-700, 0}, q = {0, 0x4p-700};
    EXPECT_EQ(sf::distance({}, sf::view<double const>(x), sf::view<double const>(y)), 0x5p700);
    EXPECT_EQ(sf::distance({}, sf::view<double const>(p), sf::view<double const>(q)), 0x5p-700);
    sf::view<double const> const shorter(y.data(), 1);
    EXPECT_THROW((void)sf::distance({}, sf::view<double const>(x), shorter), sf::argument_error);
}

TEST(fast_reduce, keeps_the_order_of_operators_that_do_not_commute) {
    std::vector<char> text(20000);
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 26);
    std::vector<std::int32_t> const numbers(text.begin(), text.end());
    // Affine maps x -> a x + b modulo 2^32 compose associatively, but do not commute.
    struct affine {
        std::uint32_t a, b;
    };
    std::vector<affine> maps;
    for (std::int32_t const k : numbers) maps.push_back({static_cast<std::uint32_t>(2 * k + 1), 7u * k + 3u});
    auto const compose = [](affine f, affine g) { return affine{f.a * g.a, f.a * g.b + f.b}; };
    affine expected{1, 0};
    for (affine const& f : maps) expected = compose(expected, f);
    std::vector<std::uint64_t> packed;
    for (affine const& f : maps) packed.push_back(std::uint64_t{f.a} << 32 | f.b);
    auto const composed = sf::fast_reduce(
        sf::view<std::uint64_t const>(packed), std::uint64_t{1} << 32, [&](std::uint64_t f, std::uint64_t g) {
            auto const unpack = [](std::uint64_t w) {
                return affine{static_cast<std::uint32_t>(w >> 32), static_cast<std::uint32_t>(w)};
            };
            affine const h = compose(unpack(f), unpack(g));
            return std::uint64_t{h.a} << 32 | h.b;
        });
    EXPECT_EQ(composed, std::uint64_t{expected.a} << 32 | expected.b);
    EXPECT_EQ(sf::fast_reduce(sf::view<std::int32_t const>(), 42, [](int a, int) { return a; }), 42);
    auto const gcd = [](std::int32_t a, std::int32_t b) { return std::gcd(a, b); };
    EXPECT_EQ(sf::fast_reduce(sf::view<std::int32_t const>(numbers), 0, gcd), 1);
}

} // namespace
