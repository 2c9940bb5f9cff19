// Segments of every type, length and class of data against the oracle, and the same bits for any number of threads.
#include "reduce/levels.hpp"
#include "segmented/outputs.hpp"
#include "steadfold/reduce.hpp"
#include "support/spread.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace {

using namespace oracle;

sf::execution threads(int count) {
    return {.kind = sf::processor_kind::host, .threads = count};
}

outputs run(sf::array_view x, std::vector<std::int64_t> const& offsets, sf::operation op,
            sf::reduce_options const& options, sf::execution const& where) {
    sf::segmented_reduction reduction{x.type, op, options, where};
    outputs out{static_cast<std::int64_t>(offsets.size()) - 1, reduction.result_type()};
    reduction.segments(x, offsets, out.view());
    return out;
}

outputs run(sample const& data, std::vector<std::int64_t> const& offsets, sf::operation op,
            sf::reduce_options const& options, sf::execution const& where) {
    return run(data.view(), offsets, op, options, where);
}

void check(sample const& data, std::vector<std::int64_t> const& offsets, sf::operation op,
           sf::reduce_options const& options, sf::execution const& where) {
    run(data, offsets, op, options, where).expect(data.type, op, options, segments_of(data, offsets), data.label);
}

struct segments : testing::TestWithParam<sf::dtype> {};

TEST_P(segments, of_a_few_elements_every_class_and_operation) {
    random_source random{17};
    for (data_class const which : classes_of(GetParam())) {
        sample const data = generate(which, GetParam(), sanitized ? 150 : 400, random.bits());
        auto const offsets = random_offsets(data.n, random, [&] { return 1 + random.below(16); });
        for (sf::operation const op : operations_for(GetParam())) {
            check(data, offsets, op, {}, threads(1));
            check(data, offsets, op, drawn_options(GetParam(), random), threads(1));
        }
    }
}

TEST_P(segments, of_tens_and_hundreds_of_elements) {
    random_source random{18};
    for (data_class const which : classes_of(GetParam())) {
        sample const data = generate(which, GetParam(), sanitized ? 1000 : 4000, random.bits());
        auto const offsets = random_offsets(data.n, random, [&] { return random.below(1 << random.between(4, 10)); });
        for (sf::operation const op : operations_for(GetParam()))
            check(data, offsets, op, drawn_options(GetParam(), random), threads(1));
    }
}

TEST_P(segments, of_very_different_lengths_around_a_tile) {
    random_source random{19};
    std::int64_t const tile = 4096 / sf::component_count(GetParam());
    auto const classes = classes_of(GetParam());
    for (std::size_t k = 0; k < classes.size(); k += sanitized ? 4 : 1) {
        sample const data = generate(classes[k], GetParam(), 5 * tile, random.bits());
        auto const offsets = random_offsets(data.n, random, [&] {
            std::int64_t const lengths[] = {1, 3, tile - 1, tile, tile + 1, 2 * tile + 3};
            return lengths[random.below(6)];
        });
        auto const operations = operations_for(GetParam());
        for (int i = 0; i < 4; ++i)
            check(data, offsets, operations[static_cast<std::size_t>(random.below(std::ssize(operations)))],
                  drawn_options(GetParam(), random), threads(1));
    }
}

TEST_P(segments, give_the_same_bits_for_any_number_of_threads) {
    random_source random{20};
    auto const classes = classes_of(GetParam());
    for (std::size_t k = 0; k < classes.size(); k += sanitized ? 5 : 2) {
        sample const data = generate(classes[k], GetParam(), 100000, random.bits());
        // From a segment that all threads share to thousands of small ones.
        for (std::int64_t const longest : {10, 3000, 40000, 200000}) {
            auto const offsets = random_offsets(data.n, random, [&] { return random.below(longest); });
            auto const options = drawn_options(GetParam(), random);
            auto const operations = operations_for(GetParam());
            auto const op = operations[static_cast<std::size_t>(random.below(std::ssize(operations)))];
            outputs const one = run(data, offsets, op, options, threads(1));
            if (longest >= 3000) one.expect(data.type, op, options, segments_of(data, offsets), data.label);
            for (int const count : {2, 3, 6})
                EXPECT_EQ(run(data, offsets, op, options, threads(count)), one)
                    << data.label << " " << sf::name(op) << " " << count << " threads";
        }
    }
}

TEST_P(segments, give_the_same_bits_at_every_vector_level_and_alignment) {
    random_source random{21};
    auto const classes = classes_of(GetParam());
    for (std::size_t k = 0; k < classes.size(); k += 3) {
        sample const data = generate(classes[k], GetParam(), 3000, random.bits());
        auto const offsets = random_offsets(data.n, random, [&] { return random.below(200); });
        for (sf::operation const op : {sf::operation::sum, sf::operation::l1, sf::operation::l2}) {
            outputs const one = run(data, offsets, op, {}, threads(1));
            at_every_level([&](std::string const& level) {
                EXPECT_EQ(run(data, offsets, op, {}, threads(1)), one) << data.label << " level " << level;
            });
            sample shifted = data;
            auto const step = static_cast<std::ptrdiff_t>(sf::size_bytes(sf::component_type(data.type)));
            shifted.bytes.insert(shifted.bytes.begin(), static_cast<std::size_t>(step), std::byte{});
            sf::segmented_reduction reduction{data.type, op, {}, threads(1)};
            outputs out{std::ssize(offsets) - 1, reduction.result_type()};
            reduction.segments({shifted.bytes.data() + step, data.n, data.type}, offsets, out.view());
            EXPECT_EQ(out, one) << data.label << " shifted";
        }
    }
}

TEST_P(segments, of_strided_arrays) {
    random_source random{22};
    auto const classes = classes_of(GetParam());
    auto const operations = operations_for(GetParam());
    for (std::int64_t const stride : {2, 3, -1, -5, 0, 40})
        for (std::int64_t const longest : {10, 300, 20000}) {
            auto const which = classes[static_cast<std::size_t>(random.below(std::ssize(classes)))];
            spread_sample const x = spread(generate(which, GetParam(), 30000, random.bits()), stride, random.bits());
            auto const offsets = random_offsets(30000, random, [&] { return random.below(longest); });
            auto const op = operations[static_cast<std::size_t>(random.below(std::ssize(operations)))];
            auto const options = drawn_options(GetParam(), random);
            outputs const got = run(x.view(), offsets, op, options, threads(1));
            got.expect(GetParam(), op, options, segments_of(x.together, offsets), x.together.label);
            EXPECT_EQ(run(x.view(), offsets, op, options, threads(3)), got) << x.together.label << ", 3 threads";
        }
}

std::string type_name(testing::TestParamInfo<sf::dtype> const& info) {
    return std::string(sf::name(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, segments,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int8, sf::dtype::int16, sf::dtype::int32,
                                         sf::dtype::int64, sf::dtype::uint8, sf::dtype::uint16, sf::dtype::uint32,
                                         sf::dtype::uint64, sf::dtype::complex64, sf::dtype::complex128),
                         type_name);

TEST(empty_segments, give_what_reduce_gives_for_an_empty_range) {
    std::vector<double> const x{1, 2};
    for (sf::operation const op : operations_for(sf::dtype::float64)) {
        sf::result_value const expected = sf::reduce({}, sf::array_view{nullptr, 0, sf::dtype::float64}, op)[op];
        std::vector<std::int64_t> const offsets{0, 0, 2, 2};
        outputs out{3, sf::result_type(op, sf::dtype::float64)};
        sf::segmented_reduce(sf::view<double const>{x}, offsets, op, out.view());
        for (std::int64_t const i : {0, 2}) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, out.data() + 8 * i, 8);
            EXPECT_EQ(bits, expected.bits[0]) << sf::name(op);
            EXPECT_EQ(out.status()[i], expected.status) << sf::name(op);
        }
    }
}

TEST(operations_without_a_short_way, are_those_of_reduce) {
    random_source random{23};
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::int16, sf::dtype::uint64})
        for (sf::operation const op :
             {sf::operation::product, sf::operation::bit_and, sf::operation::bit_or, sf::operation::bit_xor}) {
            if (type == sf::dtype::float64 && op != sf::operation::product) continue;
            sample const data = generate(classes_of(type)[1], type, 300, random.bits());
            auto const offsets = random_offsets(data.n, random, [&] { return random.below(20); });
            outputs const out = run(data, offsets, op, {}, threads(2));
            outputs expected{std::ssize(offsets) - 1, sf::result_type(op, type)};
            for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
                sf::result_value const one = sf::reduce({}, data.part(offsets[i], offsets[i + 1] - offsets[i]), op)[op];
                std::memcpy(expected.data() + 8 * i, &one.bits[0], 8);
                expected.status()[i] = one.status;
            }
            EXPECT_EQ(out, expected) << data.label << " " << sf::name(op);
        }
}

TEST(one_reduction, serves_many_calls_of_different_shape) {
    random_source random{22};
    sf::segmented_reduction sums{sf::dtype::float64, sf::operation::sum, {}, threads(3)};
    for (std::int64_t const n : {70000, 3, 0, 90000, 1000}) {
        sample const data = generate(data_class::log_normal, sf::dtype::float64, n, random.bits());
        auto const offsets = random_offsets(n, random, [&] { return random.below(n / 2 + 1); });
        outputs out{std::ssize(offsets) - 1, sums.result_type()};
        sums.segments(data.view(), offsets, out.view());
        out.expect(data.type, sf::operation::sum, {}, segments_of(data, offsets), data.label);
    }
}

TEST(typed_views, are_taken_as_they_are) {
    std::vector<float> const x{1.5f, 2.5f, -1.0f, 4.0f};
    std::vector<std::int64_t> const offsets{0, 3, 4};
    std::vector<float> sums(2);
    sf::segmented_reduce(sf::view<float const>{x}, offsets, sf::operation::sum, sf::view<float>{sums});
    EXPECT_EQ(sums, (std::vector<float>{3.0f, 4.0f}));
    std::vector<double> wide(2);
    sf::segmented_reduce(sf::view<float const>{x}, offsets, sf::operation::mean, sf::view<double>{wide},
                         {.result = sf::dtype::float64});
    EXPECT_EQ(wide, (std::vector<double>{1.0, 4.0}));
}

TEST(fast_mode, is_exact_here) {
    std::vector<double> const x{1e100, 1.0, -1e100};
    std::vector<std::int64_t> const offsets{0, 3};
    double sum = 0;
    sf::segmented_reduce(sf::view<double const>{x}, offsets, sf::operation::sum, sf::view{&sum, 1},
                         {.mode = sf::reduction_mode::fast});
    EXPECT_EQ(sum, 1.0);
}

} // namespace
