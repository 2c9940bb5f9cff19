// Streams, graphs, memory of every kind, repeated use, and what is refused on the GPU.
#include "reduce/cuda/graphs.hpp"
#include "segmented/cuda/device_outputs.hpp"
#include "steadfold/error.hpp"
#include "support/spread.hpp"

#include <functional>

namespace {

using namespace oracle;

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

TEST_F(segmented_calls, a_captured_call_is_replayed_1000_times_with_changing_data) {
    std::int64_t const n = 40000;
    std::vector<std::int64_t> const offsets{0, 3, 200, 200, 30000, n}; // tiny, empty and shared ones
    std::vector<sample> data;
    std::vector<device_bytes> on_device;
    for (data_class const which : classes_of(sf::dtype::float64)) {
        data.push_back(generate(which, sf::dtype::float64, n, random.bits()));
        on_device.emplace_back(data.back().bytes);
    }
    std::size_t const bytes = data.front().bytes.size();
    device_bytes const x{bytes}, starts{bytes_of(offsets)};
    sf::segmented_reduction sums{sf::dtype::float64, sf::operation::sum, {}, on_gpu};
    sums.reserve(n, 5);
    device_outputs out{5, sf::dtype::float64};
    sf::view<std::int64_t const> const device_offsets{reinterpret_cast<std::int64_t const*>(starts.data()),
                                                      offsets.size()};
    own_stream const stream;
    captured_graph const graph{
        stream, [&] {
            sums.segments({x.data(), n, sf::dtype::float64}, device_offsets, out.view(), stream.get());
        }};
    std::vector<outputs> first_time;
    for (std::size_t replay = 0; replay < 1000; ++replay) {
        std::size_t const k = replay % data.size();
        require(cudaMemcpyAsync(x.data(), on_device[k].data(), bytes, cudaMemcpyDeviceToDevice, stream.get()));
        graph.launch(stream);
        stream.wait();
        if (replay < data.size()) {
            out.fetched().expect(data[k].type, sf::operation::sum, {}, segments_of(data[k], offsets), data[k].label);
            first_time.push_back(out.fetched());
        } else {
            ASSERT_EQ(out.fetched(), first_time[k]) << "replay " << replay << " of " << data[k].label;
        }
    }
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
    own_stream const stream;
    sf::view<std::int64_t const> const device_offsets{reinterpret_cast<std::int64_t const*>(starts.data()),
                                                      offsets.size()};
    captured_graph const graph{stream, [&] {
                                   sums.segments({x.data(), n, data.type}, device_offsets, of_x.view(), stream.get());
                                   sums.segments(apart.at(y.data()), device_offsets, of_y.view(), stream.get());
                               }};
    for (int replay = 0; replay < 3; ++replay) graph.launch(stream);
    stream.wait();
    of_x.fetched().expect(data.type, sf::operation::sum, {}, segments_of(data, offsets), data.label);
    EXPECT_EQ(of_y.fetched(), of_x.fetched());
}

TEST_F(segmented_calls, of_one_object_on_changing_streams_follow_each_other) {
    constexpr int rounds = 20;
    own_stream const a, b;
    std::vector<std::int64_t> const offsets{0, 50000, 60000};
    std::vector<sample> data;
    std::vector<device_bytes> x;
    std::vector<device_outputs> out;
    for (int round = 0; round < rounds; ++round) {
        data.push_back(gaussian(offsets.back()));
        x.emplace_back(data.back().bytes);
        out.emplace_back(2, sf::dtype::float64);
    }
    sf::segmented_reduction sums{sf::dtype::float64, sf::operation::sum, {}, on_gpu};
    sums.reserve(offsets.back(), 2);
    for (std::size_t i = 0; i < data.size(); ++i) // with no wait between them
        sums.segments({x[i].data(), data[i].n, data[i].type}, offsets, out[i].view(), i % 2 == 0 ? a.get() : b.get());
    sums.wait();
    for (std::size_t i = 0; i < data.size(); ++i)
        out[i].fetched().expect(data[i].type, sf::operation::sum, {}, segments_of(data[i], offsets), data[i].label);
}

// A larger call needs more of what the graph has the address of.
TEST_F(segmented_calls, a_captured_call_keeps_the_memory_it_works_in) {
    sample const data = gaussian(40000), larger = gaussian(4000000);
    std::vector<std::int64_t> const offsets{0, 30000, data.n}, larger_offsets = equal_offsets(40, larger.n / 40);
    device_bytes const x{data.bytes}, y{larger.bytes}, starts{bytes_of(offsets)};
    sf::segmented_reduction sums{data.type, sf::operation::sum, {}, on_gpu};
    sums.reserve(data.n, 2);
    device_outputs of_x{2, sf::dtype::float64}, of_y{40, sf::dtype::float64};
    sf::view<std::int64_t const> const device_offsets{reinterpret_cast<std::int64_t const*>(starts.data()),
                                                      offsets.size()};
    own_stream const stream;
    captured_graph const graph{
        stream, [&] {
            sums.segments({x.data(), data.n, data.type}, device_offsets, of_x.view(), stream.get());
        }};
    sums.segments({y.data(), larger.n, larger.type}, larger_offsets, of_y.view(), stream.get());
    sums.wait();
    device_bytes const over_what_was_freed{1 << 20};
    require(cudaMemset(over_what_was_freed.data(), 0xff, 1 << 20));
    require(cudaDeviceSynchronize());
    graph.launch(stream);
    graph.launch(stream);
    stream.wait();
    of_x.fetched().expect(data.type, sf::operation::sum, {}, segments_of(data, offsets), data.label);
    of_y.fetched().expect(larger.type, sf::operation::sum, {}, segments_of(larger, larger_offsets), larger.label);
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
    own_stream const stream;
    captured_graph const nothing{
        stream, [&] {
            expect_refused(
                [&] {
                    sums.segments(on_device, offsets, {results.data(), 2, data.type}, stream.get());
                },
                {"captured", "offsets"});
            expect_refused(
                [&] {
                    sums.axis(on_device, std::vector<std::int64_t>{2, 50}, 1, sf::view{host.data(), 2}, stream.get());
                },
                {"captured", "results"});
        }};
    EXPECT_EQ(nothing.nodes(), 0U);
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
