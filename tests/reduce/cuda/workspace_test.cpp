// Workspaces on a GPU: every result against the oracle, alone and in graphs that are replayed with changing data; and
// that calls neither allocate nor wait.
#include "reduce/cuda/graphs.hpp"
#include "reduce/cuda/held_stream.hpp"
#include "reduce/named_results.hpp"
#include "steadfold/error.hpp"
#include "steadfold/reduce.hpp"
#include "steadfold/workspace.hpp"
#include "support/check.hpp"

#include <array>
#include <bit>

namespace {

using namespace oracle;

constexpr sf::execution on_gpu{.kind = sf::processor_kind::cuda};
constexpr sf::operation_set dot{sf::operation::dot};

struct cuda_workspace : cuda_test {};

struct cuda_workspace_of : cuda_test, testing::WithParamInterface<sf::dtype> {
    /// The results of a call, from device memory.
    static sf::reduction_results reduced(sf::workspace& work, own_stream const& stream, sf::array_view x) {
        device_results const out{number_of(work.operations())};
        sf::enqueue_reduce(work, x, out.span(), stream.get());
        return named(work.operations(), out.read(stream));
    }
};

TEST_P(cuda_workspace_of, every_set_of_operations_gives_the_oracles_bits_again_and_again) {
    own_stream const stream;
    sf::operation_set const all = operations_of(GetParam());
    std::vector<sf::operation_set> sets = {all, all.intersection(sf::sum | sf::mean),
                                           all.intersection(sf::variance | sf::sum_of_squares),
                                           all.intersection(sf::extrema | sf::linf | sf::sum)};
    for (int i = 0; i < sf::operation_count; ++i)
        if (all.contains(static_cast<sf::operation>(i))) sets.push_back(static_cast<sf::operation>(i));
    auto const classes = classes_of(GetParam());
    for (sf::operation_set const set : sets) {
        sf::workspace work{GetParam(), set, {}, on_gpu};
        for (std::size_t k = 0; k < classes.size(); ++k)
            for (std::int64_t const n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{250}, std::int64_t{9001}}) {
                if (n == 9001 && k % 4 != 0) continue;
                sample const s = generate(classes[k], GetParam(), n, k + 1);
                device_bytes const memory{s.bytes};
                sf::reduction_results const got = reduced(work, stream, {memory.data(), n, s.type});
                expect_results(got, summarise(s.bytes.data(), n, s.type), {}, s.label + " " + to_string(set));
            }
    }
}

TEST_P(cuda_workspace_of, parts_that_begin_anywhere_give_the_bits_of_the_host) {
    own_stream const stream;
    sf::operation_set const all = operations_of(GetParam());
    sf::workspace work{GetParam(), all, {}, on_gpu};
    sample const s = generate(classes_of(GetParam()).front(), GetParam(), 5000, 3);
    device_bytes const memory{s.bytes};
    std::size_t const step = sf::size_bytes(GetParam());
    for (std::int64_t first = 0; first < 20; ++first)
        for (std::int64_t const n : {std::int64_t{1}, std::int64_t{17}, std::int64_t{4980} - first}) {
            sf::array_view const part{memory.data() + static_cast<std::size_t>(first) * step, n, s.type};
            EXPECT_EQ(reduced(work, stream, part), sf::reduce({}, s.part(first, n), all)) << first << " " << n;
        }
}

TEST_P(cuda_workspace_of, options_and_indices_are_those_of_reduce) {
    own_stream const stream;
    sf::operation_set const all = operations_of(GetParam());
    sf::reduce_options options{.nans = sf::nan_policy::ignore, .ddof = 1, .result = sf::dtype::float32};
    if (sf::is_integer(GetParam())) options.missing = 1;
    sf::workspace work{GetParam(), all, options, on_gpu};
    for (data_class const which : classes_of(GetParam())) {
        sample const s = generate(which, GetParam(), 700, 5);
        device_bytes const memory{s.bytes};
        device_results const out{number_of(all)};
        sf::enqueue_reduce(work, {memory.data(), s.n, s.type}, out.span(), stream.get(), std::int64_t{1} << 40);
        expect_results(named(all, out.read(stream)),
                       summarise(s.bytes.data(), s.n, s.type, options.missing, std::int64_t{1} << 40), options,
                       s.label);
    }
}

INSTANTIATE_TEST_SUITE_P(types, cuda_workspace_of,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int8, sf::dtype::int16, sf::dtype::int32,
                                         sf::dtype::int64, sf::dtype::uint8, sf::dtype::uint16, sf::dtype::uint32,
                                         sf::dtype::uint64, sf::dtype::complex64, sf::dtype::complex128),
                         [](auto const& info) { return std::string(sf::name(info.param)); });

TEST_F(cuda_workspace, a_graph_replayed_1000_times_gives_the_oracles_bits_of_the_data_of_each_time) {
    own_stream const stream;
    sf::operation_set const set = sf::sum | sf::variance | sf::extrema | sf::l2;
    constexpr std::array classes = {data_class::gaussian, data_class::any_bits,   data_class::cancellation,
                                    data_class::specials, data_class::subnormals, data_class::negative_zeros};
    sf::workspace work{sf::dtype::float64, set, {}, on_gpu}, sums{sf::dtype::float64, sf::sum, {}, on_gpu};
    constexpr std::int64_t n = 777;
    device_bytes const x{n * sizeof(double)};
    device_results const out{number_of(set)};
    pinned<double> const sum;
    sf::array_view const view{x.data(), n, sf::dtype::float64};
    captured_graph const graph{stream, [&] {
                                   sf::enqueue_reduce(work, view, out.span(), stream.get());
                                   sf::enqueue_reduce(sums, view, sum.data(), stream.get());
                               }};
    EXPECT_EQ(graph.nodes(), 2U);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        sample const s = generate(classes[i % classes.size()], sf::dtype::float64, n, i);
        require(cudaMemcpyAsync(x.data(), s.bytes.data(), s.bytes.size(), cudaMemcpyHostToDevice, stream.get()));
        graph.launch(stream);
        sf::reduction_results const got = named(set, out.read(stream));
        summary const expected = summarise(s.bytes.data(), n, s.type);
        expect_results(got, expected, {}, s.label);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(sum[0]), evaluate(expected, sf::operation::sum, {}).bits[0]) << s.label;
        if (HasFailure()) return;
    }
}

TEST_F(cuda_workspace, a_graph_over_large_arrays_gives_the_same_bits_1000_times) {
    own_stream const stream;
    constexpr std::int64_t n = 1 << 20;
    constexpr std::size_t bytes = n * sizeof(float), kinds = 5;
    device_bytes const data{kinds * bytes}, x{bytes};
    std::vector<sf::result_value> expected;
    constexpr std::array classes = {data_class::gaussian, data_class::log_normal, data_class::blocks,
                                    data_class::outliers, data_class::any_finite_bits};
    for (std::size_t k = 0; k < kinds; ++k) {
        sample const s = generate(classes[k], sf::dtype::float32, n, k);
        require(cudaMemcpy(data.data() + k * bytes, s.bytes.data(), bytes, cudaMemcpyHostToDevice));
        require(cudaDeviceSynchronize());
        expected.push_back(evaluate(summarise(s.bytes.data(), n, s.type), sf::operation::sum, {}));
    }
    sf::workspace sums{sf::dtype::float32, sf::sum, {}, on_gpu};
    device_results const out{1};
    captured_graph const graph{
        stream, [&] {
            sf::enqueue_reduce(sums, {x.data(), n, sf::dtype::float32}, out.span(), stream.get());
        }};
    for (std::size_t i = 0; i < 1000; ++i) {
        require(
            cudaMemcpyAsync(x.data(), data.data() + i % kinds * bytes, bytes, cudaMemcpyDeviceToDevice, stream.get()));
        graph.launch(stream);
        ASSERT_EQ(out.read(stream)[0], expected[i % kinds]) << "replay " << i;
    }
}

TEST_F(cuda_workspace, many_calls_in_one_graph_follow_each_other) {
    own_stream const stream;
    sample const s = generate(data_class::gaussian, sf::dtype::float64, 50000, 1);
    device_bytes const x{s.bytes};
    sf::workspace work{s.type, sf::sum | sf::max, {}, on_gpu};
    device_results const out{400};
    captured_graph const graph{stream, [&] {
                                   for (std::int64_t i = 0; i < 200; ++i) // another part each time
                                       sf::enqueue_reduce(work, {x.data() + 8 * i, s.n - 200, s.type},
                                                          out.span().subspan(static_cast<std::size_t>(2 * i), 2),
                                                          stream.get());
                               }};
    EXPECT_EQ(graph.nodes(), 200U);
    graph.launch(stream);
    std::vector<sf::result_value> const got = out.read(stream);
    for (std::int64_t i = 0; i < 200; ++i)
        EXPECT_EQ(named(work.operations(), std::span{got}.subspan(static_cast<std::size_t>(2 * i), 2)),
                  sf::reduce({}, s.part(i, s.n - 200), work.operations()))
            << i;
}

TEST_F(cuda_workspace, strict_capture_really_refuses_what_allocates_or_waits) {
    own_stream const stream;
    void* memory = nullptr;
    EXPECT_THROW((captured_graph{stream, [&] { require(cudaMalloc(&memory, 64)); }}), std::runtime_error);
    EXPECT_THROW((captured_graph{stream, [&] { require(cudaStreamSynchronize(stream.get())); }}), std::runtime_error);
    EXPECT_THROW((captured_graph{stream, [&] { require(cudaDeviceSynchronize()); }}), std::runtime_error);
}

TEST_F(cuda_workspace, calls_return_while_the_device_has_not_begun_and_take_no_memory) {
    sample const s = generate(data_class::gaussian, sf::dtype::float64, 100000, 2);
    device_bytes const x{s.bytes};
    sf::workspace work{s.type, operations_of(s.type), {}, on_gpu}, dots{s.type, dot, {}, on_gpu};
    device_results const out{number_of(work.operations())};
    pinned<double> const product;
    auto const enqueue = [&](cudaStream_t stream) {
        sf::enqueue_reduce(work, {x.data(), s.n, s.type}, out.span(), stream);
        sf::enqueue_dot(dots, {x.data(), s.n, s.type}, {x.data(), s.n, s.type}, product.data(), stream);
    };
    own_stream const stream;
    enqueue(stream.get());
    stream.wait();
    std::size_t free_before = 0, free_after = 0, total = 0;
    require(cudaMemGetInfo(&free_before, &total));
    for (int i = 0; i < 1000; ++i) enqueue(stream.get());
    stream.wait();
    require(cudaMemGetInfo(&free_after, &total));
    EXPECT_EQ(free_before, free_after);
    product[0] = 0;
    {
        held_stream held;
        for (int i = 0; i < 100; ++i) enqueue(held.get());
        EXPECT_TRUE(held.held()) << "a call waited until the kernel before it gave up";
        EXPECT_EQ(product[0], 0.0);
    }
    expect_same(evaluate(summarise(s.bytes.data(), s.n, s.type), sf::operation::sum_of_squares, {}),
                {sf::dtype::float64, {std::bit_cast<std::uint64_t>(product[0]), 0}, sf::status_flags::inexact},
                sf::operation::dot, s.label);
}

TEST_F(cuda_workspace, two_on_two_streams_do_not_disturb_each_other) {
    sample const a = generate(data_class::gaussian, sf::dtype::float64, 300000, 1),
                 b = generate(data_class::log_normal, sf::dtype::float64, 200000, 2);
    device_bytes const x{a.bytes}, y{b.bytes};
    sf::operation_set const set = sf::sum | sf::variance | sf::extrema;
    sf::workspace first{a.type, set, {}, on_gpu}, second{b.type, set, {}, on_gpu};
    auto const expected_a = sf::reduce({}, a.view(), set), expected_b = sf::reduce({}, b.view(), set);
    own_stream const one, two;
    device_results const out_a{number_of(set)}, out_b{number_of(set)};
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 20; ++i) {
            sf::enqueue_reduce(first, {x.data(), a.n, a.type}, out_a.span(), one.get());
            sf::enqueue_reduce(second, {y.data(), b.n, b.type}, out_b.span(), two.get());
        }
        EXPECT_EQ(named(set, out_a.read(one)), expected_a);
        EXPECT_EQ(named(set, out_b.read(two)), expected_b);
    }
}

TEST_F(cuda_workspace, dot_gives_the_oracles_bits_on_device_and_in_pinned_memory) {
    own_stream const stream;
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::int32}) {
        sf::workspace work{type, dot, {}, on_gpu};
        device_results const on_device{1};
        pinned<sf::result_value> const in_pinned;
        for (int which = 0; which < (sf::is_integer(type) ? 1 : pair_class_count); ++which)
            for (std::int64_t const n : {0, 1, 100, 6001}) {
                auto const [x, y] = generate_pair(static_cast<pair_class>(which), type, n, 8);
                device_bytes const dx{x.bytes}, dy{y.bytes, sf::size_bytes(type)}; // one element out of step
                sf::array_view const vx{dx.data(), n, type}, vy{dy.data(), n, type};
                auto const expected =
                    evaluate(summarise_pairs(x.bytes.data(), y.bytes.data(), n, type), sf::operation::dot, {});
                sf::enqueue_dot(work, vx, vy, on_device.span(), stream.get());
                sf::enqueue_dot(work, vx, vy, in_pinned.span(), stream.get());
                expect_same(on_device.read(stream)[0], expected, sf::operation::dot, x.label);
                expect_same(in_pinned[0], expected, sf::operation::dot, x.label + " pinned");
            }
    }
}

TEST_F(cuda_workspace, values_alone_have_the_width_of_their_type) {
    own_stream const stream;
    sample const s = generate(data_class::gaussian, sf::dtype::float32, 1000, 2);
    device_bytes const x{s.bytes};
    sf::workspace halves{s.type, sf::max, {.result = sf::dtype::float16}, on_gpu};
    pinned<sf::half> const out{3};
    for (sf::half& h : out.span()) h.bits = 0xaaaa;
    sf::enqueue_reduce(halves, {x.data(), s.n, s.type}, out.data() + 1, stream.get());
    stream.wait();
    EXPECT_EQ(out[0].bits, 0xaaaa);
    EXPECT_EQ(out[2].bits, 0xaaaa);
    EXPECT_EQ(out[1].bits,
              sf::reduce({}, s.view(), sf::max, {.result = sf::dtype::float16})[sf::operation::max].bits[0]);

    sample const z = generate(data_class::cancellation, sf::dtype::complex64, 1000, 2);
    device_bytes const dz{z.bytes};
    sf::workspace sums{z.type, sf::sum, {}, on_gpu};
    pinned<std::complex<float>> const sum;
    sf::enqueue_reduce(sums, {dz.data(), z.n, z.type}, sum.data(), stream.get());
    stream.wait();
    auto const expected = sf::reduce({}, z.view(), sf::sum)[sf::operation::sum];
    EXPECT_EQ(std::bit_cast<std::uint32_t>(sum[0].real()), expected.bits[0]);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(sum[0].imag()), expected.bits[1]);
}

TEST_F(cuda_workspace, fast_mode_is_close_alone_and_exact_beside_exact_results) {
    own_stream const stream;
    sample const s = generate(data_class::gaussian, sf::dtype::float64, 100000, 2);
    device_bytes const x{s.bytes};
    sf::workspace fast{s.type, sf::sum | sf::l1, {.mode = sf::reduction_mode::fast}, on_gpu},
        mixed{s.type, sf::sum | sf::l1 | sf::variance, {.mode = sf::reduction_mode::fast}, on_gpu};
    auto const exact = sf::reduce({}, s.view(), mixed.operations());
    device_results const two{2}, three{3};
    sf::enqueue_reduce(fast, {x.data(), s.n, s.type}, two.span(), stream.get());
    sf::enqueue_reduce(mixed, {x.data(), s.n, s.type}, three.span(), stream.get());
    auto const got = two.read(stream);
    EXPECT_NEAR(got[0].as_double(), exact[sf::operation::sum].as_double(), 1e-9);
    EXPECT_NEAR(got[1].as_double(), exact[sf::operation::l1].as_double(), 1e-6);
    EXPECT_EQ(named(mixed.operations(), three.read(stream)), exact);
}

TEST_F(cuda_workspace, bad_arguments_are_refused_before_anything_is_enqueued) {
    own_stream const stream;
    std::vector<double> host(4);
    device_bytes const x{64}, results{64};
    sf::array_view const four{x.data(), 4, sf::dtype::float64};
    auto* const out = reinterpret_cast<double*>(results.data());
    sf::workspace sums{sf::dtype::float64, sf::sum, {}, on_gpu}, dots{sf::dtype::float64, dot, {}, on_gpu};
    auto const nodes = captured_graph{
        stream, [&] {
            double nowhere = 0;
            EXPECT_THROW(sf::enqueue_reduce(sums, {host.data(), 4, four.type}, out, stream.get()), sf::argument_error);
            EXPECT_THROW(sf::enqueue_reduce(sums, four, &nowhere, stream.get()), sf::argument_error);
            EXPECT_THROW(sf::enqueue_reduce(sums, four, static_cast<double*>(nullptr), stream.get()),
                         sf::argument_error);
            EXPECT_THROW(sf::enqueue_reduce(sums, four, reinterpret_cast<double*>(x.data() + 24), stream.get()),
                         sf::argument_error);
            EXPECT_THROW(sf::enqueue_reduce(sums, {x.data() + 4, 4, four.type}, out, stream.get()), sf::argument_error);
            EXPECT_THROW(sf::enqueue_reduce(sums, {nullptr, 4, four.type}, out, stream.get()), sf::argument_error);
            EXPECT_THROW(sf::enqueue_dot(dots, four, {host.data(), 4, four.type}, out, stream.get()),
                         sf::argument_error);
            EXPECT_THROW(sf::enqueue_dot(sums, four, four, out, stream.get()), sf::argument_error);
        }}.nodes();
    EXPECT_EQ(nodes, 0U);
    EXPECT_THROW((sf::workspace{sf::dtype::float64, sf::sum, {}, {.kind = on_gpu.kind, .device = device_count()}}),
                 sf::argument_error);
    EXPECT_THROW((sf::workspace{sf::dtype::float64, sf::sum, {}, {.kind = on_gpu.kind, .threads_per_block = 33}}),
                 sf::argument_error);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(cuda_workspace, of_another_device_leaves_the_current_one_and_refuses_foreign_memory_and_streams) {
    if (device_count() < 2) GTEST_SKIP() << "needs two GPUs";
    device_bytes const foreign{64};
    own_stream const foreign_stream;
    sf::workspace work{sf::dtype::float64, sf::sum, {}, {.kind = on_gpu.kind, .device = 1}};
    pinned<double> const out;
    sf::array_view const nothing{nullptr, 0, sf::dtype::float64};
    EXPECT_THROW(sf::enqueue_reduce(work, {foreign.data(), 2, sf::dtype::float64}, out.data(), {}), sf::argument_error);
    EXPECT_THROW(sf::enqueue_reduce(work, nothing, reinterpret_cast<double*>(foreign.data()), {}), sf::argument_error);
    EXPECT_THROW(sf::enqueue_reduce(work, nothing, out.data(), foreign_stream.get()), sf::argument_error);
    out[0] = 5;
    sf::enqueue_reduce(work, nothing, out.data(), {});
    int current = -1;
    require(cudaGetDevice(&current));
    EXPECT_EQ(current, 0);
    require(cudaSetDevice(1));
    require(cudaDeviceSynchronize());
    require(cudaSetDevice(0));
    EXPECT_EQ(out[0], 0.0);
}

} // namespace
