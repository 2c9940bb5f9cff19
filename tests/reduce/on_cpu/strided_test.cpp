// Arrays whose elements lie apart, by the reduction kernels on the CPU: the oracle's bits, and nothing between the
// elements is read.
#include "reduce/on_cpu/cases.hpp"
#include "support/check.hpp"
#include "support/spread.hpp"

#include <gtest/gtest.h>

namespace {

using namespace oracle;
using namespace on_cpu;

constexpr std::int64_t strides[] = {2, 3, 7, -1, -5, 0, 100};
/// Fewer than a vector, whole vectors only, and with a rest; one tile and many.
constexpr std::int64_t lengths[] = {1, 2, 3, 15, 16, 33, 640, 2501};

struct strided_on_cpu : testing::TestWithParam<sf::dtype> {};

TEST_P(strided_on_cpu, every_family_and_stride) {
    sf::dtype const type = GetParam();
    auto const classes = classes_of(type);
    std::uint64_t seed = 1;
    for (sf::operation_set const operations : families(type)) {
        sf::reduce_options const options = options_for(++seed, type);
        on_cpu::workspace work{type, operations, options};
        for (std::int64_t const stride : strides)
            for (std::int64_t const n : lengths) {
                ++seed;
                sample const s = generate(classes[seed % classes.size()], type, n, seed);
                spread_sample const x = spread(s, stride, seed);
                summary const expected = summarise(x.together.bytes.data(), n, type);
                launch_shape const& shape = shapes[seed % std::size(shapes)];
                std::string const label = x.together.label + " " + to_string(operations);
                expect_results(work.run(x.view(), {}, shape, seed), expected, options, label);
                expect_results(work.run_in_parts(x.view(), {}, shape, seed), expected, options, label + " in parts");
                EXPECT_TRUE(work.is_clean()) << label;
            }
    }
}

/// Few values, so that the first of equal ones has to be found.
TEST_P(strided_on_cpu, extremes_are_where_they_come_first) {
    sf::dtype const type = GetParam();
    if (sf::is_complex(type)) return;
    on_cpu::workspace work{type, sf::extrema | sf::linf | sf::zero_count, {}};
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
        auto const n = static_cast<std::int64_t>(1000 + 331 * seed);
        sample s = generate(sf::is_integer(type) ? data_class::integer_small : data_class::coarse, type, n, seed);
        spread_sample const x = spread(s, strides[seed % std::size(strides)], seed);
        expect_results(work.run(x.view(), {}, shapes[seed % std::size(shapes)], seed),
                       summarise(x.together.bytes.data(), n, type), {}, x.together.label);
    }
}

TEST_P(strided_on_cpu, nothing_has_no_elements_whatever_its_stride) {
    on_cpu::workspace work{GetParam(), sf::sum, {}};
    expect_results(work.run({nullptr, 0, GetParam(), 5}, {}, shapes[0], 1), summarise(nullptr, 0, GetParam()), {},
                   "nothing");
}

INSTANTIATE_TEST_SUITE_P(all, strided_on_cpu,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int8, sf::dtype::int32, sf::dtype::int64,
                                         sf::dtype::uint16, sf::dtype::uint64, sf::dtype::complex64,
                                         sf::dtype::complex128),
                         [](auto const& info) { return std::string(sf::name(info.param)); });

TEST(strided_on_cpu, dots_of_arrays_with_strides_of_their_own) {
    std::uint64_t seed = 1;
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::bfloat16,
                                 sf::dtype::int8, sf::dtype::int64, sf::dtype::uint32})
        for (auto const& [of_x, of_y] :
             {std::pair<std::int64_t, std::int64_t>{2, 3}, {1, -1}, {-5, 1}, {0, 7}, {3, 0}}) {
            sf::reduce_options const options = options_for(++seed, type);
            on_cpu::workspace work{type, sf::operation::dot, options};
            for (std::int64_t const n : lengths) {
                auto const which = static_cast<pair_class>(++seed % pair_class_count);
                sample_pair const pair = generate_pair(which, type, n, seed);
                spread_sample const x = spread(pair.x, of_x, seed), y = spread(pair.y, of_y, seed + 1);
                summary const expected =
                    summarise_pairs(x.together.bytes.data(), y.together.bytes.data(), pair.x.n, type);
                launch_shape const& shape = shapes[seed % std::size(shapes)];
                std::string const label = x.together.label + " . " + y.together.label;
                expect_results(work.run(x.view(), y.view(), shape, seed), expected, options, label);
                expect_results(work.run_in_parts(x.view(), y.view(), shape, seed), expected, options,
                               label + " in parts");
                EXPECT_TRUE(work.is_clean()) << label;
            }
        }
}

/// Plain sums are in no fixed order of elements, but repeat, and are of the right elements.
TEST(strided_on_cpu, fast_sums_of_whole_numbers_are_those_of_copies) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::complex64})
        for (std::int64_t const stride : strides) {
            sample const s = generate(data_class::coarse, type, 2501, 5);
            spread_sample const x = spread(s, stride, 6);
            sf::operation_set const sums = sf::sum | sf::l1 | sf::sum_of_squares;
            on_cpu::workspace work{type, sums, {.mode = sf::reduction_mode::fast}};
            sf::reduction_results const got = work.run(x.view(), {}, {.blocks = 3, .threads = 64}, 7);
            EXPECT_EQ(got, work.run(x.together.view(), {}, {.blocks = 3, .threads = 64}, 8)) << x.together.label;
        }
}

} // namespace
