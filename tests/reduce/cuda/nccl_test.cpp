// Enqueued reductions over ranks that NCCL adds up, one GPU a rank, under mpirun. Skipped (77) where there are fewer
// GPUs than ranks. What the kernels do is looked at closer in ranks_test.cpp, on one GPU.
#include "reduce/cuda/graphs.hpp"
#include "reduce/cuda/held_stream.hpp"
#include "reduce/named_results.hpp"
#include "steadfold/error.hpp"
#include "steadfold/mpi.hpp"
#include "steadfold/nccl.hpp"
#include "steadfold/reduce.hpp"
#include "steadfold/workspace.hpp"
#include "support/check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <mpi.h>
#include <thread>

namespace {

using namespace oracle;
using namespace std::chrono_literals;

struct nccl_ranks : testing::Test {
    sf::communicator world = sf::mpi::duplicate(MPI_COMM_WORLD);
    int rank = world.rank(), size = world.size();
    sf::communicator gpus = sf::nccl::create(world, rank);
    sf::execution on_gpu{.kind = sf::processor_kind::cuda, .device = rank};

    void SetUp() override {
        require(cudaSetDevice(rank));
        gpus.set_deadline(60s); // a rank that failed must not cost the others the whole test's time
    }
    void TearDown() override { world.barrier(); }

    /// The first element of a rank's part of n. Later ranks have more; of few elements the first ones have none.
    [[nodiscard]] std::int64_t first_of(int r, std::int64_t n) const { return n * r * r / (size * size); }
    static sample one_two_three() { return sample_of(sf::dtype::float64, std::array{1.0, 2.0, 3.0}, "1 2 3"); }
    [[nodiscard]] sf::array_view part(sample const& s, device_bytes const& x) const {
        std::int64_t const first = first_of(rank, s.n);
        return {x.data() + static_cast<std::size_t>(first) * sf::size_bytes(s.type), first_of(rank + 1, s.n) - first,
                s.type};
    }
};

TEST_F(nccl_ranks, have_the_oracles_bits_for_every_type_and_class) {
    own_stream const stream;
    for (int t = 0; t < sf::dtype_count; ++t) {
        auto const type = static_cast<sf::dtype>(t);
        sf::operation_set const all = operations_of(type);
        sf::workspace work{type, all, {}, on_gpu, gpus}, sums{type, sf::sum, {}, on_gpu, gpus};
        device_results const out{number_of(all)}, sum{1};
        for (data_class const which : classes_of(type))
            for (std::int64_t const n : {0, 1, 3, 5000}) {
                sample const s = generate(which, type, n, 6);
                device_bytes const x{s.bytes};
                summary const expected = summarise(s.bytes.data(), n, type);
                sf::enqueue_reduce(gpus, work, part(s, x), out.span(), stream.get(), first_of(rank, n));
                sf::enqueue_reduce(gpus, sums, part(s, x), sum.span(), stream.get());
                gpus.synchronise(stream.get());
                expect_results(named(all, out.read(stream)), expected, {}, s.label);
                expect_same(sum.read(stream)[0], evaluate(expected, sf::operation::sum, {}), sf::operation::sum,
                            s.label);
            }
    }
}

TEST_F(nccl_ranks, have_the_oracles_bits_of_dot) {
    own_stream const stream;
    sf::workspace work{sf::dtype::float64, sf::operation::dot, {}, on_gpu, gpus};
    pinned<double> const out;
    for (int which = 0; which < pair_class_count; ++which) {
        auto const [x, y] = generate_pair(static_cast<pair_class>(which), sf::dtype::float64, 5000, 8);
        device_bytes const dx{x.bytes}, dy{y.bytes};
        sf::enqueue_dot(gpus, work, part(x, dx), part(y, dy), out.data(), stream.get());
        gpus.synchronise(stream.get());
        EXPECT_EQ(
            std::bit_cast<std::uint64_t>(out[0]),
            evaluate(summarise_pairs(x.bytes.data(), y.bytes.data(), x.n, x.type), sf::operation::dot, {}).bits[0])
            << x.label;
    }
}

// The first call of a new communicator is captured: whatever NCCL must set up for it has to be there.
TEST_F(nccl_ranks, in_a_graph_replayed_100_times_see_the_data_of_each_time) {
    own_stream const stream;
    sf::operation_set const set = sf::sum | sf::variance | sf::extrema | sf::l2;
    constexpr std::array classes = {data_class::gaussian, data_class::any_bits,   data_class::cancellation,
                                    data_class::specials, data_class::subnormals, data_class::negative_zeros};
    constexpr std::int64_t n = 3001;
    device_bytes const x{n * sizeof(double)};
    sample s = generate(classes[0], sf::dtype::float64, n, 0);
    sf::array_view const mine = part(s, x);
    sf::workspace work{s.type, set, {}, on_gpu, gpus}, sums{s.type, sf::sum, {}, on_gpu, gpus},
        dots{s.type, sf::operation::dot, {}, on_gpu, gpus};
    device_results const out{number_of(set)};
    pinned<double> const sum, square;
    captured_graph const graph{stream, [&] {
                                   sf::enqueue_reduce(gpus, work, mine, out.span(), stream.get(), first_of(rank, n));
                                   sf::enqueue_reduce(gpus, sums, mine, sum.data(), stream.get());
                                   sf::enqueue_dot(gpus, dots, mine, mine, square.data(), stream.get());
                               }};
    for (std::uint64_t i = 0; i < 100; ++i) {
        s = generate(classes[i % classes.size()], s.type, n, i);
        require(cudaMemcpyAsync(x.data(), s.bytes.data(), s.bytes.size(), cudaMemcpyHostToDevice, stream.get()));
        graph.launch(stream);
        gpus.synchronise(stream.get());
        summary const expected = summarise(s.bytes.data(), n, s.type);
        expect_results(named(set, out.read(stream)), expected, {}, s.label);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(sum[0]), evaluate(expected, sf::operation::sum, {}).bits[0]) << s.label;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(square[0]),
                  evaluate(summarise_pairs(s.bytes.data(), s.bytes.data(), n, s.type), sf::operation::dot, {}).bits[0])
            << s.label;
        // No early return: the other ranks count on every replay.
    }
}

TEST_F(nccl_ranks, back_to_back_keep_their_results_apart) {
    own_stream const stream;
    sample const s = generate(data_class::log_normal, sf::dtype::float32, 200'000, 1);
    device_bytes const x{s.bytes};
    sf::workspace work{s.type, sf::sum | sf::max, {}, on_gpu, gpus};
    constexpr std::int64_t calls = 500;
    device_results const out{2 * calls};
    for (std::int64_t i = 0; i < calls; ++i) // another part each time
        sf::enqueue_reduce(gpus, work, {x.data() + 4 * i, 1000 * (rank + 1), s.type},
                           out.span().subspan(static_cast<std::size_t>(2 * i), 2), stream.get());
    gpus.synchronise(stream.get());
    auto const got = out.read(stream);
    for (std::int64_t i = 0; i < calls; ++i) {
        sf::reduction parts{s.type, work.operations()};
        for (int r = 0; r < size; ++r) parts.add(s.part(i, 1000 * (r + 1)));
        EXPECT_EQ(named(work.operations(), std::span{got}.subspan(static_cast<std::size_t>(2 * i), 2)),
                  parts.finish({}))
            << i;
    }
}

TEST_F(nccl_ranks, that_disagree_all_get_nan_are_told_and_can_go_on) {
    if (size < 2) GTEST_SKIP() << "one rank agrees with itself";
    own_stream const stream;
    sample const x = one_two_three();
    device_bytes const memory{x.bytes};
    sf::array_view const v{memory.data(), 3, x.type};
    pinned<double> const out;
    for (auto const other : {sf::operation_set{sf::operation::max}, sf::operation_set{sf::operation::l1}}) {
        sf::workspace work{v.type, rank == size - 1 ? other : sf::operation_set{sf::sum}, {}, on_gpu, gpus};
        EXPECT_FALSE(work.ranks_disagreed());
        sf::enqueue_reduce(gpus, work, v, out.data(), stream.get());
        gpus.synchronise(stream.get());
        EXPECT_TRUE(work.ranks_disagreed());
        EXPECT_EQ(std::bit_cast<std::uint64_t>(out[0]), 0x7ff8000000000000u);
    }
    sf::workspace work{v.type, sf::sum, {}, on_gpu, gpus};
    sf::enqueue_reduce(gpus, work, v, out.data(), stream.get());
    gpus.synchronise(stream.get());
    EXPECT_EQ(out[0], 6.0 * size);
    EXPECT_FALSE(work.ranks_disagreed());
}

TEST_F(nccl_ranks, are_enqueued_without_waiting_for_device_or_ranks) {
    sample const s = generate(data_class::gaussian, sf::dtype::float64, 10000, 2);
    device_bytes const x{s.bytes};
    sf::workspace work{s.type, sf::sum, {}, on_gpu, gpus};
    pinned<double> const out;
    world.barrier();
    if (rank == 0) std::this_thread::sleep_for(300ms);
    held_stream held;
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) sf::enqueue_reduce(gpus, work, {x.data(), s.n, s.type}, out.data(), held.get());
    EXPECT_LT(std::chrono::steady_clock::now() - start, 250ms);
    EXPECT_TRUE(held.held());
    held.release();
    gpus.synchronise(held.get());
    EXPECT_EQ(std::bit_cast<std::uint64_t>(out[0]),
              evaluate(repeated(summarise(s.bytes.data(), s.n, s.type), size), sf::operation::sum, {}).bits[0]);
}

TEST_F(nccl_ranks, host_side_calls_may_follow_once_the_stream_is_done) {
    own_stream const stream;
    sample const x = one_two_three();
    device_bytes const memory{x.bytes};
    sf::workspace work{x.type, sf::sum, {}, on_gpu, gpus};
    pinned<double> const out;
    for (int i = 0; i < 10; ++i) {
        sf::enqueue_reduce(gpus, work, {memory.data(), 3, x.type}, out.data(), stream.get());
        gpus.synchronise(stream.get());
        EXPECT_EQ(out[0], 6.0 * size);
        EXPECT_EQ(sf::reduce(gpus, x.view(), sf::sum)[sf::operation::sum].as_double(), 6.0 * size);
    }
}

TEST_F(nccl_ranks, bad_arguments_are_found_before_anything_is_enqueued) {
    if (size < 2) GTEST_SKIP() << "one rank needs no messages";
    own_stream const stream;
    device_bytes const memory{24};
    sf::array_view const v{memory.data(), 3, sf::dtype::float64};
    pinned<double> const out;
    sf::workspace alone{v.type, sf::sum, {}, on_gpu}, work{v.type, sf::sum, {}, on_gpu, gpus};
    EXPECT_THROW(sf::enqueue_reduce(gpus, alone, v, out.data(), stream.get()), sf::argument_error);
    EXPECT_THROW(sf::enqueue_reduce(world, work, v, out.data(), stream.get()), sf::argument_error); // of MPI
    EXPECT_THROW((sf::workspace{v.type, sf::sum, {}, on_gpu, world}), sf::argument_error);
    EXPECT_THROW((sf::workspace{v.type, sf::sum, {}, {}, gpus}), sf::argument_error); // on the host
    sf::execution const elsewhere{.kind = sf::processor_kind::cuda, .device = (rank + 1) % size};
    EXPECT_THROW((sf::workspace{v.type, sf::sum, {}, elsewhere, gpus}), sf::argument_error);
    EXPECT_FALSE(gpus.poisoned());
}

TEST_F(nccl_ranks, take_less_than_a_millisecond_in_a_graph) {
    own_stream const stream;
    sample const s = generate(data_class::gaussian, sf::dtype::float64, 1 << 16, 2);
    device_bytes const x{s.bytes};
    sf::workspace work{s.type, sf::sum, {}, on_gpu, gpus};
    pinned<double> const out;
    captured_graph const graph{stream, [&] {
                                   sf::enqueue_reduce(gpus, work, {x.data(), s.n, s.type}, out.data(), stream.get());
                               }};
    std::vector<double> microseconds;
    for (int i = 0; i < 300; ++i) {
        auto const start = std::chrono::steady_clock::now();
        graph.launch(stream);
        gpus.synchronise(stream.get());
        microseconds.push_back(
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(microseconds.begin(), microseconds.begin() + 150, microseconds.end());
    if (rank == 0)
        std::printf("sum of 2^16 doubles a rank, %d ranks, one graph: median %.1f us\n", size, microseconds[150]);
    EXPECT_LT(microseconds[150], 1000.0);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(out[0]),
              evaluate(repeated(summarise(s.bytes.data(), s.n, s.type), size), sf::operation::sum, {}).bits[0]);
}

// Last: it leaves NCCL aborted.
TEST_F(nccl_ranks, a_rank_that_does_not_come_costs_the_others_their_deadline) {
    if (size < 2) GTEST_SKIP() << "one rank cannot be late";
    own_stream const stream;
    sample const x = one_two_three();
    device_bytes const memory{x.bytes};
    sf::array_view const v{memory.data(), 3, x.type};
    pinned<double> const out;
    sf::workspace work{v.type, sf::sum, {}, on_gpu, gpus};
    if (rank == size - 1) {
        std::this_thread::sleep_for(3s);
    } else {
        gpus.set_deadline(500ms);
        sf::enqueue_reduce(gpus, work, v, out.data(), stream.get());
        auto const start = std::chrono::steady_clock::now();
        EXPECT_THROW(gpus.synchronise(stream.get()), sf::timeout_error);
        EXPECT_GE(std::chrono::steady_clock::now() - start, 500ms);
        EXPECT_TRUE(gpus.poisoned());
        EXPECT_THROW(sf::enqueue_reduce(gpus, work, v, out.data(), stream.get()), sf::timeout_error);
        stream.wait(); // NCCL's kernel was ended
    }
}

} // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    testing::InitGoogleTest(&argc, argv);
    int failed = 77;
    {
        sf::communicator const world = sf::mpi::duplicate(MPI_COMM_WORLD);
        if (sf::nccl::available(world, world.rank())) {
            failed = RUN_ALL_TESTS();
            MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        } else if (world.rank() == 0) {
            std::printf("skipped: fewer GPUs than ranks (%d)\n", world.size());
        }
    }
    MPI_Finalize();
    return failed;
}
