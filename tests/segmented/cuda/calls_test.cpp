// Streams, graphs, memory of every kind, repeated use, and what is refused on the GPU.
#include "segmented/cuda/device_outputs.hpp"
#include "steadfold/error.hpp"
#include "support/spread.hpp"

#include <functional>

namespace {

using namespace oracle;

struct stream_owner {
    stream_owner() { require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
    ~stream_owner() { cudaStreamDestroy(stream); }
    stream_owner(stream_owner const&) = delete;
    stream_owner& operator=(stream_owner const&) = delete;
    cudaStream_t stream = nullptr;
};

struct segmented_calls : cuda_test {
    random_source random{77};

    sample gaussian(std::int64_t n) { return generate(data_class::gaussian, sf::dtype::float64, n, random.bits()); }

    static void expect_refused(std::function<void()> const& call, std::vector<std::string> const& words) {
        try {
            call();
            ADD_FAILURE() << "not refused; expected a message with " << words.front();
        } catch (sf::argument_error const& e) {
            for (std::string const& word : words)
                EXPECT_NE(std::string(e.what()).find(word), std::string::npos)
                    << "no \"" << word << "\" in: " << e.what();
        }
    }
};

TEST_F(segmented_calls, host_offsets_and_host_results_are_brought_along) {
    sample const data = gaussian(5000);
    auto const offsets = random_offsets(data.n, random, [&] { return random.below(200); });
    device_bytes const x{data.bytes};
    outputs out{std::ssize(offsets) - 1, sf::dtype::float64};
    sf::segmented_reduce({x.data(), data.n, data.type}, offsets, sf::operation::sum, out.view());
    out.expect(data.type, sf::operation::sum, {}, segments_of(data, offsets), data.label);
    outputs rows{50, sf::dtype::float64};
    std::vector<std::int64_t> const extents{50, 100};
    sf::axis_reduce({x.data(), data.n, data.type}, extents, 1, sf::operation::l2, rows.view());
    rows.expect(data.type, sf::operation::l2, {}, segments_of(data, equal_offsets(50, 100)), data.label);
}

TEST_F(segmented_calls, a_captured_call_is_replayed_with_changing_data) {
    std::int64_t const n = 40000;
    sample first = gaussian(n);
    std::vector<std::int64_t> const offsets{0, 3, 200, 200, 30000, n}; // tiny, empty and shared ones
    device_bytes const x{first.bytes}, starts{bytes_of(offsets)};
    sf::segmented_reduction sums{first.type, sf::operation::sum, {}, on_gpu};
    sums.reserve(n, 5);
    device_outputs out{5, sf::dtype::float64};
    stream_owner const owner;
    sf::view<std::int64_t const> const device_offsets{reinterpret_cast<std::int64_t const*>(starts.data()),
                                                      offsets.size()};
    require(cudaStreamBeginCapture(owner.stream, cudaStreamCaptureModeGlobal));
    sums.segments({x.data(), n, first.type}, device_offsets, out.view(), owner.stream);
    cudaGraph_t graph = nullptr;
    require(cudaStreamEndCapture(owner.stream, &graph));
    cudaGraphExec_t runnable = nullptr;
    require(cudaGraphInstantiate(&runnable, graph, 0));
    for (int replay = 0; replay < 1000; ++replay) {
        bool const look = replay % 250 == 0;
        if (look) {
            first = gaussian(n);
            require(cudaMemcpy(x.data(), first.bytes.data(), first.bytes.size(), cudaMemcpyHostToDevice));
        }
        require(cudaGraphLaunch(runnable, owner.stream));
        if (!look) continue;
        require(cudaStreamSynchronize(owner.stream));
        out.fetched().expect(first.type, sf::operation::sum, {}, segments_of(first, offsets), first.label);
    }
    require(cudaStreamSynchronize(owner.stream));
    cudaGraphExecDestroy(runnable);
    cudaGraphDestroy(graph);
}

TEST_F(segmented_calls, strided_and_contiguous_ones_share_what_was_reserved) {
    std::int64_t const n = 40000;
    sample const data = gaussian(n);
    spread_sample const apart = spread(data, 3, 5);
    std::vector<std::int64_t> const offsets{0, 3, 200, 200, 30000, n};
    device_bytes const x{data.bytes}, y{apart.memory}, starts{bytes_of(offsets)};
    sf::segmented_reduction sums{data.type, sf::operation::sum, {}, on_gpu};
    sums.reserve(n, 5);
    device_outputs of_x{5, sf::dtype::float64}, of_y{5, sf::dtype::float64};
    stream_owner const owner;
    sf::view<std::int64_t const> const device_offsets{reinterpret_cast<std::int64_t const*>(starts.data()),
                                                      offsets.size()};
    require(cudaStreamBeginCapture(owner.stream, cudaStreamCaptureModeGlobal));
    sums.segments({x.data(), n, data.type}, device_offsets, of_x.view(), owner.stream);
    sums.segments(apart.at(y.data()), device_offsets, of_y.view(), owner.stream);
    cudaGraph_t graph = nullptr;
    require(cudaStreamEndCapture(owner.stream, &graph));
    cudaGraphExec_t runnable = nullptr;
    require(cudaGraphInstantiate(&runnable, graph, 0));
    for (int replay = 0; replay < 3; ++replay) require(cudaGraphLaunch(runnable, owner.stream));
    require(cudaStreamSynchronize(owner.stream));
    cudaGraphExecDestroy(runnable);
    cudaGraphDestroy(graph);
    of_x.fetched().expect(data.type, sf::operation::sum, {}, segments_of(data, offsets), data.label);
    EXPECT_EQ(of_y.fetched(), of_x.fetched());
}

TEST_F(segmented_calls, of_one_object_on_changing_streams_follow_each_other) {
    stream_owner const a, b;
    sf::segmented_reduction sums{sf::dtype::float64, sf::operation::sum, {}, on_gpu};
    for (int round = 0; round < 20; ++round) {
        sample const data = gaussian(60000);
        std::vector<std::int64_t> const offsets{0, 50000, data.n};
        device_bytes const x{data.bytes};
        device_outputs out{2, sf::dtype::float64};
        sums.segments({x.data(), data.n, data.type}, offsets, out.view(), round % 2 == 0 ? a.stream : b.stream);
        sums.wait();
        out.fetched().expect(data.type, sf::operation::sum, {}, segments_of(data, offsets), data.label);
    }
}

TEST_F(segmented_calls, bad_offsets_in_device_memory_are_told_by_wait) {
    sample const data = gaussian(1000);
    device_bytes const x{data.bytes};
    for (std::vector<std::int64_t> const& offsets :
         {std::vector<std::int64_t>{0, 500, 400, 1000}, {0, 500, 2000}, {-3, 10}, {900, 0, 1000}}) {
        device_bytes const starts{bytes_of(offsets)};
        sf::segmented_reduction sums{data.type, sf::operation::sum, {}, on_gpu};
        device_outputs out{std::ssize(offsets) - 1, sf::dtype::float64};
        sums.segments({x.data(), data.n, data.type},
                      {reinterpret_cast<std::int64_t const*>(starts.data()), offsets.size()}, out.view());
        expect_refused([&] { sums.wait(); }, {"offsets", "order"});
        sums.wait(); // told once
    }
}

// Long segments gather in records that are empty between calls: those of a call with bad offsets may stay behind full.
TEST_F(segmented_calls, after_bad_offsets_are_as_right_as_before) {
    sample const data = gaussian(400000);
    device_bytes const x{data.bytes};
    sf::segmented_reduction sums{data.type, sf::operation::sum, {}, on_gpu};
    for (int i = 0; i < 20; ++i) {
        std::vector<std::int64_t> const good{0, 100, 150000, 390000, data.n};
        std::vector<std::int64_t> bad = good;
        for (std::int64_t& offset : bad) offset = random.below(data.n + 2000) - 1000;
        bad[1] = bad[2] + 1;
        for (std::vector<std::int64_t> const& offsets : {bad, good}) {
            device_bytes const starts{bytes_of(offsets)};
            device_outputs out{4, sf::dtype::float64};
            sums.segments(
                {x.data(), data.n, data.type},
                sf::view<std::int64_t const>{reinterpret_cast<std::int64_t const*>(starts.data()), offsets.size()},
                out.view());
            if (offsets == bad) {
                expect_refused([&] { sums.wait(); }, {"offsets", "order"});
                continue;
            }
            sums.wait();
            out.fetched().expect(data.type, sf::operation::sum, {}, segments_of(data, offsets), data.label);
        }
    }
}

TEST_F(segmented_calls, memory_that_cannot_be_used_is_refused) {
    sample const data = gaussian(100);
    device_bytes const x{data.bytes};
    std::vector<std::int64_t> const offsets{0, 50, 100};
    std::vector<double> host(2);
    std::vector<sf::status_flags> status(2);
    device_bytes const results{16};
    sf::segmented_reduction sums{data.type, sf::operation::sum, {}, on_gpu};
    expect_refused([&] { sums.segments(data.view(), offsets, sf::view{host.data(), 2}); }, {"host memory", "GPU"});
    sf::array_view const on_device{x.data(), data.n, data.type};
    expect_refused(
        [&] {
            sums.segments(on_device, offsets, {results.data(), 2, data.type, status.data()});
        },
        {"status", "both"});
    std::vector<std::int64_t> const wrong{0, 50, 40};
    expect_refused([&] { sums.segments(on_device, wrong, sf::view{host.data(), 2}); }, {"offsets[2]", "40"});
    sf::segmented_reduction on_host{data.type, sf::operation::sum};
    expect_refused([&] { on_host.segments(on_device, offsets, sf::view{host.data(), 2}); }, {"device memory"});
    expect_refused(
        [&] {
            on_host.segments(data.view(), offsets, {results.data(), 2, data.type});
        },
        {"output", "device memory"});
    stream_owner const owner;
    require(cudaStreamBeginCapture(owner.stream, cudaStreamCaptureModeGlobal));
    expect_refused(
        [&] {
            sums.segments(on_device, offsets, {results.data(), 2, data.type}, owner.stream);
        },
        {"captured", "offsets"});
    expect_refused(
        [&] {
            sums.axis(on_device, std::vector<std::int64_t>{2, 50}, 1, sf::view{host.data(), 2}, owner.stream);
        },
        {"captured", "results"});
    cudaGraph_t graph = nullptr;
    require(cudaStreamEndCapture(owner.stream, &graph));
    cudaGraphDestroy(graph);
}

TEST_F(segmented_calls, steady_state_allocates_nothing) {
    sample const data = gaussian(100000);
    device_bytes const x{data.bytes};
    auto const offsets = random_offsets(data.n, random, [&] { return random.below(3000); });
    device_bytes const starts{bytes_of(offsets)};
    device_outputs out{std::ssize(offsets) - 1, sf::dtype::float64};
    sf::segmented_reduction sums{data.type, sf::operation::sum, {}, on_gpu};
    sums.reserve(data.n, std::ssize(offsets) - 1);
    auto const call = [&] {
        sums.segments({x.data(), data.n, data.type},
                      {reinterpret_cast<std::int64_t const*>(starts.data()), offsets.size()}, out.view());
    };
    call();
    sums.wait();
    std::size_t before = 0, after = 0, total = 0;
    require(cudaMemGetInfo(&before, &total));
    for (int i = 0; i < 100; ++i) call();
    require(cudaMemGetInfo(&after, &total));
    EXPECT_EQ(before, after);
    sums.wait();
    out.fetched().expect(data.type, sf::operation::sum, {}, segments_of(data, offsets), data.label);
}

} // namespace
