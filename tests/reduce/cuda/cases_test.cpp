// The CUDA back end against the oracle of exact rationals, and the same bits for every grid, piece, order and
// alignment.
#include "reduce/cuda/device_memory.hpp"
#include "steadfold/error.hpp"
#include "support/check.hpp"
#include "support/invariance.hpp"

#include <array>

namespace {

using namespace oracle;

constexpr sf::execution on_gpu{.kind = sf::processor_kind::cuda};

sf::execution grid(int blocks, int threads) {
    return {.kind = sf::processor_kind::cuda, .blocks = blocks, .threads_per_block = threads};
}

constexpr std::array all_types = {sf::dtype::float64,   sf::dtype::float32,   sf::dtype::float16, sf::dtype::bfloat16,
                                  sf::dtype::int8,      sf::dtype::int16,     sf::dtype::int32,   sf::dtype::int64,
                                  sf::dtype::uint8,     sf::dtype::uint16,    sf::dtype::uint32,  sf::dtype::uint64,
                                  sf::dtype::complex64, sf::dtype::complex128};

struct cuda_cases : cuda_test, testing::WithParamInterface<sf::dtype> {};

TEST_P(cuda_cases, every_class_of_data_at_short_lengths) {
    for (data_class const which : classes_of(GetParam()))
        for (std::int64_t const n : {0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 47, 64, 70})
            check_all_operations(generate(which, GetParam(), n, static_cast<std::uint64_t>(n) + 3), on_gpu,
                                 n == 33 ? effort::every_operation : effort::one_pass);
}

TEST_P(cuda_cases, every_class_of_data_at_lengths_around_powers_of_two) {
    for (data_class const which : classes_of(GetParam()))
        for (std::int64_t const n : {127, 1025, 4096, 16383, 65537}) {
            check_all_operations(generate(which, GetParam(), n, static_cast<std::uint64_t>(n)), on_gpu,
                                 n == 4096 ? effort::every_operation : effort::one_pass);
        }
}

TEST_P(cuda_cases, every_grid_gives_the_same_bits) {
    auto const classes = classes_of(GetParam());
    for (std::size_t k = 0; k < classes.size(); ++k) {
        sample const data = generate(classes[k], GetParam(), k % 3 == 0 ? 100001 : 10001, k + 900);
        invariance_case const c =
            make_case(data, {.nans = k % 2 == 0 ? sf::nan_policy::propagate : sf::nan_policy::ignore});
        for (auto const& [blocks, threads] : {std::pair{1, 32}, {1, 256}, {2, 96}, {7, 224}, {132, 128}, {1000, 64}}) {
            sf::reduction reduction{data.type, c.operations, c.options, grid(blocks, threads)};
            reduction.add(data.view());
            expect_bits(reduction.finish(), c, std::to_string(blocks) + " x " + std::to_string(threads));
        }
    }
}

TEST_P(cuda_cases, integer_arithmetic_gives_the_same_bits) {
    sf::execution integers = on_gpu;
    integers.integer_arithmetic = true;
    for (data_class const which : classes_of(GetParam()))
        for (std::int64_t const n : {127, 16383, 200001}) {
            sample const data = generate(which, GetParam(), n, static_cast<std::uint64_t>(n) + 3);
            check_all_operations(data, integers, n == 16383 ? effort::every_operation : effort::one_pass);
        }
    if (sf::is_complex(GetParam())) return; // dot takes real arrays
    for (int which = 0; which < pair_class_count; ++which)
        check_dot(generate_pair(static_cast<pair_class>(which), GetParam(), 16383, 7), integers);
}

TEST_P(cuda_cases, pieces_order_and_merging_give_the_same_bits) {
    std::array const places = {on_gpu, grid(3, 64), sf::execution{.kind = sf::processor_kind::host, .threads = 2}};
    auto const classes = classes_of(GetParam());
    for (std::size_t k = 0; k < classes.size(); ++k) {
        sample const data = generate(classes[k], GetParam(), 30001, k + 70);
        invariance_case const c = make_case(data);
        in_random_pieces(c, on_gpu, k);
        in_equal_pieces(c, grid(5, 96), 1000);
        in_another_order(c, on_gpu, k);
        by_merging(c, places, k);
        if (k % 4 == 0) with_a_used_reduction(c, on_gpu);
    }
}

TEST_P(cuda_cases, device_memory_at_every_alignment_gives_the_same_bits) {
    auto const classes = classes_of(GetParam());
    std::size_t const step = sf::size_bytes(sf::component_type(GetParam()));
    for (std::size_t k = 0; k < classes.size(); k += 2) {
        sample const data = generate(classes[k], GetParam(), 4001, k + 5);
        invariance_case const c = make_case(data);
        sf::reduction reduction{data.type, c.operations, c.options, grid(4, 128)};
        for (std::size_t offset = 0; offset < 32; offset += step) {
            device_bytes const memory{data.bytes, offset};
            reduction.add({memory.data(), data.n, data.type});
            expect_bits(reduction.finish(), c, std::to_string(offset) + " bytes off");
        }
    }
}

TEST_P(cuda_cases, products_of_pairs) {
    if (sf::is_complex(GetParam())) GTEST_SKIP() << "dot takes real arrays";
    for (int which = 0; which < pair_class_count; ++which)
        for (std::int64_t const n : {0, 1, 2, 7, 16, 33, 1000, 20001}) {
            auto const pair =
                generate_pair(static_cast<pair_class>(which), GetParam(), n, static_cast<std::uint64_t>(n + 1));
            check_dot(pair, on_gpu);
            check_dot(pair, grid(3, 64));
        }
}

TEST_P(cuda_cases, pairs_out_of_step_give_the_same_bits) {
    if (sf::is_complex(GetParam())) GTEST_SKIP() << "dot takes real arrays";
    std::size_t const step = sf::size_bytes(GetParam());
    for (int which = 0; which < pair_class_count; ++which) {
        auto const [x, y] = generate_pair(static_cast<pair_class>(which), GetParam(), 3001, 11);
        sf::result_value const expected =
            evaluate(summarise_pairs(x.bytes.data(), y.bytes.data(), x.n, x.type), sf::operation::dot, {});
        sf::reduction reduction{x.type, sf::operation::dot, {}, on_gpu};
        for (std::size_t a = 0; a < 16; a += step)
            for (std::size_t b = 0; b < 16; b += step) {
                device_bytes const dx{x.bytes, a}, dy{y.bytes, b};
                reduction.add_products({dx.data(), x.n, x.type}, {dy.data(), y.n, y.type});
                expect_same(reduction.finish()[sf::operation::dot], expected, sf::operation::dot,
                            x.label + " offsets " + std::to_string(a) + " " + std::to_string(b));
            }
    }
}

// One chunk in device memory, again and again: three times 2^31 - 1 elements, so beyond 2^32 too.
TEST_P(cuda_cases, every_operation_beyond_2_to_32_elements) {
    constexpr std::int64_t n = 3 * ((std::int64_t{1} << 31) - 1), length = 1 << 20, repeats = n / length;
    sample const chunk = generate(classes_of(GetParam()).front(), GetParam(), length, 77);
    device_bytes const memory{chunk.bytes};
    sf::array_view const whole{memory.data(), length, chunk.type}, rest{memory.data(), n % length, chunk.type};
    sf::reduction all{chunk.type, operations_of(chunk.type), {.ddof = 1}, on_gpu};
    for (std::int64_t i = 0; i < repeats; ++i) all.add(whole, i * length);
    all.add(rest, repeats * length);
    summary const repeated_chunk = repeated(summarise(chunk.bytes.data(), length, chunk.type), repeats);
    summary const tail = summarise(chunk.bytes.data(), rest.count, chunk.type, {}, repeats * length);
    expect_results(all.finish(), joined(repeated_chunk, tail), {.ddof = 1}, chunk.label + " repeated");
    if (sf::is_complex(GetParam())) return;
    sf::reduction dot{chunk.type, sf::operation::dot, {}, on_gpu};
    for (std::int64_t i = 0; i < repeats; ++i) dot.add_products(whole, whole);
    dot.add_products(rest, rest);
    auto const* bytes = chunk.bytes.data();
    expect_results(dot.finish(),
                   joined(repeated(summarise_pairs(bytes, bytes, length, chunk.type), repeats),
                          summarise_pairs(bytes, bytes, rest.count, chunk.type)),
                   {}, chunk.label + " . itself, repeated");
}

// For compute-sanitizer, under which everything is slow: every kernel once or twice.
TEST_P(cuda_cases, Sanitizer_every_kernel) {
    auto const classes = classes_of(GetParam());
    for (std::size_t k = 0; k < classes.size(); k += 3) {
        check_all_operations(generate(classes[k], GetParam(), 1025, k), grid(2, 64), effort::one_pass);
        if (k == 0) check_all_operations(generate(classes[k], GetParam(), 333, k), on_gpu, effort::every_operation);
    }
    if (!sf::is_complex(GetParam())) check_dot(generate_pair(pair_class::specials, GetParam(), 500, 2), grid(2, 64));
}

// Many tiles for one warp: they come by the bulk copy engine.
TEST_P(cuda_cases, Sanitizer_bulk_copies) {
    constexpr std::int64_t n = 20001; // of all types
    check_all_operations(generate(classes_of(GetParam()).front(), GetParam(), n, 8), grid(1, 32),
                         effort::every_operation);
    if (!sf::is_complex(GetParam())) check_dot(generate_pair(pair_class::independent, GetParam(), n, 2), grid(1, 32));
}

TEST_P(cuda_cases, Sanitizer_fast_mode) {
    sample const data = generate(classes_of(GetParam()).front(), GetParam(), 777, 1);
    sf::operation_set const both = sf::sum | sf::l1;
    sf::reduction fast{data.type, both, {.mode = sf::reduction_mode::fast}, grid(2, 64)};
    fast.add(data.view());
    sf::reduction_results const got = fast.finish(), exact = sf::reduce({}, data.view(), both);
    double const magnitudes = exact[sf::operation::l1].as_double(), close = 1e-3 * magnitudes;
    EXPECT_NEAR(got[sf::operation::l1].as_double(), magnitudes, close);
    if (sf::is_complex(GetParam())) return; // has no one sum
    EXPECT_NEAR(got[sf::operation::sum].as_double(), exact[sf::operation::sum].as_double(), close);
}

std::string type_name(testing::TestParamInfo<sf::dtype> const& info) {
    return std::string(sf::name(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, cuda_cases, testing::ValuesIn(all_types), type_name);

} // namespace
