// Arrays whose elements lie apart, in device memory and on their way there: the bits of the oracle and of copies.
#include "reduce/cuda/graphs.hpp"
#include "reduce/cuda/played_ranks.hpp"
#include "reduce/named_results.hpp"
#include "steadfold/batch.hpp"
#include "steadfold/future.hpp"
#include "steadfold/moments.hpp"
#include "steadfold/pairs.hpp"
#include "steadfold/workspace.hpp"
#include "support/check.hpp"
#include "support/spread.hpp"

#include <chrono>

namespace {

using namespace oracle;
using namespace std::chrono_literals;
using sf::operation;

constexpr sf::execution on_gpu{.kind = sf::processor_kind::cuda};
constexpr std::int64_t strides[] = {2, 3, -1, -5, 0, 100};
constexpr std::int64_t lengths[] = {1, 2, 17, 640, 20011};

/// Spread elements in device memory.
struct spread_on_device {
    explicit spread_on_device(spread_sample const& s) : spread{s}, copy{s.memory} {}
    [[nodiscard]] sf::array_view view() const { return spread.at(copy.data()); }

    spread_sample const& spread;
    device_bytes copy;
};

/// Everything of one array, but for the product: of more than 128 bits it is rounded on the way.
sf::operation_set everything(sf::dtype type) {
    sf::operation_set const bits = sf::bit_and | sf::bit_or | sf::bit_xor;
    return sf::is_integer(type) ? operations_of(type) | bits : operations_of(type);
}

struct cuda_strided : cuda_test, testing::WithParamInterface<sf::dtype> {
    [[nodiscard]] static sample draw(std::int64_t n, std::uint64_t seed) {
        auto const classes = classes_of(GetParam());
        return generate(classes[seed % classes.size()], GetParam(), n, seed);
    }
};

TEST_P(cuda_strided, arrays_have_the_oracles_bits_wherever_they_lie) {
    std::uint64_t seed = 1;
    for (std::int64_t const stride : strides)
        for (std::int64_t const n : lengths) {
            ++seed;
            spread_sample const x = spread(draw(n, seed), stride, seed);
            spread_on_device const there{x};
            summary const expected = summarise(x.together.bytes.data(), n, GetParam(), {}, 100);
            sf::reduction all{GetParam(), operations_of(GetParam()), {}, on_gpu};
            all.add(there.view(), 100);
            expect_results(all.finish(), expected, {}, x.together.label);
            all.add(x.view(), 100);
            expect_results(all.finish(), expected, {}, x.together.label + " from the host");
        }
}

TEST_P(cuda_strided, arrays_equal_their_copies_in_every_operation) {
    std::uint64_t seed = 50;
    sf::operation_set const ops = everything(GetParam());
    for (std::int64_t const stride : strides) {
        ++seed;
        spread_sample const x = spread(draw(9001, seed), stride, seed);
        spread_on_device const there{x};
        sf::reduction_results const expected = sf::reduce({}, x.together.view(), ops);
        EXPECT_EQ(sf::reduce({}, there.view(), ops), expected) << x.together.label;
        sf::batch_item const items[] = {{.x = there.view(), .operations = ops}};
        EXPECT_EQ(sf::reduce({}, items)[0], expected) << x.together.label << " in a batch";
    }
}

TEST_P(cuda_strided, products_of_few_elements) {
    if (sf::is_complex(GetParam())) return;
    for (std::int64_t const stride : strides) {
        spread_sample const x = spread(draw(2, 7), stride, 7);
        spread_on_device const there{x};
        EXPECT_EQ(sf::reduce({}, there.view(), sf::product), sf::reduce({}, x.together.view(), sf::product))
            << x.together.label;
    }
}

TEST_P(cuda_strided, functions_of_two_arrays_with_strides_of_their_own) {
    std::uint64_t seed = 90;
    for (auto const& [of_x, of_y] : {std::pair<std::int64_t, std::int64_t>{2, 3}, {1, -1}, {-5, 1}, {0, 7}, {100, 0}})
        for (std::int64_t const n : lengths) {
            ++seed;
            spread_sample const x = spread(draw(n, seed), of_x, seed), y = spread(draw(n, seed + 9), of_y, seed);
            spread_on_device const dx{x}, dy{y};
            sf::array_view const a = x.together.view(), b = y.together.view();
            std::string const label = x.together.label + " and " + y.together.label;
            expect_same(sf::dot({}, dx.view(), dy.view()), sf::dot({}, a, b), operation::dot, label);
            expect_same(sf::dot_conjugated({}, dx.view(), dy.view()), sf::dot_conjugated({}, a, b),
                        operation::dot_conjugated, label);
            expect_same(sf::distance({}, dx.view(), dy.view()), sf::distance({}, a, b), operation::l2, label);
            for (bool const first_on_host : {true, false}) {
                sf::reduction dots{GetParam(), operation::dot, {}, on_gpu};
                dots.add_products(first_on_host ? x.view() : dx.view(), first_on_host ? dy.view() : y.view());
                expect_same(dots.finish()[operation::dot], sf::dot({}, a, b), operation::dot, label + " on both sides");
            }
            if (sf::is_complex(GetParam())) continue;
            expect_same(sf::weighted_mean({}, dx.view(), dy.view()), sf::weighted_mean({}, a, b),
                        operation::weighted_mean, label);
        }
}

TEST_P(cuda_strided, moments_are_those_of_copies) {
    if (sf::is_complex(GetParam())) return;
    for (std::int64_t const stride : strides) {
        spread_sample const x = spread(generate(classes_of(GetParam())[0], GetParam(), 3001, 5), stride, 5);
        spread_on_device const there{x};
        sf::moments const got = sf::central_moments({}, there.view());
        sf::moments const expected = sf::central_moments({}, x.together.view());
        EXPECT_EQ(got.count, expected.count);
        EXPECT_EQ(got.mean, expected.mean) << x.together.label;
        EXPECT_EQ(got.second, expected.second) << x.together.label;
        EXPECT_EQ(got.third, expected.third) << x.together.label;
        EXPECT_EQ(got.fourth, expected.fourth) << x.together.label;
    }
}

TEST_P(cuda_strided, workspaces_futures_and_graphs_take_them) {
    own_stream const stream;
    sf::operation_set const ops = everything(GetParam());
    sf::workspace work{GetParam(), ops, {}, on_gpu};
    for (std::int64_t const stride : strides) {
        spread_sample const first = spread(draw(5003, 1), stride, 1), second = spread(draw(5003, 2), stride, 1);
        spread_on_device const there{first};
        device_results const out{number_of(ops)};
        captured_graph const graph{stream, [&] { sf::enqueue_reduce(work, there.view(), out.span(), stream.get()); }};
        for (spread_sample const* now : {&first, &second, &first}) {
            require(cudaMemcpyAsync(there.copy.data(), now->memory.data(), now->memory.size(), cudaMemcpyHostToDevice,
                                    stream.get()));
            stream.wait();
            sf::reduction_results const expected = sf::reduce({}, now->together.view(), ops);
            std::string const label = now->together.label;
            graph.launch(stream);
            EXPECT_EQ(named(ops, out.read(stream)), expected) << label << " in a graph";
            sf::enqueue_reduce(work, there.view(), out.span(), stream.get());
            EXPECT_EQ(named(ops, out.read(stream)), expected) << label << " enqueued";
            EXPECT_EQ(sf::reduce_async({}, there.view(), work, stream.get()).get(10s), expected) << label << " later";
        }
    }
}

TEST_P(cuda_strided, dots_in_graphs) {
    own_stream const stream;
    sf::workspace work{GetParam(), operation::dot, {}, on_gpu};
    for (std::int64_t const stride : strides) {
        spread_sample const x = spread(draw(5003, 3), stride, 3), y = spread(draw(5003, 4), 3, 4);
        spread_on_device const dx{x}, dy{y};
        device_results const out{1};
        captured_graph const graph{stream,
                                   [&] { sf::enqueue_dot(work, dx.view(), dy.view(), out.span(), stream.get()); }};
        graph.launch(stream);
        expect_same(out.read(stream)[0], sf::dot({}, x.together.view(), y.together.view()), operation::dot,
                    x.together.label);
    }
}

INSTANTIATE_TEST_SUITE_P(types, cuda_strided,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int8, sf::dtype::int16, sf::dtype::int32,
                                         sf::dtype::int64, sf::dtype::uint8, sf::dtype::uint16, sf::dtype::uint32,
                                         sf::dtype::uint64, sf::dtype::complex64, sf::dtype::complex128),
                         [](auto const& info) { return std::string(sf::name(info.param)); });

using cuda_strided_ranks = cuda_test;
using cuda_strided_arrays = cuda_test;

TEST_F(cuda_strided_ranks, several_ranks_add_up_columns_of_one_matrix) {
    own_stream const stream;
    constexpr int size = 3;
    sample const matrix = generate(data_class::log_normal, sf::dtype::float64, 3000 * size, 6);
    device_bytes const memory{matrix.bytes};
    ranks_on_one_gpu const ranks{size};
    sf::operation_set const ops = sf::sum | sf::variance | sf::extrema;
    // A column each, so that an element's index is not its place in memory.
    sample by_columns{matrix.type, matrix.n, {}, "columns"};
    for (int rank = 0; rank < size; ++rank)
        for (std::int64_t i = 0; i < 3000; ++i)
            by_columns.bytes.insert(by_columns.bytes.end(), matrix.at(i * size + rank), matrix.at(i * size + rank + 1));
    summary const expected = summarise(by_columns.bytes.data(), matrix.n, matrix.type);
    for (bool const plays : {false, true})
        for (int rank = 0; rank < size; ++rank) {
            sf::communicator const all = plays ? ranks.play(rank) : ranks.record(rank);
            sf::workspace work{matrix.type, ops, {}, on_gpu, all};
            device_results const out{number_of(ops)};
            sf::array_view const column{memory.data() + 8 * rank, 3000, matrix.type, size};
            sf::enqueue_reduce(all, work, column, out.span(), stream.get(), 3000 * rank);
            auto const got = out.read(stream);
            if (plays) expect_results(named(ops, got), expected, {}, "rank " + std::to_string(rank));
        }
}

/// More than both staging buffers hold, gathered on the way; then one that the device reads by itself.
TEST_F(cuda_strided_arrays, long_arrays_on_their_way_from_the_host) {
    sample const s = generate(data_class::log_normal, sf::dtype::float32, 20000003, 8);
    sf::operation_set const ops = sf::sum | sf::extrema | sf::l2;
    spread_sample const x = spread(s, -2, 9);
    sf::reduction_results const expected = sf::reduce({}, x.together.view(), ops);
    sf::reduction all{s.type, ops, {}, on_gpu};
    for (int again = 0; again < 2; ++again) {
        all.add(x.view());
        EXPECT_EQ(all.finish(), expected);
    }
    spread_on_device const there{x};
    all.add(there.view());
    EXPECT_EQ(all.finish(), expected);
    sf::reduction dots{s.type, operation::dot, {}, on_gpu};
    dots.add_products(there.view(), s.view());
    EXPECT_EQ(dots.finish()[operation::dot], sf::dot({}, x.together.view(), s.view()));
}

} // namespace
