// Workspaces on a GPU for what takes several kernels: complex dots, products and bitwise operations, alone, in graphs
// and as futures.
#include "reduce/cuda/graphs.hpp"
#include "reduce/cuda/played_ranks.hpp"
#include "reduce/named_results.hpp"
#include "reduce/twin_ranks.hpp"
#include "steadfold/error.hpp"
#include "steadfold/future.hpp"
#include "steadfold/reduce.hpp"
#include "steadfold/workspace.hpp"
#include "support/check.hpp"
#include "support/oracle_factors.hpp"
#include "support/oracle_made.hpp"

#include <bit>
#include <chrono>
#include <complex>

namespace {

using namespace oracle;
using namespace std::chrono_literals;
using sf::operation;

constexpr sf::execution on_gpu{.kind = sf::processor_kind::cuda};

using cuda_made_workspace = cuda_test;

/// `n` complex pairs: most classes of pairs count parts.
sample_pair complex_pairs(pair_class which, sf::dtype type, std::int64_t n, std::uint64_t seed) {
    sample_pair pair = generate_pair(which, type, 2 * n, seed);
    for (sample* s : {&pair.x, &pair.y}) {
        s->n = n;
        s->bytes.resize(static_cast<std::size_t>(n) * sf::size_bytes(type));
    }
    return pair;
}

sample twice(sample s) {
    std::vector<std::byte> const once = s.bytes;
    s.bytes.insert(s.bytes.end(), once.begin(), once.end());
    s.n *= 2;
    s.label += " twice";
    return s;
}

sf::array_view in(device_bytes const& memory, sample const& s) {
    return {memory.data(), s.n, s.type};
}

TEST_F(cuda_made_workspace, complex_dots_have_the_oracles_bits_and_so_have_their_futures) {
    own_stream const stream;
    sf::communicator const twins{std::make_shared<twin_ranks>()};
    device_results const out{1};
    for (sf::dtype const type : {sf::dtype::complex64, sf::dtype::complex128})
        for (operation const op : {operation::dot, operation::dot_conjugated}) {
            bool const conjugated = op == operation::dot_conjugated;
            sf::workspace work{type, op, {}, on_gpu};
            for (int which = 0; which < pair_class_count; ++which)
                for (std::int64_t const n : {0, 1, 33, 4097}) {
                    sample_pair const pair = complex_pairs(static_cast<pair_class>(which), type, n, 81);
                    device_bytes const x{pair.x.bytes}, y{pair.y.bytes};
                    sf::enqueue_dot(work, in(x, pair.x), in(y, pair.y), out.span(), stream.get());
                    sf::result_value const expected = complex_dot(pair, conjugated, {});
                    expect_same(out.read(stream)[0], expected, op, pair.x.label);
                    if (conjugated) continue; // has no futures
                    expect_same(sf::dot_async({}, in(x, pair.x), in(y, pair.y), work, stream.get()).get(10s), expected,
                                op, pair.x.label + " later");
                    expect_same(sf::dot_async(twins, in(x, pair.x), in(y, pair.y), work, stream.get()).get(10s),
                                complex_dot({twice(pair.x), twice(pair.y)}, false, {}), op, pair.x.label + " twice");
                }
        }
}

TEST_F(cuda_made_workspace, products_and_bits_come_beside_statistics) {
    own_stream const stream;
    sf::communicator const twins{std::make_shared<twin_ranks>()};
    for (int t = 0; t < sf::dtype_count; ++t) {
        auto const type = static_cast<sf::dtype>(t);
        if (sf::is_complex(type)) continue;
        sf::operation_set const factors = factor_operations_of(type), all = operations_of(type) | factors;
        sf::workspace work{type, all, {}, on_gpu}, only_factors{type, factors, {}, on_gpu};
        device_results const out{number_of(all)}, out_factors{number_of(factors)};
        for (data_class const which : classes_of(type))
            for (std::int64_t const n : {0, 1, 33, 2001}) {
                sample const s = generate(which, type, n, 82);
                device_bytes const x{s.bytes};
                sf::enqueue_reduce(work, in(x, s), out.span(), stream.get(), 5);
                sf::reduction_results const expected = sf::reduce({}, s.view(), all, {}, 5);
                EXPECT_EQ(named(all, out.read(stream)), expected) << s.label;
                EXPECT_EQ(sf::reduce_async({}, in(x, s), work, stream.get(), 5).get(10s), expected) << s.label;
                sf::enqueue_reduce(only_factors, in(x, s), out_factors.span(), stream.get());
                sf::reduction_results const alone = named(factors, out_factors.read(stream));
                sf::reduction_results const of_two =
                    sf::reduce_async(twins, in(x, s), only_factors, stream.get()).get(10s);
                for (int i = 0; i < sf::operation_count; ++i) {
                    auto const op = static_cast<operation>(i);
                    if (!factors.contains(op)) continue;
                    expect_same(alone[op], evaluate_factors(s, op, {}), op, s.label);
                    expect_same(of_two[op], evaluate_factors(twice(s), op, {}), op, s.label + " twice");
                }
            }
    }
}

TEST_F(cuda_made_workspace, a_graph_replayed_200_times_gives_the_bits_of_the_data_of_each_time) {
    own_stream const stream;
    using complex = std::complex<double>;
    constexpr std::int64_t n = 333, integers = n * 2;
    sf::workspace dots{sf::dtype::complex128, operation::dot, {}, on_gpu},
        products{sf::dtype::int64, sf::product | sf::bit_xor, {}, on_gpu};
    device_bytes const x{n * sizeof(complex)}, y{n * sizeof(complex)};
    sf::array_view const vx{x.data(), n, sf::dtype::complex128}, vy{y.data(), n, sf::dtype::complex128};
    sf::array_view const words{x.data(), integers, sf::dtype::int64};
    pinned<complex> const rho;
    device_results const out{2};
    captured_graph const graph{stream, [&] {
                                   sf::enqueue_dot(dots, vx, vy, rho.data(), stream.get());
                                   sf::enqueue_reduce(products, words, out.span(), stream.get());
                               }};
    for (std::uint64_t i = 0; i < 200; ++i) {
        auto const which = static_cast<pair_class>(i % pair_class_count);
        sample_pair const pair = complex_pairs(which, sf::dtype::complex128, n, i);
        require(cudaMemcpyAsync(x.data(), pair.x.bytes.data(), pair.x.bytes.size(), cudaMemcpyDefault, stream.get()));
        require(cudaMemcpyAsync(y.data(), pair.y.bytes.data(), pair.y.bytes.size(), cudaMemcpyDefault, stream.get()));
        graph.launch(stream);
        sf::reduction_results const got = named(products.operations(), out.read(stream));
        sf::result_value const expected = complex_dot(pair, false, {});
        EXPECT_EQ(std::bit_cast<std::uint64_t>(rho[0].real()), expected.bits[0]) << pair.x.label;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(rho[0].imag()), expected.bits[1]) << pair.x.label;
        EXPECT_EQ(got, sf::reduce({}, {pair.x.bytes.data(), integers, sf::dtype::int64}, products.operations()));
        if (HasFailure()) return;
    }
}

TEST_F(cuda_made_workspace, arrays_of_several_chunks_give_the_bits_of_the_host) {
    own_stream const stream;
    device_results const out{1};
    for (sf::dtype const type : {sf::dtype::complex64, sf::dtype::complex128}) {
        sample_pair const pair = complex_pairs(pair_class::cancellation, type, 800000, 83);
        device_bytes const x{pair.x.bytes}, y{pair.y.bytes};
        for (int const blocks : {0, 1, 100000}) {
            sf::workspace work{type, operation::dot, {}, {.kind = sf::processor_kind::cuda, .blocks = blocks}};
            sf::enqueue_dot(work, in(x, pair.x), in(y, pair.y), out.span(), stream.get());
            expect_same(out.read(stream)[0], sf::dot({}, pair.x.view(), pair.y.view()), operation::dot, pair.x.label);
        }
    }
}

TEST_F(cuda_made_workspace, weighted_means_are_the_rational_rounded_once) {
    own_stream const stream;
    device_results const out{1};
    for (int t = 0; t < sf::dtype_count; ++t) {
        auto const type = static_cast<sf::dtype>(t);
        if (sf::is_complex(type)) continue;
        for (auto const nans : {sf::nan_policy::propagate, sf::nan_policy::ignore}) {
            sf::workspace work{type, operation::weighted_mean, {.nans = nans}, on_gpu};
            for (int which = 0; which < pair_class_count; ++which)
                for (std::int64_t const n : {0, 1, 33, 4097}) {
                    sample_pair const pair = generate_pair(static_cast<pair_class>(which), type, n, 85);
                    device_bytes const w{pair.x.bytes}, x{pair.y.bytes};
                    sf::enqueue_dot(work, in(w, pair.x), in(x, pair.y), out.span(), stream.get());
                    expect_same(out.read(stream)[0], weighted_mean(pair, {.nans = nans}), operation::weighted_mean,
                                pair.x.label + " . " + pair.y.label);
                }
        }
    }
}

TEST_F(cuda_made_workspace, weighted_means_in_a_graph_and_over_ranks) {
    own_stream const stream;
    constexpr std::int64_t n = 3001, third = 1000;
    device_bytes const w{8 * n}, x{8 * n};
    sf::array_view const all_w{w.data(), n, sf::dtype::float64}, all_x{x.data(), n, sf::dtype::float64};
    sf::workspace work{sf::dtype::float64, operation::weighted_mean, {}, on_gpu};
    pinned<double> const mean;
    captured_graph const graph{stream, [&] { sf::enqueue_dot(work, all_w, all_x, mean.data(), stream.get()); }};
    for (std::uint64_t i = 0; i < 50; ++i) {
        sample_pair const pair = generate_pair(static_cast<pair_class>(i % pair_class_count), sf::dtype::float64, n, i);
        require(cudaMemcpyAsync(w.data(), pair.x.bytes.data(), 8 * n, cudaMemcpyDefault, stream.get()));
        require(cudaMemcpyAsync(x.data(), pair.y.bytes.data(), 8 * n, cudaMemcpyDefault, stream.get()));
        graph.launch(stream);
        stream.wait();
        sf::result_value const expected = weighted_mean(pair, {});
        EXPECT_EQ(std::bit_cast<std::uint64_t>(mean[0]), expected.bits[0]) << pair.x.label;
        ranks_on_one_gpu const ranks{2};
        for (bool const plays : {false, true})
            for (int rank = 0; rank < 2; ++rank) {
                sf::communicator const both = plays ? ranks.play(rank) : ranks.record(rank);
                sf::workspace part{sf::dtype::float64, operation::weighted_mean, {}, on_gpu, both};
                device_results const out{1};
                std::int64_t const first = rank * third, count = rank == 0 ? third : n - third;
                sf::enqueue_dot(both, part, {w.data() + 8 * first, count, sf::dtype::float64},
                                {x.data() + 8 * first, count, sf::dtype::float64}, out.span(), stream.get());
                auto const got = out.read(stream);
                if (plays) expect_same(got[0], expected, operation::weighted_mean, pair.x.label);
            }
    }
}

// For compute-sanitizer, under which everything is slow.
TEST_F(cuda_made_workspace, Sanitizer_every_kernel) {
    own_stream const stream;
    device_results const out{1};
    sample_pair const pair = complex_pairs(pair_class::specials, sf::dtype::complex64, 501, 84);
    device_bytes const x{pair.x.bytes}, y{pair.y.bytes};
    sf::workspace dots{sf::dtype::complex64, operation::dot, {}, on_gpu},
        products{sf::dtype::float32, sf::product, {}, on_gpu};
    sf::enqueue_dot(dots, in(x, pair.x), in(y, pair.y), out.span(), stream.get());
    expect_same(out.read(stream)[0], complex_dot(pair, false, {}), operation::dot, pair.x.label);
    sf::array_view const reals{x.data(), 2 * pair.x.n, sf::dtype::float32};
    sf::enqueue_reduce(products, reals, out.span(), stream.get());
    EXPECT_EQ(out.read(stream)[0],
              sf::reduce({}, {pair.x.bytes.data(), 2 * pair.x.n, sf::dtype::float32}, sf::product)[operation::product]);
}

} // namespace
