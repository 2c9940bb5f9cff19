// `fast` mode: near the exact result, the same for the same settings, exact where the documentation says so.
#include "support/check.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace oracle;
using sf::operation;

constexpr sf::reduce_options fast{.mode = sf::reduction_mode::fast};
constexpr sf::dtype floating[] = {sf::dtype::float64,  sf::dtype::float32,   sf::dtype::float16,
                                  sf::dtype::bfloat16, sf::dtype::complex64, sf::dtype::complex128};
constexpr operation wandering[] = {operation::sum, operation::mean, operation::sum_of_squares, operation::l1,
                                   operation::l2};

bool wanders(sf::dtype type, operation op) {
    return sf::size_bytes(sf::component_type(type)) > 2 && std::ranges::find(wandering, op) != std::end(wandering);
}

sf::reduction_results run(sample const& s, sf::reduce_options const& options, int threads) {
    sf::reduction reduction{
        s.type, operations_of(s.type), options, {.kind = sf::processor_kind::host, .threads = threads}};
    reduction.add(s.view());
    return reduction.finish();
}

template <class Function>
void for_each_operation(sf::dtype type, Function&& f) {
    for (int i = 0; i < sf::operation_count; ++i)
        if (auto const op = static_cast<operation>(i); operations_of(type).contains(op)) f(op);
}

TEST(fast_mode, is_near_the_exact_result) {
    for (sf::dtype const type : floating)
        for (std::int64_t const n : {1, 7, 16, 1000, 70000}) {
            sample const s = generate(data_class::gaussian, type, n, 70);
            summary const exact = summarise(s.bytes.data(), n, type);
            sf::reduction_results const got = run(s, fast, 2);
            double const magnitudes = evaluate(exact, operation::l1, {.result = sf::dtype::float64}).as_double();
            double const unit =
                std::ldexp(1.0, 1 - (sf::component_type(got[operation::sum].type) == sf::dtype::float64 ? 53 : 24));
            for (operation const op : wandering) {
                double const scale = op == operation::mean ? magnitudes / static_cast<double>(n) : 4 * magnitudes;
                double const bound = unit * scale + std::ldexp(static_cast<double>(n), -53) * scale;
                for (int c = 0; c < (op == operation::sum || op == operation::mean ? sf::component_count(type) : 1);
                     ++c)
                    EXPECT_NEAR(got[op].as_double(c), evaluate(exact, op, {}).as_double(c), bound)
                        << s.label << " " << sf::name(op);
            }
        }
}

TEST(fast_mode, everything_else_is_exact) {
    for (sf::dtype const type : floating)
        for (data_class const which : classes_of(type)) {
            sample const s = generate(which, type, 5001, 71);
            summary const exact = summarise(s.bytes.data(), s.n, type);
            sf::reduction_results const got = run(s, fast, 2);
            for_each_operation(type, [&](operation op) {
                if (!wanders(type, op)) expect_same(got[op], evaluate(exact, op, fast), op, s.label);
            });
        }
    for (data_class const which : classes_of(sf::dtype::int64)) { // integers never wander
        sample const s = generate(which, sf::dtype::int64, 5001, 71);
        expect_results(run(s, fast, 2), summarise(s.bytes.data(), s.n, s.type), fast, s.label);
    }
}

TEST(fast_mode, treats_nan_and_infinity_as_exact_mode_does) {
    for (sf::dtype const type : floating)
        for (std::uint64_t seed = 0; seed < 60; ++seed)
            for (auto const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore}) {
                sample const s = generate(data_class::specials, type, seed % 2 == 0 ? 100 : 3, seed);
                sf::reduce_options const options{.mode = sf::reduction_mode::fast, .nans = nans};
                summary const exact = summarise(s.bytes.data(), s.n, type);
                sf::reduction_results const got = run(s, options, 1);
                for (operation const op : wandering) {
                    sf::result_value const expected = evaluate(exact, op, options);
                    if (!std::isfinite(expected.as_double()) && !sf::is_complex(expected.type))
                        expect_same(got[op], expected, op, s.label);
                    else
                        EXPECT_TRUE(std::isfinite(got[op].as_double()) == std::isfinite(expected.as_double()))
                            << s.label << " " << sf::name(op);
                }
            }
}

TEST(fast_mode, keeps_the_sign_of_zero_and_says_empty) {
    for (sf::dtype const type : floating) {
        sample const zeros = generate(data_class::negative_zeros, type, 100, 1),
                     nothing = generate(data_class::gaussian, type, 0, 1);
        for (operation const op : {operation::sum, operation::mean, operation::l1}) {
            expect_same(run(zeros, fast, 1)[op], evaluate(summarise(zeros.bytes.data(), 100, type), op, fast), op,
                        zeros.label);
            expect_same(run(nothing, fast, 1)[op], evaluate(summarise(nullptr, 0, type), op, fast), op, nothing.label);
        }
    }
}

TEST(fast_mode, overflow_on_the_way_is_reported) {
    std::vector<double> const x = {1e308, 1e308, -1e308};
    auto const got = sf::reduce({}, sf::array_view(sf::view<double const>(x)), sf::sum | sf::l2, fast);
    for (operation const op : {operation::sum, operation::l2})
        EXPECT_TRUE(std::isfinite(got[op].as_double()) || got[op].status != sf::status_flags::none) << sf::name(op);
}

TEST(fast_mode, is_the_same_for_the_same_settings) {
    for (sf::dtype const type : floating)
        for (int const threads : {1, 2, 3, 4}) {
            sample const s = generate(data_class::gaussian, type, 100000, 72);
            sf::reduction_results const first = run(s, fast, threads);
            for (int again = 0; again < 5; ++again)
                EXPECT_EQ(run(s, fast, threads), first) << s.label << " threads " << threads;
        }
}

TEST(fast_mode, dot_is_near_the_exact_result_and_special_values_are_exact) {
    for (std::int64_t const n : {0, 1, 15, 16, 17, 5000}) {
        auto const [x, y] = generate_pair(pair_class::inverse, sf::dtype::float64, n, 73);
        double const exact = sf::dot({}, x.view(), y.view()).as_double(),
                     got = sf::dot({}, x.view(), y.view(), fast).as_double();
        EXPECT_NEAR(got, exact, 1e-12 * 16 * static_cast<double>(n)) << x.label;
    }
    for (std::uint64_t seed = 0; seed < 200; ++seed)
        for (auto const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore}) {
            auto const [x, y] =
                generate_pair(pair_class::specials, sf::dtype::float32, 5, seed); // products fit float64
            sf::reduce_options const options{.mode = sf::reduction_mode::fast, .nans = nans};
            sf::result_value const expected =
                evaluate(summarise_pairs(x.bytes.data(), y.bytes.data(), 5, x.type), operation::dot, options);
            if (std::isnan(expected.as_double()))
                expect_same(sf::dot({}, x.view(), y.view(), options), expected, operation::dot, x.label);
        }
}

} // namespace
