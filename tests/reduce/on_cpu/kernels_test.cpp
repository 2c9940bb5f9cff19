// The reduction kernels, run on the CPU by fibers, against the oracle: every family, class of data and shape of grid.
#include "reduce/on_cpu/cases.hpp"
#include "reduce/on_cpu/samples.hpp"
#include "support/check.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace oracle;
using namespace on_cpu;

struct kernels_on_cpu : testing::TestWithParam<sf::dtype> {};

TEST_P(kernels_on_cpu, every_family_and_class) {
    sf::dtype const type = GetParam();
    std::uint64_t seed = 1;
    for (sf::operation_set const operations : families(type))
        for (data_class const which : classes_of(type)) {
            sf::reduce_options const options = options_for(++seed, type);
            on_cpu::workspace work{type, operations, options};
            for (std::int64_t const n : {1, 40, 2501}) { // the same workspace for data of different scale
                sample const s = generate(which, type, n, seed + static_cast<std::uint64_t>(n));
                shifted const x{s, static_cast<std::size_t>(++seed % 3)};
                summary const expected = summarise(s.bytes.data(), n, type);
                launch_shape const& shape = shapes[seed % std::size(shapes)];
                std::string const label = s.label + " " + to_string(operations) + ", " + std::to_string(shape.blocks) +
                                          " x " + std::to_string(shape.threads);
                expect_results(work.run({x.data, n, type}, {}, shape, seed), expected, options, label);
                expect_results(work.run({x.data, n, type}, {}, shape, seed + 1), expected, options, label + " again");
                EXPECT_TRUE(work.is_clean()) << label;
                expect_results(work.run_in_parts({x.data, n, type}, {}, shape, seed), expected, options,
                               label + " in parts");
                EXPECT_TRUE(work.is_clean()) << label << " in parts";
            }
        }
}

/// Long enough for windows to be raised and lowered, and for digit sums to be moved on.
TEST_P(kernels_on_cpu, many_batches_a_thread) {
    sf::dtype const type = GetParam();
    std::uint64_t seed = 1000;
    for (data_class const which : classes_of(type)) {
        sf::operation_set const operations = families(type)[++seed % families(type).size()];
        sf::reduce_options const options = options_for(seed, type);
        on_cpu::workspace work{type, operations, options};
        sample const s = generate(which, type, 40001, seed);
        shifted const x{s, static_cast<std::size_t>(seed % 3)};
        expect_results(work.run({x.data, s.n, type}, {}, {.blocks = 1, .threads = 32}, seed),
                       summarise(s.bytes.data(), s.n, type), options, s.label + " " + to_string(operations));
        EXPECT_TRUE(work.is_clean()) << s.label;
    }
}

void expect_extremes(sample const& s, launch_shape const& shape, std::uint64_t seed) {
    shifted const x{s, static_cast<std::size_t>(seed % 3)};
    on_cpu::workspace work{s.type, sf::extrema | sf::linf | sf::variance, {}};
    expect_results(work.run({x.data, s.n, s.type}, {}, shape, seed), summarise(s.bytes.data(), s.n, s.type), {},
                   s.label + ", seed " + std::to_string(seed));
}

/// One element under the window that an element of another scale has left: in the folds' reach or beyond it on either
/// side, with as many zero bits below its own as there can be.
TEST(kernels_on_cpu, a_number_of_any_scale_after_one_of_any_other) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::bfloat16})
        for (sf::operation_set const operations :
             {sf::operation_set{sf::sum}, sf::operation_set{sf::l1}, sf::sum_of_squares | sf::l2}) {
            on_cpu::workspace work{type, operations, {}};
            auto const expect_right = [&](double value, std::string const& label) {
                sample const s = as_sample({value}, type, label);
                shifted const x{s, 0};
                for (bool const may_be_small : {false, true})
                    expect_results(
                        work.run({x.data, 1, type}, {}, {.blocks = 1, .threads = 32, .may_be_small = may_be_small}, 1),
                        summarise(s.bytes.data(), 1, type), {}, label + " " + to_string(operations));
            };
            for (int before = -40; before <= 40; before += 16)
                for (int after = -120; after <= 120; ++after) {
                    std::string const label = std::to_string(after) + " after " + std::to_string(before);
                    expect_right(std::ldexp(1.0, before), label + ", first");
                    expect_right(std::ldexp(after % 2 == 0 ? 1.0 : -1.0, after), label);
                    EXPECT_TRUE(work.is_clean()) << label;
                }
        }
}

/// Twice, the second time under the window of the first.
void expect_twice(std::vector<double> const& values, sf::operation_set operations, sf::reduce_options const& options,
                  launch_shape const& shape, std::string const& label) {
    sample const s = as_sample(values, sf::dtype::float64, label);
    shifted const x{s, 0};
    on_cpu::workspace work{s.type, operations, options};
    for (std::uint64_t seed : {1, 2})
        expect_results(work.run({x.data, s.n, s.type}, {}, shape, seed), summarise(s.bytes.data(), s.n, s.type),
                       options, label + ", launch " + std::to_string(seed));
}

/// Just below the middle between the largest subnormal float32 number and the smallest normal one, which is where
/// float64 rounds it to.
TEST(kernels_on_cpu, float32_results_at_the_end_of_its_normal_numbers) {
    std::vector<double> const values{0x1.fffffep-127, -0x1p-185};
    for (bool const may_be_small : {false, true})
        expect_twice(values, sf::sum, {.result = sf::dtype::float32}, {.threads = 32, .may_be_small = may_be_small},
                     "sum at 2^-126");
    expect_twice({0x1.fffffep-126, -0x1p-184}, sf::mean, {.result = sf::dtype::float32},
                 {.threads = 32, .may_be_small = true}, "mean at 2^-126");
}

/// The sum has more bits than a float64 mean times the number of elements can have, with a gap in between.
TEST(kernels_on_cpu, mean_of_a_sum_of_more_than_106_bits_is_inexact) {
    std::vector<double> values(196608, 2 + 0x1p-51);
    values[0] = 3 + 0x1p-51;
    values[1] = 3 + 0x1p-50 - 0x1p-39;
    values[2] = 0x1p-39 + 0x1p-91;
    expect_twice(values, sf::mean, {}, {.blocks = 4, .threads = 256}, "mean of 196608");
}

constexpr sf::dtype types_with_extremes[] = {sf::dtype::float64, sf::dtype::float32, sf::dtype::bfloat16};

/// Few different values, so that the extremes come again and again, also before and after the aligned vectors. The
/// first of them in the array wins, and -0 is below +0.
TEST(kernels_on_cpu, first_of_many_equal_extremes) {
    std::mt19937_64 random{7};
    for (sf::dtype const type : types_with_extremes)
        for (std::uint64_t round = 0; round < 24; ++round) {
            std::vector<double> values(5000 + random() % 5000);
            double const lowest = round % 4 == 0 ? 0 : round % 4 == 1 ? -3 : 1;
            for (double& value : values) {
                value = lowest + static_cast<double>(random() % 200) / 16;
                if (value == 0 && random() % 8 == 0) value = -0.0;
            }
            expect_extremes(as_sample(values, type, "few values"),
                            {.blocks = 1 + static_cast<int>(random() % 3), .threads = 256}, random());
        }
}

/// Two warps meet equal extremes at the same time, and the one whose come first in the array has just been busy: by
/// then the other one has told it what to beat.
TEST(kernels_on_cpu, first_of_equal_extremes_of_two_warps) {
    std::mt19937_64 random{8};
    for (sf::dtype const type : types_with_extremes) {
        std::size_t const tile = type == sf::dtype::float64 ? 128 : type == sf::dtype::float32 ? 512 : 1024;
        for (int round = 0; round < 40; ++round) {
            std::vector<double> values(8 * 4 * tile);
            for (double& value : values) value = 5 + static_cast<double>(random() % 1000) / 1024;
            std::size_t const first = random() % 4, second = 4 + random() % 4; // warps
            auto const place = [&](std::size_t turn, std::size_t warp, double low, double high) {
                std::size_t const at = (8 * turn + warp) * tile + 8;
                values[at + random() % (tile / 2 - 16)] = low;
                values[at + tile / 2 + random() % (tile / 2 - 16)] = high;
            };
            place(1, first, 2, 9);
            place(2, first, 1, 10);
            place(2, second, 1, 10);
            expect_extremes(as_sample(values, type, "two warps"), {.blocks = 1, .threads = 256}, random());
        }
    }
}

std::string type_name(testing::TestParamInfo<sf::dtype> const& info) {
    return std::string(sf::name(info.param));
}
INSTANTIATE_TEST_SUITE_P(all, kernels_on_cpu,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int8, sf::dtype::int64, sf::dtype::uint16,
                                         sf::dtype::uint64, sf::dtype::complex64, sf::dtype::complex128),
                         type_name);

TEST(kernels_on_cpu, dot_of_every_class) {
    std::uint64_t seed = 1;
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16,
                                 sf::dtype::int32, sf::dtype::int64, sf::dtype::uint64})
        for (int k = 0; k < pair_class_count; ++k) {
            auto const which = static_cast<pair_class>(k);
            sf::reduce_options const options = options_for(++seed, type);
            on_cpu::workspace work{type, sf::operation::dot, options};
            for (std::int64_t const n : {1, 40, 2501}) {
                sample_pair const pair = generate_pair(which, type, n, ++seed);
                shifted const x{pair.x, static_cast<std::size_t>(seed % 2)},
                    y{pair.y, static_cast<std::size_t>(seed % 3)};
                summary const expected = summarise_pairs(pair.x.bytes.data(), pair.y.bytes.data(), n, type);
                launch_shape const& shape = shapes[seed % std::size(shapes)];
                expect_results(work.run({x.data, n, type}, {y.data, n, type}, shape, seed), expected, options,
                               pair.x.label);
                EXPECT_TRUE(work.is_clean()) << pair.x.label;
                expect_results(work.run_in_parts({x.data, n, type}, {y.data, n, type}, shape, seed), expected, options,
                               pair.x.label + " in parts");
            }
        }
}

} // namespace
