// What GPUs make before they reduce it, and what takes two passes: against the oracles, and the host's bits.
#include "reduce/cuda/device_memory.hpp"
#include "reduce/special_numbers.hpp"
#include "steadfold/batch.hpp"
#include "steadfold/error.hpp"
#include "steadfold/moments.hpp"
#include "steadfold/pairs.hpp"
#include "support/check.hpp"
#include "support/oracle_factors.hpp"
#include "support/oracle_made.hpp"

#include <algorithm>
#include <bit>

namespace {

using namespace oracle;
using sf::operation;

constexpr sf::execution on_gpu{.kind = sf::processor_kind::cuda};

sf::execution grid(int blocks, int threads) {
    return {.kind = sf::processor_kind::cuda, .blocks = blocks, .threads_per_block = threads};
}

struct cuda_made : cuda_test, testing::WithParamInterface<sf::dtype> {};

constexpr std::int64_t lengths[] = {0, 1, 2, 31, 32, 33, 4097};

/// The sample again and again, 40 MiB of it: several of the chunks of 16 MiB in which elements are made.
sample repeated_sample(sample const& s) {
    std::size_t const times = (std::size_t{40} << 20) / s.bytes.size();
    sample many{s.type, s.n * static_cast<std::int64_t>(times), {}, s.label + " repeated"};
    many.bytes.reserve(times * s.bytes.size());
    for (std::size_t i = 0; i < times; ++i) many.bytes.insert(many.bytes.end(), s.bytes.begin(), s.bytes.end());
    return many;
}

sample_pair long_pair(pair_class which, sf::dtype type) {
    sample_pair const pair = generate_pair(which, type, 65538, 52);
    return {repeated_sample(pair.x), repeated_sample(pair.y)};
}

constexpr pair_class long_classes[] = {pair_class::independent, pair_class::specials, pair_class::errors};

constexpr sf::nan_policy policies[] = {sf::nan_policy::propagate, sf::nan_policy::ignore};

/// A sample in device memory, `offset` bytes after a boundary.
struct on_device {
    explicit on_device(sample const& s, std::size_t offset = 0) : memory{s.bytes, offset}, n{s.n}, type{s.type} {}
    [[nodiscard]] sf::array_view view() const { return {memory.data(), n, type}; }

    device_bytes memory;
    std::int64_t n;
    sf::dtype type;
};

sf::result_value of_pairs(sample_pair const& pair, operation op, sf::reduce_options const& options,
                          sf::execution const& where) {
    sf::reduction reduction{pair.x.type, op, options, where};
    reduction.add_products(pair.x.view(), pair.y.view());
    return reduction.finish()[op];
}

/// f(pair) for every class at every short length. Most classes count the parts of complex numbers.
template <class Function>
void for_each_pair(sf::dtype type, Function const& f) {
    for (int which = 0; which < pair_class_count; ++which)
        for (std::int64_t const n : lengths)
            f(generate_pair(static_cast<pair_class>(which), type, n * sf::component_count(type),
                            static_cast<std::uint64_t>(n) + 51));
}

TEST_P(cuda_made, complex_dots_are_exact_in_both_parts) {
    if (!sf::is_complex(GetParam())) GTEST_SKIP() << "of complex data";
    for (operation const op : {operation::dot, operation::dot_conjugated}) {
        for_each_pair(GetParam(), [op](sample_pair const& pair) {
            for (auto const nans : policies)
                for (sf::execution const& where : {on_gpu, grid(3, 64)}) {
                    sf::reduce_options const options{.nans = nans};
                    expect_same(of_pairs(pair, op, options, where),
                                complex_dot(pair, op == operation::dot_conjugated, options), op, pair.x.label);
                }
        });
        for (pair_class const which : long_classes) {
            sample_pair const pair = long_pair(which, GetParam());
            sf::reduce_options const options{.nans = sf::nan_policy::ignore};
            expect_same(of_pairs(pair, op, options, on_gpu), of_pairs(pair, op, options, {}), op, pair.x.label);
        }
    }
}

TEST_P(cuda_made, complex_dots_in_device_memory_at_any_alignment_and_in_pieces) {
    if (!sf::is_complex(GetParam())) GTEST_SKIP() << "of complex data";
    auto const pair = generate_pair(pair_class::specials, GetParam(), 6002, 53);
    sf::reduce_options const options{.nans = sf::nan_policy::ignore};
    std::size_t const step = sf::size_bytes(sf::component_type(GetParam()));
    for (std::size_t offset = 0; offset < 16; offset += step) {
        on_device const x{pair.x, offset}, y{pair.y, step};
        expect_same(sf::dot_conjugated({}, x.view(), y.view(), options), complex_dot(pair, true, options),
                    operation::dot_conjugated, pair.x.label);
    }
    on_device const x{pair.x}, y{pair.y};
    sf::reduction dot{GetParam(), operation::dot, options, on_gpu};
    auto const element = static_cast<std::int64_t>(sf::size_bytes(GetParam()));
    for (int round = 0; round < 2; ++round) { // the second one finds no traces of the first
        for (std::int64_t first = 0; first < x.n; first += 1000) {
            std::int64_t const n = std::min<std::int64_t>(1000, x.n - first);
            dot.add_products({x.memory.data() + first * element, n, x.type},
                             {y.memory.data() + first * element, n, y.type});
        }
        expect_same(dot.finish()[operation::dot], complex_dot(pair, false, options), operation::dot, pair.x.label);
    }
}

TEST_P(cuda_made, pairs_of_all_special_numbers) {
    if (sf::is_integer(GetParam())) GTEST_SKIP() << "of floating-point data";
    bool const complex = sf::is_complex(GetParam());
    sf::reduce_options const options{.nans = sf::nan_policy::ignore};
    operation const op = complex ? operation::dot : operation::weighted_mean;
    sf::reduction reduction{GetParam(), op, options, on_gpu};
    for (auto const& other : negative_zero_pairs)
        for_each_four([&](std::array<double, 4> const& z) {
            double const x[] = {z[0], z[1], other[0], other[1]}, y[] = {z[2], z[3], other[2], other[3]};
            sample_pair const pair{sample_of(GetParam(), x, "x"), sample_of(GetParam(), y, "y")};
            reduction.add_products(pair.x.view(), pair.y.view());
            expect_same(reduction.finish()[op],
                        complex ? complex_dot(pair, false, options) : weighted_mean(pair, options), op,
                        "special numbers");
        });
}

TEST_P(cuda_made, complex_dots_in_fast_mode_are_near) {
    if (!sf::is_complex(GetParam())) GTEST_SKIP() << "of complex data";
    auto const data = generate(data_class::gaussian, GetParam(), 100000, 54);
    sf::reduce_options options{.result = sf::dtype::float64};
    sf::result_value const exact = of_pairs({data, data}, operation::dot_conjugated, options, on_gpu);
    options.mode = sf::reduction_mode::fast;
    sf::result_value const fast = of_pairs({data, data}, operation::dot_conjugated, options, on_gpu);
    double const size = std::bit_cast<double>(exact.bits[0]);
    EXPECT_NEAR(std::bit_cast<double>(fast.bits[0]), size, 1e-12 * size);
    EXPECT_NEAR(std::bit_cast<double>(fast.bits[1]), 0, 1e-12 * size);
}

TEST_P(cuda_made, weighted_means_are_the_rational_rounded_once) {
    if (sf::is_complex(GetParam())) GTEST_SKIP() << "of real data";
    for_each_pair(GetParam(), [](sample_pair const& pair) {
        for (auto const nans : policies)
            for (sf::execution const& where : {on_gpu, grid(3, 64)})
                expect_same(of_pairs(pair, operation::weighted_mean, {.nans = nans}, where),
                            weighted_mean(pair, {.nans = nans}), operation::weighted_mean, pair.x.label);
    });
    for (pair_class const which : long_classes) {
        sample_pair const pair = long_pair(which, GetParam());
        on_device const w{pair.x}, x{pair.y};
        sf::reduce_options const options{.nans = sf::nan_policy::ignore};
        expect_same(sf::weighted_mean({}, w.view(), x.view(), options),
                    of_pairs(pair, operation::weighted_mean, options, {}), operation::weighted_mean, pair.x.label);
    }
}

TEST_P(cuda_made, weighted_sums_and_real_conjugated_dots_are_dots) {
    if (sf::is_complex(GetParam())) GTEST_SKIP() << "of real data";
    for_each_pair(GetParam(), [](sample_pair const& pair) {
        on_device const x{pair.x}, y{pair.y};
        sf::result_value const dot = of_pairs(pair, operation::dot, {}, {});
        expect_same(sf::weighted_sum({}, x.view(), y.view()), dot, operation::dot, pair.x.label);
        expect_same(sf::dot_conjugated({}, x.view(), y.view()), dot, operation::dot_conjugated, pair.x.label);
    });
}

TEST_P(cuda_made, distances_are_norms_of_rounded_differences) {
    for_each_pair(GetParam(), [](sample_pair const& pair) {
        sample const d = differences(pair);
        std::size_t const step = sf::size_bytes(sf::component_type(pair.x.type));
        for (std::size_t const offset : {std::size_t{0}, step}) {
            on_device const x{pair.x, offset}, y{pair.y};
            for (auto const nans : policies)
                expect_same(sf::distance({}, x.view(), y.view(), {.nans = nans}),
                            evaluate(summarise(d.bytes.data(), d.n, d.type), operation::l2, {.nans = nans}),
                            operation::l2, d.label);
        }
    });
    for (pair_class const which : long_classes) {
        sample_pair const pair = long_pair(which, GetParam());
        on_device const x{pair.x}, y{pair.y};
        sf::reduce_options const options{.nans = sf::nan_policy::ignore};
        expect_same(sf::distance({}, x.view(), y.view(), options),
                    sf::distance({}, pair.x.view(), pair.y.view(), options), operation::l2, pair.x.label);
    }
}

void expect_same_moments(sf::moments const& got, sf::moments const& expected, std::string const& label) {
    auto const bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    EXPECT_EQ(got.count, expected.count) << label;
    EXPECT_EQ(got.status, expected.status) << label;
    for (auto const member :
         {&sf::moments::mean, &sf::moments::second, &sf::moments::third, &sf::moments::fourth, &sf::moments::skewness,
          &sf::moments::kurtosis, &sf::moments::corrected_skewness, &sf::moments::corrected_kurtosis})
        EXPECT_EQ(bits(got.*member), bits(expected.*member)) << label << " " << got.*member << " " << expected.*member;
}

TEST_P(cuda_made, central_moments_are_the_hosts) {
    if (sf::is_complex(GetParam())) GTEST_SKIP() << "of real data";
    auto const check = [](sample const& s, sf::reduce_options const& options) {
        on_device const x{s};
        expect_same_moments(sf::central_moments({}, x.view(), options), sf::central_moments({}, s.view(), options),
                            s.label + " " + describe(options));
    };
    for (data_class const which : classes_of(GetParam()))
        for (std::int64_t const n : lengths) {
            sample const s = generate(which, GetParam(), n, 57);
            for (auto const nans : policies) check(s, {.nans = nans});
            if (sf::is_integer(GetParam())) check(s, {.missing = 1});
        }
    check(repeated_sample(generate(classes_of(GetParam()).front(), GetParam(), 65537, 57)), {});
}

sf::reduction_results factors_of(sample const& s, sf::operation_set ops, sf::reduce_options const& options,
                                 sf::execution const& where, std::int64_t piece) {
    sf::reduction reduction{s.type, ops, options, where};
    for (std::int64_t first = 0; first < s.n; first += piece)
        reduction.add(s.part(first, std::min(piece, s.n - first)), first);
    return reduction.finish();
}

void expect_factors(sf::reduction_results const& got, sample const& s, sf::reduce_options const& options,
                    std::string const& how) {
    for (operation const op : {operation::any, operation::every, operation::bit_and, operation::bit_or,
                               operation::bit_xor, operation::product})
        if (got.operations().contains(op))
            expect_same(got[op], evaluate_factors(s, op, options), op, s.label + " " + how);
}

TEST_P(cuda_made, products_and_bits_are_those_of_the_oracle) {
    if (sf::is_complex(GetParam())) GTEST_SKIP() << "of real data";
    sf::operation_set const all = factor_operations_of(GetParam());
    for (data_class const which : classes_of(GetParam()))
        for (std::int64_t const n : {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 255, 257, 4097, 200001}) {
            if (n > 10000 && which != classes_of(GetParam()).front()) continue;
            sample const s = generate(which, GetParam(), n, static_cast<std::uint64_t>(n) + 58);
            for (auto const nans : policies)
                expect_factors(factors_of(s, all, {.nans = nans}, on_gpu, 1 << 30), s, {.nans = nans}, "");
            expect_factors(factors_of(s, all, {}, on_gpu, 777), s, {}, "in pieces");
            expect_factors(factors_of(s, sf::product, {}, on_gpu, 1 << 30), s, {}, "alone");
            if (!sf::is_integer(GetParam())) continue;
            expect_factors(factors_of(s, sf::bit_xor, {}, on_gpu, 1 << 30), s, {}, "alone");
            expect_factors(factors_of(s, all, {.missing = 1}, on_gpu, 1 << 30), s, {.missing = 1}, "missing");
        }
}

TEST_P(cuda_made, products_and_bits_beside_statistics_at_any_alignment) {
    if (sf::is_complex(GetParam())) GTEST_SKIP() << "of real data";
    sf::operation_set const all = factor_operations_of(GetParam()) | operations_of(GetParam());
    for (data_class const which : classes_of(GetParam())) {
        sample const s = generate(which, GetParam(), 10001, 59);
        sf::reduction host{s.type, all};
        host.add(s.view());
        sf::reduction_results const expected = host.finish();
        sf::reduction device{s.type, all, {}, on_gpu};
        for (std::size_t offset = 0; offset < 16; offset += sf::size_bytes(GetParam())) {
            on_device const x{s, offset};
            device.add(x.view());
            EXPECT_EQ(device.finish(), expected) << s.label << " " << offset << " bytes off";
        }
    }
}

TEST_P(cuda_made, both_processors_merge) {
    bool const complex = sf::is_complex(GetParam());
    operation const op = complex ? operation::dot : operation::weighted_mean;
    for_each_pair(GetParam(), [&](sample_pair const& pair) {
        std::int64_t const n = pair.x.n / 3;
        sf::reduction host{GetParam(), op}, device{GetParam(), op, {}, on_gpu};
        host.add_products(pair.x.part(0, n), pair.y.part(0, n));
        device.add_products(pair.x.part(n, pair.x.n - n), pair.y.part(n, pair.x.n - n));
        device.merge(host);
        expect_same(device.finish()[op], complex ? complex_dot(pair, false, {}) : weighted_mean(pair, {}), op,
                    pair.x.label);
    });
}

TEST_P(cuda_made, batches_take_them) {
    auto const pair = generate_pair(pair_class::independent, GetParam(), 5000, 60);
    on_device const x{pair.x}, y{pair.y};
    bool const complex = sf::is_complex(GetParam());
    operation const op = complex ? operation::dot_conjugated : operation::weighted_mean;
    std::vector<sf::batch_item> items(2);
    items[0].x = x.view();
    items[0].y = y.view();
    items[0].operations = op;
    items[1].x = x.view();
    items[1].operations = complex ? sf::sum : sf::product;
    auto const got = sf::reduce({}, items);
    expect_same(got[0][op], of_pairs(pair, op, {}, {}), op, pair.x.label);
    EXPECT_EQ(got[1], sf::reduce({}, pair.x.view(), items[1].operations)) << pair.x.label;
}

// For compute-sanitizer, under which everything is slow: every kernel once or twice.
TEST_P(cuda_made, Sanitizer_every_kernel) {
    auto const pair = generate_pair(pair_class::specials, GetParam(), 778, 62);
    on_device const x{pair.x, sf::size_bytes(sf::component_type(GetParam()))}, y{pair.y};
    expect_same(sf::distance({}, x.view(), y.view()), sf::distance({}, pair.x.view(), pair.y.view()), operation::l2,
                pair.x.label);
    if (sf::is_complex(GetParam())) {
        expect_same(sf::dot({}, x.view(), y.view()), complex_dot(pair, false, {}), operation::dot, pair.x.label);
        return;
    }
    expect_same(sf::weighted_mean({}, x.view(), y.view()), weighted_mean(pair, {}), operation::weighted_mean,
                pair.x.label);
    expect_same_moments(sf::central_moments({}, x.view()), sf::central_moments({}, pair.x.view()), pair.x.label);
    sample const s = generate(classes_of(GetParam()).front(), GetParam(), 3001, 63);
    expect_factors(factors_of(s, factor_operations_of(GetParam()), {}, on_gpu, 1 << 30), s, {}, "");
}

std::string type_name(testing::TestParamInfo<sf::dtype> const& info) {
    return std::string(sf::name(info.param));
}

std::vector<sf::dtype> all_types() {
    std::vector<sf::dtype> types;
    for (int t = 0; t < sf::dtype_count; ++t) types.push_back(static_cast<sf::dtype>(t));
    return types;
}

INSTANTIATE_TEST_SUITE_P(all, cuda_made, testing::ValuesIn(all_types()), type_name);

using cuda_made_memory = cuda_test;

TEST_F(cuda_made_memory, of_two_kinds_is_refused_or_read) {
    sample_pair const pair{generate(data_class::gaussian, sf::dtype::float64, 1000, 61),
                           generate(data_class::gaussian, sf::dtype::float64, 1000, 64)};
    on_device const x{pair.x};
    EXPECT_THROW((void)sf::distance({}, x.view(), pair.y.view()), sf::argument_error);
    void *pinned = nullptr, *managed = nullptr;
    require(cudaMallocHost(&pinned, pair.y.bytes.size()));
    require(cudaMallocManaged(&managed, pair.y.bytes.size()));
    for (void* memory : {pinned, managed}) {
        std::copy(pair.y.bytes.begin(), pair.y.bytes.end(), static_cast<std::byte*>(memory));
        sf::array_view const y{memory, pair.y.n, pair.y.type};
        EXPECT_EQ(sf::distance({}, x.view(), y), sf::distance({}, pair.x.view(), pair.y.view()));
    }
    sf::array_view const y{managed, pair.y.n, pair.y.type};
    EXPECT_EQ(sf::distance({}, y, y).as_double(), 0.0);
    require(cudaFree(managed));
    require(cudaFreeHost(pinned));
}

} // namespace
