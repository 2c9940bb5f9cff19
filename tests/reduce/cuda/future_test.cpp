// Futures of work on a GPU: bits, deadlines, and what happens to futures that nobody takes.
#include "reduce/cuda/graphs.hpp"
#include "reduce/cuda/held_stream.hpp"
#include "reduce/twin_ranks.hpp"
#include "steadfold/error.hpp"
#include "steadfold/future.hpp"
#include "steadfold/reduce.hpp"
#include "support/check.hpp"

#include <thread>

namespace {

using namespace oracle;
using namespace std::chrono_literals;

constexpr sf::execution on_gpu{.kind = sf::processor_kind::cuda};

struct cuda_future : cuda_test {};

/// All operations of one array of each type, under `ranks` of which each has the same data.
void check_every_type(sf::communicator const& ranks) {
    own_stream const stream;
    for (int t = 0; t < sf::dtype_count; ++t) {
        auto const type = static_cast<sf::dtype>(t);
        sf::workspace work{type, operations_of(type), {}, on_gpu};
        for (data_class const which : classes_of(type))
            for (std::int64_t const n : {0, 1, 2000}) {
                sample const s = generate(which, type, n, 6);
                device_bytes const x{s.bytes};
                auto later = sf::reduce_async(ranks, {x.data(), n, type}, work, stream.get(), 5);
                expect_results(later.get(10s), repeated(summarise(s.bytes.data(), n, type, {}, 5), ranks.size()), {},
                               s.label);
            }
    }
}

TEST_F(cuda_future, of_one_rank_has_the_oracles_bits_for_every_type) {
    check_every_type({});
}

TEST_F(cuda_future, of_two_ranks_has_the_oracles_bits_for_every_type) {
    check_every_type(sf::communicator{std::make_shared<twin_ranks>()});
}

TEST_F(cuda_future, of_dot_has_the_oracles_bits) {
    own_stream const stream;
    sf::communicator const twins{std::make_shared<twin_ranks>()};
    sf::workspace work{sf::dtype::float64, sf::operation::dot, {}, on_gpu};
    for (int which = 0; which < pair_class_count; ++which) {
        auto const [x, y] = generate_pair(static_cast<pair_class>(which), sf::dtype::float64, 3000, 8);
        device_bytes const dx{x.bytes}, dy{y.bytes};
        sf::array_view const vx{dx.data(), x.n, x.type}, vy{dy.data(), y.n, y.type};
        summary const once = summarise_pairs(x.bytes.data(), y.bytes.data(), x.n, x.type);
        expect_same(sf::dot_async({}, vx, vy, work, stream.get()).get(10s), evaluate(once, sf::operation::dot, {}),
                    sf::operation::dot, x.label);
        expect_same(sf::dot_async(twins, vx, vy, work, stream.get()).get(10s),
                    evaluate(repeated(once, 2), sf::operation::dot, {}), sf::operation::dot, x.label + " twice");
    }
}

TEST_F(cuda_future, is_ready_when_the_device_is_done_and_not_before) {
    std::vector<double> const x = {1, 2, 3};
    device_bytes const memory{24};
    require(cudaMemcpy(memory.data(), x.data(), 24, cudaMemcpyHostToDevice));
    require(cudaDeviceSynchronize());
    sf::view const v{reinterpret_cast<double const*>(memory.data()), 3};
    sf::workspace work{sf::dtype::float64, sf::operation::dot, {}, on_gpu};
    held_stream held;
    sf::future<double> rho = sf::dot_async({}, v, v, work, held.get());
    EXPECT_FALSE(rho.ready());
    EXPECT_TRUE(work.busy());
    auto const start = std::chrono::steady_clock::now();
    EXPECT_THROW((void)rho.get(30ms), sf::timeout_error);
    EXPECT_GE(std::chrono::steady_clock::now() - start, 30ms);
    EXPECT_TRUE(held.held());
    EXPECT_TRUE(rho.valid()); // nothing is lost
    EXPECT_THROW((void)rho.get(0s), sf::timeout_error);
    EXPECT_THROW((void)sf::dot_async({}, v, v, work, held.get()), sf::argument_error);
    held.release();
    EXPECT_EQ(rho.get(10s), 14.0);
    EXPECT_FALSE(work.busy());
    EXPECT_EQ(sf::dot_async({}, v, v, work, held.get()).get(10s), 14.0);
}

TEST_F(cuda_future, of_two_ranks_waits_for_its_own_device_first_and_can_be_asked_again) {
    std::vector<double> const x = {1, 2, 3};
    device_bytes const memory{24};
    require(cudaMemcpy(memory.data(), x.data(), 24, cudaMemcpyHostToDevice));
    require(cudaDeviceSynchronize());
    sf::view const v{reinterpret_cast<double const*>(memory.data()), 3};
    auto const backend = std::make_shared<twin_ranks>();
    sf::communicator const twins{backend};
    sf::workspace slow{sf::dtype::float64, sf::sum, {}, on_gpu},
        quick{sf::dtype::float64, sf::sum | sf::max, {}, on_gpu};
    held_stream held;
    own_stream const stream;
    auto first = sf::reduce_async(twins, v, slow, held.get());
    auto second = sf::reduce_async(twins, v, quick, stream.get());
    EXPECT_THROW((void)second.get(30ms), sf::timeout_error); // its turn is after the first one's
    EXPECT_TRUE(backend->first_words.empty());
    EXPECT_FALSE(twins.poisoned());
    held.release();
    EXPECT_EQ(second.get(10s).sum, 12.0);
    EXPECT_EQ(backend->first_words.size(), 2U);
    EXPECT_EQ(first.get(0s).sum, 12.0); // came with the second
}

TEST_F(cuda_future, of_two_ranks_is_brought_on_by_progress_which_never_waits_for_the_device) {
    std::vector<double> const x = {1, 2, 3};
    device_bytes const memory{24};
    require(cudaMemcpy(memory.data(), x.data(), 24, cudaMemcpyHostToDevice));
    require(cudaDeviceSynchronize());
    sf::view const v{reinterpret_cast<double const*>(memory.data()), 3};
    auto const backend = std::make_shared<twin_ranks>();
    sf::communicator const twins{backend};
    sf::workspace slow{sf::dtype::float64, sf::sum, {}, on_gpu},
        quick{sf::dtype::float64, sf::sum | sf::max, {}, on_gpu};
    held_stream held;
    own_stream const stream;
    auto first = sf::reduce_async(twins, v, slow, held.get());
    auto second = sf::reduce_async(twins, v, quick, stream.get());
    require(cudaStreamSynchronize(stream.get()));
    EXPECT_FALSE(sf::progress(twins));
    EXPECT_TRUE(held.held());
    EXPECT_TRUE(backend->first_words.empty()); // the second one is done, but its turn is after the first one's
    held.release();
    auto const start = std::chrono::steady_clock::now();
    bool done = false;
    while (!done && std::chrono::steady_clock::now() - start < 10s) done = sf::progress(twins);
    ASSERT_TRUE(done);
    EXPECT_EQ(backend->first_words.size(), 2U);
    EXPECT_EQ(second.get(0s).sum, 12.0);
    EXPECT_EQ(first.get(0s).sum, 12.0);
}

TEST_F(cuda_future, dropped_ones_do_not_disturb_the_next_on_another_stream) {
    sample const s = generate(data_class::gaussian, sf::dtype::float64, 50000, 1),
                 t = generate(data_class::blocks, sf::dtype::float64, 50000, 2);
    device_bytes const x{s.bytes}, y{t.bytes};
    sf::operation_set const all = operations_of(s.type);
    sf::workspace work{s.type, all, {}, on_gpu};
    own_stream const stream;
    held_stream held;
    { auto const dropped = sf::reduce_async({}, {x.data(), s.n, s.type}, work, held.get()); }
    EXPECT_FALSE(work.busy());
    auto next = sf::reduce_async({}, {y.data(), t.n, t.type}, work, stream.get());
    std::this_thread::sleep_for(5ms);
    EXPECT_FALSE(next.ready()); // it waits for the memory that the dropped one still uses
    held.release();
    EXPECT_EQ(next.get(10s), sf::reduce({}, t.view(), all));
}

TEST_F(cuda_future, may_outlive_its_workspace) {
    std::vector<double> const x = {1, 2, 3};
    device_bytes const memory{24};
    require(cudaMemcpy(memory.data(), x.data(), 24, cudaMemcpyHostToDevice));
    require(cudaDeviceSynchronize());
    sf::view const v{reinterpret_cast<double const*>(memory.data()), 3};
    held_stream held;
    sf::future<sf::statistics<double>> later;
    {
        sf::workspace work{sf::dtype::float64, sf::sum, {}, on_gpu};
        later = sf::reduce_async({}, v, work, held.get());
    }
    held.release();
    EXPECT_EQ(later.get(10s).sum, 6.0);
}

TEST_F(cuda_future, cannot_be_captured_but_can_be_asked_during_a_capture) {
    std::vector<double> const x = {1, 2, 3};
    device_bytes const memory{24};
    require(cudaMemcpy(memory.data(), x.data(), 24, cudaMemcpyHostToDevice));
    require(cudaDeviceSynchronize());
    sf::view const v{reinterpret_cast<double const*>(memory.data()), 3};
    own_stream const stream, captured;
    sf::workspace work{sf::dtype::float64, sf::operation::dot, {}, on_gpu}, other{work.type(), sf::sum, {}, on_gpu};
    sf::future<double> rho = sf::dot_async({}, v, v, work, stream.get());
    pinned<double> const out;
    captured_graph const graph{captured, [&] {
                                   EXPECT_THROW((void)sf::reduce_async({}, v, other, captured.get()),
                                                sf::argument_error);
                                   sf::enqueue_reduce(other, v, out.data(), captured.get());
                                   EXPECT_EQ(rho.get(10s), 14.0);
                               }};
    EXPECT_EQ(graph.nodes(), 1U);
    graph.launch(captured);
    captured.wait();
    EXPECT_EQ(out[0], 6.0);
}

} // namespace
