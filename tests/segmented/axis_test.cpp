// Reductions along every axis against the oracle, extents of 0 and 1 among them, and the same bits for any number of
// threads.
#include "segmented/outputs.hpp"
#include "support/spread.hpp"

#include <gtest/gtest.h>

namespace {

using namespace oracle;

sf::execution threads(int count) {
    return {.kind = sf::processor_kind::host, .threads = count};
}

outputs run(sf::array_view x, std::vector<std::int64_t> const& extents, int axis, sf::operation op,
            sf::reduce_options const& options, int count) {
    sf::segmented_reduction reduction{x.type, op, options, threads(count)};
    outputs out{lines(extents, axis), reduction.result_type()};
    reduction.axis(x, extents, axis, out.view());
    return out;
}

outputs run(sample const& data, std::vector<std::int64_t> const& extents, int axis, sf::operation op,
            sf::reduce_options const& options, int count) {
    return run(data.view(), extents, axis, op, options, count);
}

void check_every_axis(sf::dtype type, data_class which, std::vector<std::int64_t> const& extents,
                      random_source& random) {
    std::int64_t n = 1;
    for (std::int64_t const extent : extents) n *= extent;
    sample const data = generate(which, type, n, random.bits());
    auto const operations = operations_for(type);
    for (int axis = 0; axis < static_cast<int>(extents.size()); ++axis) {
        auto const op = operations[static_cast<std::size_t>(random.below(std::ssize(operations)))];
        auto const options = drawn_options(type, random);
        run(data, extents, axis, op, options, 1)
            .expect(type, op, options, lines_of(data, extents, axis), data.label + " axis " + std::to_string(axis));
    }
}

struct axis : testing::TestWithParam<sf::dtype> {};

TEST_P(axis, of_arrays_of_one_to_four_dimensions) {
    random_source random{31};
    for (data_class const which : classes_of(GetParam()))
        for (auto const& extents : std::vector<std::vector<std::int64_t>>{{37},
                                                                          {1},
                                                                          {0},
                                                                          {5, 7},
                                                                          {20, 3},
                                                                          {3, 20},
                                                                          {4, 3, 5},
                                                                          {1, 9, 1},
                                                                          {6, 1, 4},
                                                                          {2, 0, 3},
                                                                          {0, 2, 3},
                                                                          {2, 3, 0},
                                                                          {3, 2, 2, 3}})
            check_every_axis(GetParam(), which, extents, random);
}

TEST_P(axis, of_strided_arrays) {
    random_source random{34};
    auto const classes = classes_of(GetParam());
    auto const operations = operations_for(GetParam());
    for (std::int64_t const stride : {2, -5, 0, 40})
        for (auto const& extents : std::vector<std::vector<std::int64_t>>{{12, 10, 9}, {5000, 3}, {3, 5000}}) {
            auto const which = classes[static_cast<std::size_t>(random.below(std::ssize(classes)))];
            std::int64_t const n = extents.size() == 3 ? 1080 : 15000;
            spread_sample const x = spread(generate(which, GetParam(), n, random.bits()), stride, random.bits());
            for (int axis = 0; axis < static_cast<int>(extents.size()); ++axis) {
                auto const op = operations[static_cast<std::size_t>(random.below(std::ssize(operations)))];
                auto const options = drawn_options(GetParam(), random);
                outputs const got = run(x.view(), extents, axis, op, options, 1);
                got.expect(GetParam(), op, options, lines_of(x.together, extents, axis),
                           x.together.label + " axis " + std::to_string(axis));
                EXPECT_EQ(run(x.view(), extents, axis, op, options, 3), got) << x.together.label << ", 3 threads";
            }
        }
}

TEST_P(axis, longer_than_a_tile) {
    random_source random{32};
    auto const classes = classes_of(GetParam());
    using shapes = std::vector<std::vector<std::int64_t>>;
    shapes const all = sanitized ? shapes{{4200, 3}} : shapes{{4500, 3}, {2, 2500, 3}, {2, 2, 4200}, {3, 700, 9}};
    for (std::size_t k = 0; k < classes.size(); k += sanitized ? 9 : 5)
        for (auto const& extents : all) check_every_axis(GetParam(), classes[k], extents, random);
}

TEST_P(axis, gives_the_same_bits_for_any_number_of_threads) {
    random_source random{33};
    auto const classes = classes_of(GetParam());
    for (std::size_t k = 0; k < classes.size(); k += sanitized ? 9 : 5) {
        for (auto const& extents :
             std::vector<std::vector<std::int64_t>>{{40000, 2}, {2, 20000, 2}, {40, 50, 30}, {200, 300}}) {
            std::int64_t n = 1;
            for (std::int64_t const extent : extents) n *= extent;
            sample const data = generate(classes[k], GetParam(), n, random.bits());
            auto const operations = operations_for(GetParam());
            for (int along = 0; along < static_cast<int>(extents.size()); ++along) {
                auto const op = operations[static_cast<std::size_t>(random.below(std::ssize(operations)))];
                auto const options = drawn_options(GetParam(), random);
                outputs const one = run(data, extents, along, op, options, 1);
                for (int const count : {2, 3, 6})
                    EXPECT_EQ(run(data, extents, along, op, options, count), one)
                        << data.label << " axis " << along << " " << sf::name(op) << " " << count << " threads";
                if (lines(extents, along) < 10)
                    one.expect(data.type, op, options, lines_of(data, extents, along), data.label);
            }
        }
    }
}

std::string type_name(testing::TestParamInfo<sf::dtype> const& info) {
    return std::string(sf::name(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, axis,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int8, sf::dtype::int16, sf::dtype::int32,
                                         sf::dtype::int64, sf::dtype::uint8, sf::dtype::uint16, sf::dtype::uint32,
                                         sf::dtype::uint64, sf::dtype::complex64, sf::dtype::complex128),
                         type_name);

TEST(axis_reduce, of_a_small_table) {
    std::vector<double> const table{1, 2, 3, 4, 5, 6};
    std::vector<std::int64_t> const extents{2, 3};
    std::vector<double> columns(3), rows(2);
    sf::axis_reduce(sf::view<double const>{table}, extents, 0, sf::operation::sum, sf::view<double>{columns});
    sf::axis_reduce(sf::view<double const>{table}, extents, 1, sf::operation::mean, sf::view<double>{rows});
    EXPECT_EQ(columns, (std::vector<double>{5, 7, 9}));
    EXPECT_EQ(rows, (std::vector<double>{2, 5}));
    std::vector<std::int64_t> largest(3);
    sf::axis_reduce(sf::view<double const>{table}, extents, 0, sf::operation::argmax, sf::view<std::int64_t>{largest});
    EXPECT_EQ(largest, (std::vector<std::int64_t>{1, 1, 1}));
}

} // namespace
