// Enqueued reductions over several ranks, played on one GPU: kernels, messages and results, without NCCL.
#include "reduce/cuda/graphs.hpp"
#include "reduce/cuda/held_stream.hpp"
#include "reduce/cuda/played_ranks.hpp"
#include "reduce/named_results.hpp"
#include "steadfold/error.hpp"
#include "steadfold/future.hpp"
#include "steadfold/reduce.hpp"
#include "steadfold/workspace.hpp"
#include "support/check.hpp"

#include <array>
#include <bit>
#include <functional>

namespace {

using namespace oracle;

constexpr sf::execution on_gpu{.kind = sf::processor_kind::cuda};
constexpr sf::operation_set dot{sf::operation::dot};

/// What rank r asks for.
struct request {
    sf::dtype type = sf::dtype::float64;
    sf::operation_set operations;
    sf::reduce_options options;
};

using parts = std::vector<std::int64_t>; // elements of each rank

/// Every rank's results of its part of x (and y), the parts following each other.
class ranks_at_work {
  public:
    ranks_at_work(std::vector<request> requests, parts lengths, device_bytes const& x, device_bytes const* y = nullptr)
        : requests_{std::move(requests)}, lengths_{std::move(lengths)}, x_{x}, y_{y}, ranks_{static_cast<int>(
                                                                                          lengths_.size())} {
        for (int r = 0; r < size(); ++r) {
            sf::communicator const recording = ranks_.record(r);
            sf::workspace work = workspace_of(r, recording);
            device_results const out{number_of(work.operations())};
            enqueue(recording, work, r, out.span());
            stream_.wait();
        }
    }

    [[nodiscard]] int size() const { return static_cast<int>(lengths_.size()); }
    [[nodiscard]] own_stream const& stream() const { return stream_; }
    [[nodiscard]] sf::communicator play(int rank) const { return ranks_.play(rank); }

    [[nodiscard]] sf::workspace workspace_of(int rank, sf::communicator const& ranks) const {
        request const& r = of(rank);
        return {r.type, r.operations, r.options, on_gpu, ranks};
    }

    void enqueue(sf::communicator const& ranks, sf::workspace& work, int rank, std::span<sf::result_value> out) const {
        std::int64_t first = 0;
        for (int r = 0; r < rank; ++r) first += lengths_[static_cast<std::size_t>(r)];
        std::int64_t const n = lengths_[static_cast<std::size_t>(rank)];
        auto const offset = static_cast<std::size_t>(first) * sf::size_bytes(of(rank).type);
        sf::array_view const part{x_.data() + offset, n, work.type()};
        if (y_ != nullptr)
            sf::enqueue_dot(ranks, work, part, {y_->data() + offset, n, work.type()}, out, stream_.get());
        else
            sf::enqueue_reduce(ranks, work, part, out, stream_.get(), first);
    }

    /// Calls f(rank, results, workspace) for every rank.
    void each(std::function<void(int, sf::reduction_results const&, sf::workspace const&)> const& f) const {
        for (int r = 0; r < size(); ++r) {
            sf::communicator const all = ranks_.play(r);
            sf::workspace work = workspace_of(r, all);
            device_results const out{number_of(work.operations())};
            for (int again = 0; again < 2; ++again) { // the first call must leave nothing behind
                enqueue(all, work, r, out.span());
                f(r, named(work.operations(), out.read(stream_)), work);
            }
        }
    }

  private:
    [[nodiscard]] request const& of(int rank) const {
        return requests_[static_cast<std::size_t>(rank) % requests_.size()];
    }

    std::vector<request> requests_;
    parts lengths_;
    device_bytes const& x_;
    device_bytes const* y_;
    ranks_on_one_gpu ranks_;
    own_stream stream_;
};

struct cuda_ranks : cuda_test {};

struct cuda_ranks_of : cuda_test, testing::WithParamInterface<sf::dtype> {};

std::vector<parts> cuts(std::int64_t n) {
    return {{n / 2, n - n / 2}, {0, n}, {n, 0, 0}, {1, 0, n - 3, 2}, {7, n - 7}};
}

TEST_P(cuda_ranks_of, have_the_oracles_bits_however_the_elements_are_shared_out) {
    sf::operation_set const all = operations_of(GetParam());
    for (sf::operation_set const set : {all, all.intersection(sf::sum | sf::mean), all.intersection(sf::variance),
                                        all.intersection(sf::extrema | sf::linf), all.intersection(sf::l1)}) {
        if (set.empty()) continue; // complex numbers have no extrema
        std::size_t which = 0;
        for (data_class const data : classes_of(GetParam())) {
            sample const s = generate(data, GetParam(), 3000, which + 1);
            device_bytes const x{s.bytes};
            parts const lengths = cuts(s.n)[which++ % cuts(s.n).size()];
            summary const expected = summarise(s.bytes.data(), s.n, s.type);
            ranks_at_work{{{s.type, set, {}}}, lengths, x}.each(
                [&](int rank, sf::reduction_results const& got, sf::workspace const& work) {
                    expect_results(got, expected, {}, s.label + " on rank " + std::to_string(rank));
                    EXPECT_FALSE(work.ranks_disagreed());
                });
        }
    }
}

TEST_P(cuda_ranks_of, obey_options_and_add_up_nothing_to_nothing) {
    sf::operation_set const all = operations_of(GetParam());
    sf::reduce_options options{.nans = sf::nan_policy::ignore, .ddof = 1, .result = sf::dtype::float32};
    if (sf::is_integer(GetParam())) options.missing = 1;
    sample const s = generate(classes_of(GetParam()).front(), GetParam(), 500, 5);
    device_bytes const x{s.bytes};
    summary const expected = summarise(s.bytes.data(), s.n, s.type, options.missing);
    ranks_at_work{{{s.type, all, options}}, {100, 400}, x}.each(
        [&](int, sf::reduction_results const& got, sf::workspace const&) {
            expect_results(got, expected, options, s.label);
        });
    summary const nothing = summarise(s.bytes.data(), 0, s.type);
    ranks_at_work{{{s.type, all, {}}}, {0, 0, 0}, x}.each(
        [&](int, sf::reduction_results const& got, sf::workspace const&) {
            expect_results(got, nothing, {}, "nothing");
        });
}

INSTANTIATE_TEST_SUITE_P(types, cuda_ranks_of,
                         testing::Values(sf::dtype::float64, sf::dtype::float32, sf::dtype::float16,
                                         sf::dtype::bfloat16, sf::dtype::int8, sf::dtype::int32, sf::dtype::int64,
                                         sf::dtype::uint16, sf::dtype::uint64, sf::dtype::complex64,
                                         sf::dtype::complex128),
                         [](auto const& info) { return std::string(sf::name(info.param)); });

TEST_F(cuda_ranks, have_the_oracles_bits_of_dot) {
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::float16, sf::dtype::int32})
        for (int which = 0; which < (sf::is_integer(type) ? 1 : pair_class_count); ++which) {
            auto const [x, y] = generate_pair(static_cast<pair_class>(which), type, 2500, 8);
            device_bytes const dx{x.bytes}, dy{y.bytes};
            auto const expected =
                evaluate(summarise_pairs(x.bytes.data(), y.bytes.data(), x.n, type), sf::operation::dot, {});
            ranks_at_work{{{type, dot, {}}}, cuts(x.n)[static_cast<std::size_t>(which) % cuts(x.n).size()], dx, &dy}
                .each([&](int, sf::reduction_results const& got, sf::workspace const&) {
                    expect_same(got[sf::operation::dot], expected, sf::operation::dot, x.label);
                });
        }
}

TEST_F(cuda_ranks, as_many_as_a_warp_has_no_lanes_for_are_all_heard) {
    sample const s = generate(data_class::specials, sf::dtype::float64, 4000, 3);
    device_bytes const x{s.bytes};
    parts lengths(40, 100);
    sf::operation_set const all = operations_of(s.type);
    summary const expected = summarise(s.bytes.data(), s.n, s.type);
    ranks_at_work const ranks{{{s.type, all, {.nans = sf::nan_policy::ignore}}}, lengths, x};
    for (int const r : {0, 31, 39}) {
        sf::communicator const here = ranks.play(r);
        sf::workspace work = ranks.workspace_of(r, here);
        device_results const out{number_of(all)};
        ranks.enqueue(here, work, r, out.span());
        expect_results(named(all, out.read(ranks.stream())), expected, {.nans = sf::nan_policy::ignore}, s.label);
    }
}

TEST_F(cuda_ranks, add_fast_sums_in_their_order) {
    sample const s = generate(data_class::gaussian, sf::dtype::float64, 3000, 4);
    device_bytes const x{s.bytes};
    sf::reduce_options const fast{.mode = sf::reduction_mode::fast};
    double expected = 0;
    own_stream const stream;
    parts const lengths = {1000, 1500, 500};
    std::int64_t first = 0;
    for (std::int64_t const n : lengths) {
        sf::workspace alone{s.type, sf::sum, fast, on_gpu};
        pinned<double> const sum;
        sf::enqueue_reduce(alone, {x.data() + 8 * first, n, s.type}, sum.data(), stream.get());
        stream.wait();
        expected += sum[0];
        first += n;
    }
    ranks_at_work{{{s.type, sf::sum, fast}}, lengths, x}.each(
        [&](int, sf::reduction_results const& got, sf::workspace const&) {
            EXPECT_EQ(got[sf::operation::sum].as_double(), expected);
        });
}

/// A second rank, which says the same whatever the first one has.
struct twin {
    ranks_on_one_gpu ranks{2};
    void records(sf::workspace& work, sf::array_view x, own_stream const& stream) const {
        device_results const out{number_of(work.operations())};
        sf::enqueue_reduce(ranks.record(1), work, x, out.span(), stream.get(), x.count); // after the first one's
        stream.wait();
    }
};

TEST_F(cuda_ranks, in_a_graph_that_is_replayed_see_the_data_of_each_time) {
    own_stream const stream;
    sf::operation_set const set = sf::sum | sf::variance | sf::extrema | sf::l2;
    constexpr std::array classes = {data_class::gaussian, data_class::any_bits,   data_class::cancellation,
                                    data_class::specials, data_class::subnormals, data_class::negative_zeros};
    constexpr std::int64_t n = 777;
    sample const other = generate(data_class::gaussian, sf::dtype::float64, n, 99);
    device_bytes const x{n * sizeof(double)}, of_other{other.bytes};
    sf::array_view const view{x.data(), n, sf::dtype::float64};
    twin const statistics, sums;
    {
        sf::workspace work{view.type, set, {}, on_gpu, statistics.ranks.record(1)},
            sum{view.type, sf::sum, {}, on_gpu, sums.ranks.record(1)};
        statistics.records(work, {of_other.data(), n, view.type}, stream);
        sums.records(sum, {of_other.data(), n, view.type}, stream);
    }
    sf::communicator const with_statistics = statistics.ranks.play(0), with_sums = sums.ranks.play(0);
    sf::workspace work{view.type, set, {}, on_gpu, with_statistics}, sum{view.type, sf::sum, {}, on_gpu, with_sums};
    device_results const out{number_of(set)};
    pinned<double> const value;
    captured_graph const graph{stream, [&] {
                                   sf::enqueue_reduce(with_statistics, work, view, out.span(), stream.get());
                                   sf::enqueue_reduce(with_sums, sum, view, value.data(), stream.get());
                               }};
    EXPECT_EQ(graph.nodes(), 8U); // twice: reduce, encode, the other's message, round
    for (std::uint64_t i = 0; i < 100; ++i) {
        sample const s = generate(classes[i % classes.size()], view.type, n, i);
        require(cudaMemcpyAsync(x.data(), s.bytes.data(), s.bytes.size(), cudaMemcpyHostToDevice, stream.get()));
        graph.launch(stream);
        sf::reduction_results const got = named(set, out.read(stream));
        summary const both =
            joined(summarise(s.bytes.data(), n, s.type), summarise(other.bytes.data(), n, s.type, {}, n));
        expect_results(got, both, {}, s.label);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(value[0]), evaluate(both, sf::operation::sum, {}).bits[0]) << s.label;
        if (HasFailure()) return;
    }
}

TEST_F(cuda_ranks, that_disagree_all_get_nan_and_are_told) {
    sample const s = generate(data_class::gaussian, sf::dtype::float64, 100, 4);
    device_bytes const x{s.bytes};
    sf::operation_set const set = sf::sum | sf::max | sf::argmin | sf::count;
    std::vector<request> const others = {{s.type, set | sf::mean, {}},
                                         {sf::dtype::int64, set, {}},
                                         {s.type, set, {.nans = sf::nan_policy::ignore}},
                                         {s.type, set, {.result = sf::dtype::float32}}};
    for (request const& other : others)
        ranks_at_work{{{s.type, set, {}}, other}, {50, 50}, x}.each(
            [&](int rank, sf::reduction_results const& got, sf::workspace const& work) {
                EXPECT_TRUE(work.ranks_disagreed()) << rank;
                sf::dtype const type = got[sf::operation::sum].type;
                for (sf::operation const op : {sf::operation::sum, sf::operation::max, sf::operation::argmin}) {
                    EXPECT_EQ(got[op].status, sf::status_flags::invalid) << to_string(op);
                    EXPECT_EQ(got[op].bits[0], sf::is_integer(got[op].type) ? 0
                                               : type == sf::dtype::float64 ? 0x7ff8000000000000u
                                                                            : 0x7fc00000u)
                        << to_string(op);
                }
                if (rank == 0) {
                    EXPECT_EQ(got[sf::operation::count].type, sf::dtype::int64);
                }
            });
}

TEST_F(cuda_ranks, leave_a_workspace_that_serves_one_rank_and_futures_as_before) {
    sample const s = generate(data_class::log_normal, sf::dtype::float64, 1234, 4);
    device_bytes const x{s.bytes};
    sf::operation_set const all = operations_of(s.type);
    own_stream const stream;
    ranks_at_work const ranks{{{s.type, all, {}}}, {1000, 234}, x};
    sf::communicator const here = ranks.play(0);
    sf::workspace work = ranks.workspace_of(0, here);
    device_results const out{number_of(all)};
    sf::reduction_results const expected = sf::reduce({}, s.view(), all);
    for (int i = 0; i < 3; ++i) {
        ranks.enqueue(here, work, 0, out.span());
        EXPECT_EQ(named(all, out.read(ranks.stream())), expected);
        sf::enqueue_reduce({}, work, {x.data(), s.n, s.type}, out.span(), stream.get());
        EXPECT_EQ(named(all, out.read(stream)), expected);
        EXPECT_EQ(sf::reduce_async({}, {x.data(), s.n, s.type}, work, stream.get()).get(), expected);
    }
}

TEST_F(cuda_ranks, are_enqueued_without_waiting_or_taking_memory) {
    sample const s = generate(data_class::gaussian, sf::dtype::float64, 100000, 2);
    device_bytes const x{s.bytes};
    twin const both;
    sf::communicator const here = both.ranks.play(0);
    sf::workspace work{s.type, operations_of(s.type), {}, on_gpu, here};
    device_results const out{number_of(work.operations())};
    auto const enqueue = [&](cudaStream_t stream) {
        sf::enqueue_reduce(here, work, {x.data(), s.n, s.type}, out.span(), stream);
    };
    own_stream const stream;
    enqueue(stream.get());
    stream.wait();
    std::size_t free_before = 0, free_after = 0, total = 0;
    require(cudaMemGetInfo(&free_before, &total));
    for (int i = 0; i < 300; ++i) enqueue(stream.get());
    stream.wait();
    require(cudaMemGetInfo(&free_after, &total));
    EXPECT_EQ(free_before, free_after);
    held_stream held;
    for (int i = 0; i < 50; ++i) enqueue(held.get());
    EXPECT_TRUE(held.held()) << "a call waited until the kernel before it gave up";
}

TEST_F(cuda_ranks, bad_arguments_are_found_before_anything_is_enqueued) {
    std::array<double, 4> const four = {1, 2, 3, 4};
    device_bytes const x{sample_of(sf::dtype::float64, four, "four").bytes};
    sf::array_view const v{x.data(), 4, sf::dtype::float64};
    sf::communicator const two = ranks_on_one_gpu{2}.play(0), three = ranks_on_one_gpu{3}.play(0);
    sf::workspace none{v.type, sf::sum, {}, on_gpu}, room{v.type, sf::sum, {}, on_gpu, two},
        dots{v.type, dot, {}, on_gpu, two}, host{v.type, sf::sum};
    pinned<double> const out;
    pinned<float> const narrow;
    own_stream const stream;
    std::size_t const nodes = captured_graph{
        stream, [&] {
            cudaStream_t const s = stream.get();
            EXPECT_THROW(sf::enqueue_reduce(two, none, v, out.data(), s), sf::argument_error);
            EXPECT_THROW(sf::enqueue_reduce(three, room, v, out.data(), s), sf::argument_error);
            EXPECT_THROW(sf::enqueue_reduce(two, host, v, out.data(), s), sf::argument_error);
            EXPECT_THROW(sf::enqueue_reduce(two, dots, v, out.data(), s), sf::argument_error);
            EXPECT_THROW(sf::enqueue_dot(two, room, v, v, out.data(), s), sf::argument_error);
            EXPECT_THROW(sf::enqueue_reduce(two, room, v, narrow.data(), s), sf::argument_error);
            EXPECT_THROW(sf::enqueue_reduce(two, room, {four.data(), 4, v.type}, out.data(), s), sf::argument_error);
            EXPECT_THROW(sf::enqueue_reduce(two, room, v, reinterpret_cast<double*>(x.data()), s), sf::argument_error);
        }}.nodes();
    EXPECT_EQ(nodes, 0U);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

} // namespace
