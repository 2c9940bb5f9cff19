// Segments and axes of every type, shape and class of data on the GPU against the oracle, and against the host.
#include "segmented/cuda/device_outputs.hpp"
#include "support/spread.hpp"

namespace {

using namespace oracle;

struct segmented_cuda : cuda_test, testing::WithParamInterface<sf::dtype> {
    random_source random{static_cast<std::uint64_t>(GetParam()) + 40};

    std::int64_t length(int shape) {
        switch (shape) {
        case 0:
            return 1 + random.below(4);
        case 1:
            return random.below(33);
        case 2:
            return random.below(300);
        default:
            return random.below(std::int64_t{1} << random.between(0, 12));
        }
    }
};

TEST_P(segmented_cuda, segments_of_few_and_many_elements) {
    for (data_class const which : classes_of(GetParam()))
        for (sf::operation const op : operations_for(GetParam())) {
            int const shape = random.between(0, 3);
            sample const data = generate(which, GetParam(), 2000, random.bits());
            auto const offsets = random_offsets(data.n, random, [&] { return length(shape); });
            auto const options = drawn_options(GetParam(), random);
            segments_on_gpu(data, offsets, op, options, random.between(0, 7))
                .expect(data.type, op, options, segments_of(data, offsets), data.label);
        }
}

TEST_P(segmented_cuda, rows_of_one_length) {
    for (data_class const which : classes_of(GetParam()))
        for (sf::operation const op : operations_for(GetParam())) {
            std::int64_t const row = length(random.between(0, 3)), rows = 1 + random.below(100);
            sample const data = generate(which, GetParam(), row * rows, random.bits());
            auto const options = drawn_options(GetParam(), random);
            axis_on_gpu(data, {rows, row}, 1, op, options, random.between(0, 7))
                .expect(data.type, op, options, segments_of(data, equal_offsets(rows, row)), data.label);
        }
}

TEST_P(segmented_cuda, every_axis_of_arrays) {
    for (data_class const which : classes_of(GetParam()))
        for (auto const& extents : std::vector<std::vector<std::int64_t>>{
                 {40, 3}, {3, 40}, {4, 5, 6}, {2, 70, 35}, {1, 9, 1}, {9, 1, 7}, {2, 0, 3}, {3, 2, 4, 5}}) {
            std::int64_t n = 1;
            for (std::int64_t const extent : extents) n *= extent;
            sample const data = generate(which, GetParam(), n, random.bits());
            auto const operations = operations_for(GetParam());
            for (int axis = 0; axis < static_cast<int>(extents.size()); ++axis) {
                auto const op = operations[static_cast<std::size_t>(random.below(std::ssize(operations)))];
                auto const options = drawn_options(GetParam(), random);
                axis_on_gpu(data, extents, axis, op, options, random.between(0, 7))
                    .expect(data.type, op, options, lines_of(data, extents, axis), data.label);
            }
        }
}

TEST_P(segmented_cuda, strided_arrays) {
    for (sf::operation const op : operations_for(GetParam()))
        for (std::int64_t const stride : {2, -5, 0}) {
            auto const classes = classes_of(GetParam());
            auto const which = classes[static_cast<std::size_t>(random.below(std::ssize(classes)))];
            spread_sample const s = spread(generate(which, GetParam(), 9000, random.bits()), stride, random.bits());
            device_bytes const copy{s.memory};
            sf::array_view const x = s.at(copy.data());
            auto const options = drawn_options(GetParam(), random);
            int const shape = random.between(0, 3);
            for (auto const& offsets :
                 {random_offsets(9000, random, [&] { return length(shape); }), {0, 4000, 4000, 4003, 9000}})
                segments_of_device(x, offsets, op, options)
                    .expect(GetParam(), op, options, segments_of(s.together, offsets), s.together.label);
            std::vector<std::int64_t> const extents{3, 1000, 3};
            for (int axis = 0; axis < 3; ++axis)
                axis_of_device(x, extents, axis, op, options)
                    .expect(GetParam(), op, options, lines_of(s.together, extents, axis), s.together.label);
        }
}

TEST_P(segmented_cuda, products_and_bits) {
    for (sf::operation const op : factor_operations_for(GetParam()))
        for (int i = 0; i < 4; ++i) {
            sample const data = draw_factors(GetParam(), 9000, random);
            auto const options = drawn_options(GetParam(), random);
            for (auto const& offsets :
                 {random_offsets(9000, random, [&] { return length(2); }), {0, 4000, 4000, 4003, 9000}})
                segments_on_gpu(data, offsets, op, options, random.between(0, 7))
                    .expect_those_of_reduce(data.type, op, options, segments_of(data, offsets), data.label);
            std::vector<std::int64_t> const extents{3, 1000, 3};
            for (int axis = 0; axis < 3; ++axis)
                axis_on_gpu(data, extents, axis, op, options)
                    .expect_those_of_reduce(data.type, op, options, lines_of(data, extents, axis), data.label);
        }
}

/// So many elements that the shares of warps are large: batches of 32 rows, of one step each and of several.
TEST_P(segmented_cuda, many_segments_are_those_of_the_host) {
    sample const data = generate(classes_of(GetParam()).front(), GetParam(), std::int64_t{1} << 22, random.bits());
    for (int const mean : {8, 32, 64, 100, 300, 2000})
        for (sf::operation const op : {sf::operation::sum, sf::operation::mean}) {
            auto const offsets =
                random_offsets(data.n, random, [&] { return random.between(mean * 3 / 4, mean * 5 / 4); });
            sf::segmented_reduction reduction{data.type, op, {}};
            outputs expected{std::ssize(offsets) - 1, reduction.result_type()};
            reduction.segments(data.view(), offsets, expected.view());
            EXPECT_EQ(segments_on_gpu(data, offsets, op, {}), expected) << mean << " " << sf::name(op);
        }
}

TEST_P(segmented_cuda, outputs_that_many_warps_share_are_those_of_the_host) {
    auto const classes = classes_of(GetParam());
    for (std::size_t k = 0; k < classes.size(); k += 2) {
        sample const data = generate(classes[k], GetParam(), 3 * 100000, random.bits());
        auto const operations = operations_for(GetParam());
        auto const op = operations[static_cast<std::size_t>(random.below(std::ssize(operations)))];
        auto const options = drawn_options(GetParam(), random);
        auto const on_host = [&](auto const& call, std::int64_t count) {
            sf::segmented_reduction reduction{data.type, op, options};
            outputs out{count, reduction.result_type()};
            call(reduction, out.view());
            return out;
        };
        std::vector<std::int64_t> const offsets{0, 90000, 90000, 90007, 99000, 250000, data.n};
        outputs const segments = on_host(
            [&](auto& reduction, auto out) { reduction.segments(data.view(), offsets, out); }, std::ssize(offsets) - 1);
        EXPECT_EQ(segments_on_gpu(data, offsets, op, options), segments) << data.label << " " << sf::name(op);
        for (std::vector<std::int64_t> const& extents :
             std::vector<std::vector<std::int64_t>>{{100000, 3}, {3, 100000}, {3, 1000, 100}}) {
            for (int axis = 0; axis < static_cast<int>(extents.size()); ++axis) {
                outputs const along =
                    on_host([&](auto& reduction, auto out) { reduction.axis(data.view(), extents, axis, out); },
                            lines(extents, axis));
                EXPECT_EQ(axis_on_gpu(data, extents, axis, op, options), along)
                    << data.label << " " << sf::name(op) << " axis " << axis << " of " << extents.size();
            }
        }
    }
}

std::string type_name(testing::TestParamInfo<sf::dtype> const& info) {
    return std::string(sf::name(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, segmented_cuda,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int8, sf::dtype::int16, sf::dtype::int32,
                                         sf::dtype::int64, sf::dtype::uint8, sf::dtype::uint16, sf::dtype::uint32,
                                         sf::dtype::uint64, sf::dtype::complex64, sf::dtype::complex128),
                         type_name);

// Small enough for compute-sanitizer, every kernel once.
struct segmented_sanitizer : segmented_cuda {};

TEST_P(segmented_sanitizer, every_kernel_with_data_it_can_and_cannot_fold) {
    auto const classes = classes_of(GetParam());
    for (sf::operation const op : operations_for(GetParam()))
        for (data_class const which : {classes.front(), classes[2]}) {
            sample const data = generate(which, GetParam(), 700, random.bits());
            std::vector<std::int64_t> const offsets{1, 4, 4, 20, 500, 697};
            segments_on_gpu(data, offsets, op, {}).expect(data.type, op, {}, segments_of(data, offsets), data.label);
            axis_on_gpu(data, {350, 2}, 1, op, {})
                .expect(data.type, op, {}, segments_of(data, equal_offsets(350, 2)), data.label);
            for (std::vector<std::int64_t> const& extents : std::vector<std::vector<std::int64_t>>{{7, 100}, {100, 7}})
                axis_on_gpu(data, extents, 0, op, {}).expect(data.type, op, {}, lines_of(data, extents, 0), data.label);
        }
}

INSTANTIATE_TEST_SUITE_P(Sanitizer, segmented_sanitizer,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::int8,
                                         sf::dtype::uint64, sf::dtype::complex128),
                         type_name);

} // namespace
