// The GPU's kernels against the oracle, without a GPU: every type and operation, segments, rows and columns, cut among
// few and many warps.
#include "segmented/arguments.hpp"
#include "segmented/on_cpu/launch.hpp"
#include "segmented/outputs.hpp"
#include "support/spread.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <new>

namespace {

using namespace oracle;
namespace seg = steadfold::segmented;

/// Data at an address that is `shift` components from an aligned one, and nothing behind it.
class shifted_bytes {
  public:
    shifted_bytes(sample const& data, int shift) : offset_{static_cast<std::size_t>(shift) * step(data.type)} {
        memory_.reset(static_cast<std::byte*>(::operator new(offset_ + data.bytes.size(), alignment)));
        std::copy(data.bytes.begin(), data.bytes.end(), memory_.get() + offset_);
    }
    [[nodiscard]] std::byte const* data() const { return memory_.get() + offset_; }

  private:
    static constexpr std::align_val_t alignment{64};
    static std::size_t step(sf::dtype type) { return sf::size_bytes(sf::component_type(type)); }
    struct release {
        void operator()(std::byte* p) const { ::operator delete(p, alignment); }
    };
    std::size_t offset_;
    std::unique_ptr<std::byte, release> memory_;
};

struct kernels_on_cpu : testing::TestWithParam<sf::dtype> {
    random_source random{static_cast<std::uint64_t>(GetParam()) + 7};

    sample draw(std::int64_t n) {
        auto const classes = classes_of(GetParam());
        return generate(classes[static_cast<std::size_t>(random.below(std::ssize(classes)))], GetParam(), n,
                        random.bits());
    }

    std::int64_t length() {
        switch (random.below(4)) {
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

    void check_segments(sample const& data, std::vector<std::int64_t> const& offsets, sf::operation op,
                        std::int64_t warps) {
        shifted_bytes const x{data, random.between(0, 7)};
        check_segments({x.data(), data.n, data.type}, data, offsets, op, warps);
    }

    /// `x` has the elements of `data`.
    void check_segments(sf::array_view x, sample const& data, std::vector<std::int64_t> const& offsets,
                        sf::operation op, std::int64_t warps) {
        auto const options = drawn_options(data.type, random);
        seg::settings const settings = seg::make_settings(data.type, op, options);
        outputs out{std::ssize(offsets) - 1, settings.result};
        auto const result =
            on_cpu::launch(settings,
                           seg::problem_of_segments(
                               settings, x, sf::view<std::int64_t const>{offsets.data(), offsets.size()}, out.view()),
                           warps, random.bits());
        EXPECT_FALSE(result.bad_offsets);
        EXPECT_TRUE(result.records_empty) << data.label;
        expect(out, data, op, options, segments_of(data, offsets));
    }

    /// The oracle has no products and bitwise operations.
    static void expect(outputs const& out, sample const& data, sf::operation op, sf::reduce_options const& options,
                       elements_of const& elements) {
        auto const factors = factor_operations_for(data.type);
        if (std::find(factors.begin(), factors.end(), op) != factors.end())
            out.expect_those_of_reduce(data.type, op, options, elements, data.label);
        else
            out.expect(data.type, op, options, elements, data.label);
    }

    void check_axis(sample const& data, std::vector<std::int64_t> const& extents, int axis, sf::operation op,
                    std::int64_t warps) {
        shifted_bytes const x{data, random.between(0, 7)};
        check_axis({x.data(), data.n, data.type}, data, extents, axis, op, warps);
    }

    void check_axis(sf::array_view x, sample const& data, std::vector<std::int64_t> const& extents, int axis,
                    sf::operation op, std::int64_t warps) {
        auto const options = drawn_options(data.type, random);
        seg::settings const settings = seg::make_settings(data.type, op, options);
        outputs out{lines(extents, axis), settings.result};
        auto const result = on_cpu::launch(settings, seg::problem_of_axis(settings, x, extents, axis, out.view()),
                                           warps, random.bits());
        EXPECT_TRUE(result.records_empty) << data.label;
        expect(out, data, op, options, lines_of(data, extents, axis));
    }
};

TEST_P(kernels_on_cpu, reduce_segments) {
    for (sf::operation const op : operations_for(GetParam()))
        for (std::int64_t const warps : {1, 100}) {
            sample const data = draw(1500);
            check_segments(data, random_offsets(data.n, random, [&] { return length(); }), op, warps);
        }
}

// Above the length from which on segments are cut, and a chunk's length beside it.
TEST_P(kernels_on_cpu, reduce_segments_that_many_warps_share) {
    for (sf::operation const op : operations_for(GetParam())) {
        sample const data = draw(7000);
        check_segments(data, {0, 2100, 2100, 2107, 2300, 2300 + 256 * 9, data.n}, op, 1000);
    }
}

TEST_P(kernels_on_cpu, reduce_rows_of_one_length) {
    for (sf::operation const op : operations_for(GetParam()))
        for (int i = 0; i < 2; ++i) {
            std::int64_t const row = i == 0 ? 1 + random.below(40) : random.below(700), rows = 1 + random.below(40);
            check_axis(draw(row * rows), {rows, row}, 1, op, i == 0 ? 1 : 100);
        }
}

// Sums have a quicker way of their own, for all but what is special.
TEST_P(kernels_on_cpu, sum_short_and_long_segments_of_every_class) {
    for (data_class const kind : classes_of(GetParam())) {
        for (std::int64_t const size : {2, 3, 8, 16, 32, 64, 128, 300}) {
            std::int64_t const segments = 70 - size / 6;
            sample const data = generate(kind, GetParam(), segments * size, random.bits());
            std::vector<std::int64_t> offsets;
            for (std::int64_t i = 0; i <= segments; ++i) offsets.push_back(i * size);
            check_segments(data, offsets, sf::operation::sum, 1 + random.below(3));
        }
        sample const data = generate(kind, GetParam(), 6000, random.bits());
        check_segments(data, random_offsets(data.n, random, [&] { return length(); }), sf::operation::sum, 1);
        check_axis(data, {6, 1000}, 1, sf::operation::sum, 1);
    }
}

// As much as the sums of one warp must hold: values of one sign and size, all of whose bits matter.
TEST_P(kernels_on_cpu, sum_the_longest_rows_that_are_not_cut) {
    std::int64_t const n = 2 * 8191;
    sample data = generate(classes_of(GetParam())[0], GetParam(), n, random.bits());
    if (!sf::is_integer(GetParam())) {
        std::vector<double> values(static_cast<std::size_t>(n * sf::component_count(GetParam())));
        for (double& value : values) value = 1 + random.uniform();
        data = sample_of(GetParam(), values, "between 1 and 2");
    }
    check_axis(data, {2, 8191}, 1, sf::operation::sum, 1);
}

// Rows that a group of lanes takes in one to four steps, with long ones among them, and long ones alone.
TEST_P(kernels_on_cpu, reduce_rows_of_every_number_of_steps) {
    auto const of_unit = std::max<std::int64_t>(1, 8 / static_cast<std::int64_t>(sf::size_bytes(GetParam())));
    for (int shortest : {1, 17, 33, 65, 129})
        for (sf::operation const op : {sf::operation::sum, sf::operation::mean, sf::operation::max}) {
            auto const operations = operations_for(GetParam());
            if (std::find(operations.begin(), operations.end(), op) == operations.end()) continue;
            std::vector<std::int64_t> offsets{0};
            for (int row = 0; row < 70; ++row) {
                std::int64_t units =
                    row % 3 == 0 ? random.between(shortest, 2 * shortest) : random.between(0, shortest);
                if (row % 11 == 5 || shortest > 128) units = random.between(129, 700) / (row % 2 == 0 ? 1 : 4) + 129;
                offsets.push_back(offsets.back() + std::max<std::int64_t>(0, units * of_unit + random.between(-1, 1)));
            }
            check_segments(draw(offsets.back()), offsets, op, 1);
        }
}

// Sums are aimed at by the first step of a row: what comes later may be so much larger, and all of one sign.
TEST_P(kernels_on_cpu, sum_rows_whose_first_values_are_the_smallest) {
    if (sf::is_integer(GetParam())) return;
    auto const of_unit = std::max<std::int64_t>(1, 8 / static_cast<std::int64_t>(sf::size_bytes(GetParam())));
    for (int first : {32, 128}) // units of a step, of eight lanes or of all
        for (int units : {64, 128, 512, 700}) {
            std::int64_t const rows = 36, length = units * of_unit;
            std::vector<double> values(static_cast<std::size_t>(rows * length * sf::component_count(GetParam())));
            for (std::size_t i = 0; i < values.size(); ++i) {
                auto const unit = static_cast<std::int64_t>(i) / sf::component_count(GetParam()) % length / of_unit;
                values[i] = unit < first ? 1 + random.uniform() : 32 - random.uniform() * 0x1p-6;
            }
            check_axis(sample_of(GetParam(), values, "the smallest first"), {rows, length}, 1, sf::operation::sum, 1);
        }
}

// As much as folds must hold where the shares of warps are the largest.
TEST_P(kernels_on_cpu, reduce_the_longest_segments_that_are_not_cut) {
    if (sf::is_integer(GetParam())) return;
    std::int64_t const length = 32000;
    std::vector<double> values(static_cast<std::size_t>(2 * length * sf::component_count(GetParam())));
    for (double& value : values) value = 2 - random.uniform() * 0x1p-6;
    sample const data = sample_of(GetParam(), values, "just below 2");
    for (sf::operation const op : {sf::operation::mean, sf::operation::sum_of_squares})
        check_segments(data, {0, length, 2 * length}, op, 1);
}

// Halfway between two float32 numbers, but for something that float64 has no room for.
TEST_P(kernels_on_cpu, round_sums_to_float32_once) {
    if (sf::is_integer(GetParam())) return;
    double const rest = 0x1p-60, half = 0x1p-24;
    sample const data = sample_of(GetParam(),
                                  std::vector<double>{1, half, rest, 1, half, -rest, -1, -half, -rest, -1, -half, rest,
                                                      1 + 2 * half, half, rest, 1 + 2 * half, half, -rest},
                                  "almost halfway");
    for (int i = 0; i < 20; ++i) check_axis(data, {data.n / 3, 3}, 1, sf::operation::sum, 1);
}

TEST_P(kernels_on_cpu, find_segments_where_their_lengths_are_nothing_like_the_average) {
    sample const data = generate(classes_of(GetParam())[0], GetParam(), 4000, random.bits());
    std::vector<std::int64_t> offsets(1500, 0); // empty ones, one long, single elements
    for (std::int64_t i = 2000; i < 3000; ++i) offsets.push_back(i);
    offsets.insert(offsets.end(), 2500, 3000);
    offsets.push_back(data.n);
    for (std::int64_t const warps : {1, 7, 1000}) check_segments(data, offsets, sf::operation::sum, warps);
}

TEST_P(kernels_on_cpu, reduce_columns) {
    for (sf::operation const op : operations_for(GetParam())) {
        std::int64_t const outer = 1 + random.below(3), rows = random.below(60), inner = 2 + random.below(40);
        check_axis(draw(outer * rows * inner), {outer, rows, inner}, 1, op, 1);
        check_axis(draw(500 * 3), {500, 3}, 0, op, 100); // cut
    }
}

// The general kernel, whatever the operation, as pieces of segments and columns too.
TEST_P(kernels_on_cpu, reduce_strided_arrays) {
    constexpr std::int64_t strides[] = {2, 3, 7, -1, -5, 0};
    for (sf::operation const op : operations_for(GetParam())) {
        auto const stride = strides[random.below(std::ssize(strides))];
        spread_sample const x = spread(draw(7000), stride, random.bits());
        check_segments(x.view(), x.together, {0, 2100, 2100, 2107, 2300, 2300 + 256 * 9, 6900}, op, 1000); // cut
        spread_sample const y = spread(draw(1500), stride, random.bits());
        check_segments(y.view(), y.together, random_offsets(1500, random, [&] { return length(); }), op, 1);
        check_axis(y.view(), y.together, {30, 50}, 1, op, 1);
        check_axis(y.view(), y.together, {5, 30, 10}, 1, op, 1);
        check_axis(y.view(), y.together, {500, 3}, 0, op, 100); // cut
    }
}

// All elements of an output go through one warp.
TEST_P(kernels_on_cpu, multiply_and_combine_bits) {
    for (sf::operation const op : factor_operations_for(GetParam())) {
        sample const data = draw_factors(GetParam(), 4700, random);
        spread_sample const strided = spread(data, random.coin() ? -3 : 2, random.bits());
        sf::array_view const x = random.coin() ? sf::array_view{data.bytes.data(), data.n, data.type} : strided.view();
        check_segments(x, data, {0, 2100, 2100, 2107, 2300, 2300 + 256 * 9, data.n}, op, 1000); // not cut
        check_segments(x, data, equal_offsets(100, 10), op, 3);
        check_axis(x, data, {2350, 2}, 0, op, 100); // not cut
        sample const longer = draw_factors(GetParam(), 8200, random);
        check_axis(longer.view(), longer, {1, 8200}, 1, op, 100); // not cut
    }
}

TEST_P(kernels_on_cpu, tell_of_offsets_out_of_order_and_read_nothing_outside) {
    for (sf::operation const op : operations_for(GetParam())) {
        sample const data = draw(5000);
        seg::settings const settings = seg::make_settings(data.type, op, {});
        shifted_bytes const x{data, 0};
        std::vector<std::int64_t> offsets(6);
        for (std::int64_t& offset : offsets) offset = random.below(data.n + 200) - 100;
        offsets[3] = offsets[2] - 1;
        outputs out{5, settings.result};
        seg::problem problem;
        problem.x = {x.data(), data.n, data.type};
        problem.segments.offsets = offsets.data();
        problem.outputs = 5;
        problem.out = out.view();
        EXPECT_TRUE(on_cpu::launch(settings, problem, 100, random.bits()).bad_offsets);
    }
}

std::vector<sf::dtype> every_type() {
    std::vector<sf::dtype> types;
    for (int t = 0; t < sf::dtype_count; ++t) types.push_back(static_cast<sf::dtype>(t));
    return types;
}

INSTANTIATE_TEST_SUITE_P(all, kernels_on_cpu, testing::ValuesIn(every_type()),
                         [](auto const& info) { return std::string(sf::name(info.param)); });

} // namespace
