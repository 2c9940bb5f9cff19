// The arithmetic of what GPUs make before they reduce it, run on the host: against the oracles, bit for bit.
#include "exact/widen.hpp"
#include "reduce/backend.hpp"
#include "reduce/factors.hpp"
#include "reduce/finish.hpp"
#include "reduce/makers.hpp"
#include "reduce/special_numbers.hpp"
#include "reduce/two_states.hpp"
#include "support/check.hpp"
#include "support/number_formats.hpp"
#include "support/oracle_factors.hpp"
#include "support/oracle_made.hpp"
#include "support/spread.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace oracle;
using namespace sf::reduce_detail;
using sf::operation;
namespace exact = sf::exact;

constexpr std::int64_t lengths[] = {0, 1, 2, 3, 31, 500};

bool same_numbers(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

sf::dtype type_number(int t) {
    return static_cast<sf::dtype>(t);
}

template <class Maker>
void make_all(Maker const& maker, std::int64_t count, void* out) {
    for (std::int64_t i = 0; i < count; ++i) maker.make(i, out, i);
}

TEST(widened_bits, keep_every_value_of_16_bits) {
    for (sf::dtype const type : {sf::dtype::float16, sf::dtype::bfloat16})
        for (std::uint64_t bits = 0; bits < 65536; ++bits)
            ASSERT_TRUE(same_numbers(std::bit_cast<double>(exact::widened_bits(bits, exact::format_of(type))),
                                     decode(bits, type)))
                << bits;
}

TEST(widened_bits, keep_floats_of_every_exponent) {
    random_source random{1};
    for (std::uint64_t high = 0; high < 512; ++high)
        for (std::uint64_t const low : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x7fffff}, random.bits()}) {
            std::uint64_t const bits = high << 23 | (low & 0x7fffff);
            double const wide = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
            ASSERT_TRUE(same_numbers(
                std::bit_cast<double>(exact::widened_bits(bits, exact::format_of(sf::dtype::float32))), wide))
                << bits;
        }
}

TEST(made_differences, are_those_of_the_oracle) {
    for (int t = 0; t < sf::dtype_count; ++t)
        for (int which = 0; which < pair_class_count; ++which)
            for (std::int64_t const n : lengths) {
                sample_pair const pair = generate_pair(static_cast<pair_class>(which), type_number(t), n, 41);
                sample const expected = differences(pair);
                sf::dtype const part = sf::component_type(expected.type);
                std::size_t const bytes = sf::size_bytes(part);
                std::int64_t const parts = pair.x.n * sf::component_count(pair.x.type);
                std::vector<std::uint64_t> made(expected.bytes.size() / 8 + 1);
                make_all(difference_maker{pair.x.view(), pair.y.view()}, parts, made.data());
                for (std::int64_t i = 0; i < parts; ++i) {
                    std::size_t const at = static_cast<std::size_t>(i) * bytes;
                    std::uint64_t const got = read_bits(reinterpret_cast<std::byte*>(made.data()) + at, bytes);
                    std::uint64_t const wanted = read_bits(expected.bytes.data() + at, bytes);
                    bool const nans =
                        !sf::is_integer(part) && std::isnan(decode(got, part)) && std::isnan(decode(wanted, part));
                    ASSERT_TRUE(got == wanted || nans) << expected.label << " " << i;
                }
            }
}

TEST(made_powers, are_rounded_one_operation_after_the_other) {
    for (int t = 0; t < sf::dtype_count; ++t) {
        sf::dtype const type = type_number(t);
        if (sf::is_complex(type)) continue;
        bool const integer = sf::is_integer(type);
        for (data_class const which : classes_of(type)) {
            sample const s = generate(which, type, 300, 42);
            std::int64_t const missing = integer ? static_cast<std::int64_t>(read_integer(s.at(7), type)) : 0;
            for (double const mean : {0.0, 0.7, -3e5})
                for (int power = 2; power <= 4; ++power) {
                    std::vector<double> made(static_cast<std::size_t>(s.n));
                    make_all(power_maker{s.view(), mean, power, integer, missing}, s.n, made.data());
                    for (std::int64_t i = 0; i < s.n; ++i) {
                        double const x = integer ? static_cast<double>(read_integer(s.at(i), type))
                                                 : decode(read_bits(s.at(i), sf::size_bytes(type)), type);
                        bool const left_out =
                            integer && static_cast<std::int64_t>(read_integer(s.at(i), type)) == missing;
                        double const d = x - mean, d2 = d * d;
                        double const wanted = power == 2 ? d2 : power == 3 ? d2 * d : d2 * d2;
                        ASSERT_TRUE(same_numbers(made[static_cast<std::size_t>(i)], left_out ? std::nan("") : wanted))
                            << s.label << " " << i << " to the " << power;
                    }
                }
        }
    }
}

/// The state of one kernel's work: of pairs, or of a sum.
exact::reduction_state gathered(plan const& what, void const* x, void const* y, std::int64_t count) {
    auto const back_end = make_host_backend(what, {.threads = 1});
    if (y != nullptr)
        back_end->add_pairs({x, count, what.type}, {y, count, what.type}, {});
    else
        back_end->add({x, count, what.type}, 0, {});
    return back_end->take();
}

sf::result_value finished(plan const& whole, exact::reduction_state const& first, exact::reduction_state const& second,
                          std::int64_t elements, sf::reduce_options const& options) {
    exact::reduction_state state = joined(whole, first, second);
    state.elements = elements;
    exact::normalise(state, whole.type);
    return finish(state, whole, options)[static_cast<operation>(std::countr_zero(whole.operations.bits()))];
}

sf::result_value dot_of_made_pairs(sample_pair const& pair, operation op, sf::reduce_options const& options) {
    sf::dtype const real = sf::component_type(pair.x.type);
    std::size_t const words = pair.x.bytes.size() / 8 + 1;
    std::vector<std::uint64_t> x(words), first(words), second(words);
    pair_maker const make{pair.x.view(), pair.y.view(), op == operation::dot_conjugated};
    pair_maker::outputs const out{x.data(), first.data(), second.data()};
    for (std::int64_t i = 0; i < pair.x.n; ++i) make.make(i, out, i);
    plan const part = make_plan(real, operation::dot, {});
    return finished(make_plan(pair.x.type, op, options), gathered(part, x.data(), first.data(), 2 * pair.x.n),
                    gathered(part, x.data(), second.data(), 2 * pair.x.n), pair.x.n, options);
}

TEST(made_pairs, give_complex_dots) {
    for (sf::dtype const type : {sf::dtype::complex64, sf::dtype::complex128})
        for (int which = 0; which < pair_class_count; ++which)
            for (std::int64_t const n : lengths)
                for (std::uint64_t seed = 1; seed < 6; ++seed) {
                    sample_pair const pair = generate_pair(static_cast<pair_class>(which), type, n, seed);
                    for (auto const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore})
                        for (operation const op : {operation::dot, operation::dot_conjugated}) {
                            sf::reduce_options const options{.nans = nans};
                            expect_same(dot_of_made_pairs(pair, op, options),
                                        complex_dot(pair, op == operation::dot_conjugated, options), op, pair.x.label);
                        }
                }
}

sf::result_value mean_of_made_weights(sample_pair const& pair, sf::reduce_options const& options) {
    std::vector<std::uint64_t> made(pair.x.bytes.size() / 8 + 1);
    void const* w = pair.x.bytes.data();
    if (!sf::is_integer(pair.x.type)) {
        make_all(weight_maker{pair.x.view(), pair.y.view()}, pair.x.n, made.data());
        w = made.data();
    }
    return finished(
        make_plan(pair.x.type, operation::weighted_mean, options),
        gathered(make_plan(pair.x.type, operation::dot, {}), pair.x.bytes.data(), pair.y.bytes.data(), pair.x.n),
        gathered(make_plan(pair.x.type, sf::sum, {}), w, nullptr, pair.x.n), pair.x.n, options);
}

TEST(made_weights, give_weighted_means) {
    for (int t = 0; t < sf::dtype_count; ++t)
        for (int which = 0; which < pair_class_count && !sf::is_complex(type_number(t)); ++which)
            for (std::int64_t const n : lengths)
                for (std::uint64_t seed = 1; seed < 6; ++seed) {
                    sample_pair const pair = generate_pair(static_cast<pair_class>(which), type_number(t), n, seed);
                    for (auto const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore})
                        expect_same(mean_of_made_weights(pair, {.nans = nans}), weighted_mean(pair, {.nans = nans}),
                                    operation::weighted_mean, pair.x.label + " . " + pair.y.label);
                }
}

TEST(made_pairs, of_all_special_numbers_beside_negative_zeros) {
    for (auto const& other : negative_zero_pairs)
        for_each_four([&](std::array<double, 4> const& z) {
            double const x[] = {z[0], z[1], other[0], other[1]}, y[] = {z[2], z[3], other[2], other[3]};
            sample_pair const pair{sample_of(sf::dtype::complex64, x, "x"), sample_of(sf::dtype::complex64, y, "y")};
            sf::reduce_options const options{.nans = sf::nan_policy::ignore};
            for (operation const op : {operation::dot, operation::dot_conjugated})
                expect_same(dot_of_made_pairs(pair, op, options),
                            complex_dot(pair, op == operation::dot_conjugated, options), op, "special numbers");
        });
}

TEST(made_weights, of_all_special_numbers) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16})
        for_each_four([type](std::array<double, 4> const& z) {
            double const w[] = {z[0], z[1]}, x[] = {z[2], z[3]};
            sample_pair const pair{sample_of(type, w, "w"), sample_of(type, x, "x")};
            for (auto const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore})
                expect_same(mean_of_made_weights(pair, {.nans = nans}), weighted_mean(pair, {.nans = nans}),
                            operation::weighted_mean, "special numbers");
        });
}

/// What `maker` makes of `count` elements or numbers, at most 16 bytes each.
template <class Maker>
std::vector<std::uint64_t> made_by(Maker const& maker, std::int64_t count) {
    std::vector<std::uint64_t> made(static_cast<std::size_t>(2 * count));
    make_all(maker, count, made.data());
    return made;
}

TEST(made_elements, of_strided_arrays_are_those_of_copies) {
    constexpr std::int64_t n = 300;
    for (int t = 0; t < sf::dtype_count; ++t)
        for (auto const& [of_x, of_y] : {std::pair<std::int64_t, std::int64_t>{2, -3}, {1, 7}, {-1, 1}, {0, 5}}) {
            sf::dtype const type = type_number(t);
            auto const which = classes_of(type)[0];
            spread_sample const a = spread(generate(which, type, n, 44), of_x, 44);
            spread_sample const b = spread(generate(which, type, n, 45), of_y, 45);
            sf::array_view const x = a.view(), y = b.view(), x2 = a.together.view(), y2 = b.together.view();
            std::string const label = a.together.label + " and " + b.together.label;
            std::int64_t const numbers = n * sf::component_count(type);
            EXPECT_EQ(made_by(difference_maker{x, y}, numbers), made_by(difference_maker{x2, y2}, numbers)) << label;
            if (sf::is_complex(type)) {
                auto const pairs = [](pair_maker const& make) {
                    std::vector<std::uint64_t> first(2 * n), second(2 * n), third(2 * n);
                    for (std::int64_t i = 0; i < n; ++i) make.make(i, {first.data(), second.data(), third.data()}, i);
                    return std::array{first, second, third};
                };
                EXPECT_EQ(pairs({x, y, true}), pairs({x2, y2, true})) << label;
                continue;
            }
            EXPECT_EQ(made_by(power_maker{y, 0.5, 3, false, 0}, n), made_by(power_maker{y2, 0.5, 3, false, 0}, n));
            if (sf::is_integer(type)) continue;
            EXPECT_EQ(made_by(weight_maker{x, y}, n), made_by(weight_maker{x2, y2}, n)) << label;
        }
}

/// As a GPU does: counts by one kernel, bits and product by another one, in `parts` of it.
sf::reduction_results by_factor_rules(sample const& s, sf::reduce_options const& options, std::int64_t parts) {
    plan const whole = make_plan(s.type, factor_operations_of(s.type), options);
    exact::reduction_state state =
        gathered(make_plan(s.type, sf::any | sf::every, {.missing = options.missing}), s.bytes.data(), nullptr, s.n);
    factor_rules const rules{s.type, true, options.missing.has_value(), options.missing.value_or(0)};
    for (std::int64_t p = 0; p < parts; ++p) {
        factor_state mine;
        for (std::int64_t i = p; i < s.n; i += parts) rules.take(read_bits(s.at(i), sf::size_bytes(s.type)), mine);
        state.bits.merge(mine.bits);
        state.product.merge(mine.product);
    }
    return finish(state, whole, options);
}

TEST(factor_rules, give_products_and_bits_of_every_type) {
    for (int t = 0; t < sf::dtype_count; ++t) {
        sf::dtype const type = type_number(t);
        if (sf::is_complex(type)) continue;
        for (data_class const which : classes_of(type))
            for (std::int64_t const n : lengths) {
                sample const s = generate(which, type, n, 43);
                sf::reduce_options options{.nans = n % 2 == 0 ? sf::nan_policy::propagate : sf::nan_policy::ignore};
                if (sf::is_integer(type) && n > 2) {
                    auto const missing = static_cast<std::int64_t>(read_integer(s.at(2), type));
                    if (type != sf::dtype::uint64 || missing >= 0) options.missing = missing;
                }
                for (std::int64_t const parts : {1, 7}) {
                    sf::reduction_results const got = by_factor_rules(s, options, parts);
                    for (operation const op :
                         {operation::bit_and, operation::bit_or, operation::bit_xor, operation::product})
                        if (got.operations().contains(op))
                            expect_same(got[op], evaluate_factors(s, op, options), op, s.label);
                }
            }
    }
}

} // namespace
