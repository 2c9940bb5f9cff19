// What is particular to devices: streams, deadlines, other histograms beside, bad arguments, beyond 2^32 elements.
#include "histogram/brute_force.hpp"
#include "reduce/cuda/device_memory.hpp"
#include "steadfold/error.hpp"
#include "support/spread.hpp"

#include <array>
#include <chrono>
#include <thread>

namespace {

using namespace oracle;

using cuda_histogram = cuda_test;
constexpr sf::execution on_gpu{.kind = sf::processor_kind::cuda};

/// Device memory with the data `times` over, and its bytes on the host only once: so that brute force stays quick.
struct repeated_data {
    repeated_data(sample const& data, int times) : n{data.n * times}, memory{data.bytes.size() * std::size_t(times)} {
        for (int i = 0; i < times; ++i)
            require(cudaMemcpyAsync(memory.data() + std::size_t(i) * data.bytes.size(), data.bytes.data(),
                                    data.bytes.size(), cudaMemcpyHostToDevice));
        require(cudaDeviceSynchronize());
    }
    std::int64_t n;
    device_bytes memory;
};

// All blocks, each with many elements. The count of elements is odd: each time they lie elsewhere in their vectors.
TEST_F(cuda_histogram, of_four_million_elements) {
    constexpr int times = 256;
    for (sf::dtype const type : {sf::dtype::float64, sf::dtype::float32, sf::dtype::bfloat16, sf::dtype::int64})
        for (std::size_t b = 0; b < all_bins().size(); b += 3) {
            auto const& [name, bins] = all_bins()[b];
            sample const data = near_edges(classes_of(type)[0], type, bins.edges(), 16381, 5);
            repeated_data const many{data, times};
            sf::histogram_counter counter{type, bins, {}, on_gpu};
            counter.add({many.memory.data(), many.n, type});
            expect_same(counter.finish(), repeated(brute_force(data, bins.edges()), times), data.label + " " + name);
        }
}

TEST_F(cuda_histogram, of_a_million_bins) {
    constexpr int times = 16;
    sf::histogram_bins const bins = sf::uniform_bins(-3, 3, 1 << 20);
    sample const data = near_edges(data_class::gaussian, sf::dtype::float64, bins.edges(), 100003, 5);
    repeated_data const many{data, times};
    expect_same(sf::histogram({}, sf::array_view{many.memory.data(), many.n, data.type}, bins),
                repeated(brute_force(data, bins.edges()), times), data.label);
}

// A block's counts have 32 bits: one block gets more elements than that, all of them in one bin or above all bins.
TEST_F(cuda_histogram, counts_more_than_2_32_elements_on_one_block) {
    std::int64_t const n = (std::int64_t{1} << 32) + 12345;
    device_bytes const memory{static_cast<std::size_t>(n)};
    constexpr sf::execution one_block{.kind = sf::processor_kind::cuda, .blocks = 1, .threads_per_block = 512};
    for (auto const& [value, where] : {std::pair{3, one_block}, {90, on_gpu}}) {
        require(cudaMemset(memory.data(), value, static_cast<std::size_t>(n)));
        sf::histogram_counter counter{sf::dtype::int8, sf::uniform_bins(0, 10, 10), {}, where};
        counter.add({memory.data(), n, sf::dtype::int8});
        sf::histogram_result const got = counter.finish();
        EXPECT_EQ(got.counts[3], value == 3 ? n : 0);
        EXPECT_EQ(got.above, value == 90 ? n : 0);
        EXPECT_EQ(got.total, n);
    }
}

TEST_F(cuda_histogram, keeps_the_order_of_the_callers_stream) {
    cudaStream_t stream = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    std::size_t const bytes = std::size_t{256} << 20;
    device_bytes const target{bytes};
    sf::histogram_counter counter{sf::dtype::uint8, sf::uniform_bins(0, 4, 4), {}, on_gpu};
    for (int round = 0; round < 10; ++round) {
        require(cudaMemsetAsync(target.data(), 0, bytes, stream));
        require(cudaMemsetAsync(target.data(), 1, bytes, stream));
        counter.add({target.data(), static_cast<std::int64_t>(bytes), sf::dtype::uint8}, stream);
        require(cudaMemsetAsync(target.data(), 2, bytes, stream)); // waits until it has been read
        EXPECT_EQ(counter.finish().counts[1], static_cast<std::int64_t>(bytes));
    }
    require(cudaStreamDestroy(stream));
}

TEST_F(cuda_histogram, takes_pinned_and_managed_memory_and_copies_in_two_buffers) {
    std::int64_t const n = (std::int64_t{100} << 20) / 8 + 3; // three staging buffers and some
    std::size_t const bytes = static_cast<std::size_t>(n) * 8;
    sf::histogram_bins const bins = sf::uniform_bins(-3, 3, 100);
    sample data = generate(data_class::gaussian, sf::dtype::float64, 100003, 3);
    std::size_t const part = data.bytes.size();
    data.bytes.resize(bytes); // the same again and again
    for (std::size_t at = part; at < bytes; ++at) data.bytes[at] = data.bytes[at - part];
    data.n = n;
    sf::histogram_result const expected = sf::histogram({}, data.view(), bins);
    sf::histogram_counter counter{data.type, bins, {}, on_gpu};
    counter.add(data.view());
    expect_same(counter.finish(), expected, "pageable");
    void *pinned = nullptr, *managed = nullptr;
    require(cudaMallocHost(&pinned, bytes));
    require(cudaMallocManaged(&managed, bytes));
    for (void* memory : {pinned, managed}) {
        std::copy(data.bytes.begin(), data.bytes.end(), static_cast<std::byte*>(memory));
        counter.add({memory, n, data.type});
        expect_same(counter.finish(), expected, memory == pinned ? "pinned" : "managed");
    }
    require(cudaFree(managed));
    require(cudaFreeHost(pinned));
}

// The limit of shared memory belongs to the kernel: a small histogram must not take it from a large one.
TEST_F(cuda_histogram, of_another_size_may_be_beside) {
    sf::histogram_bins const large = sf::uniform_bins(-1, 1, 8192), small = sf::uniform_bins(-1, 1, 4);
    sample const data = generate(data_class::gaussian, sf::dtype::float64, 20000, 3);
    sf::histogram_counter first{data.type, large, {}, on_gpu};
    sf::histogram_counter second{data.type, small, {}, on_gpu};
    for (int round = 0; round < 3; ++round) {
        first.add(data.view());
        second.add(data.view());
        expect_same(second.finish(), brute_force(data, small.edges()), "small");
        expect_same(first.finish(), brute_force(data, large.edges()), "large");
    }
}

TEST_F(cuda_histogram, loses_nothing_by_a_missed_deadline) {
    std::size_t const bytes = std::size_t{4} << 30;
    device_bytes const ones{bytes};
    require(cudaMemset(ones.data(), 1, bytes));
    sf::histogram_counter counter{sf::dtype::uint8,
                                  sf::uniform_bins(0, 4, 4),
                                  {},
                                  {.kind = sf::processor_kind::cuda, .deadline = std::chrono::microseconds(300)}};
    counter.add({ones.data(), static_cast<std::int64_t>(bytes), sf::dtype::uint8});
    int missed = 0;
    for (; missed < 1000; ++missed) try {
            EXPECT_EQ(counter.finish().counts[1], static_cast<std::int64_t>(bytes));
            break;
        } catch (sf::timeout_error const&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    EXPECT_GT(missed, 0);
    EXPECT_LT(missed, 1000);
}

/// More than both staging buffers hold, gathered on the way.
TEST_F(cuda_histogram, of_long_strided_arrays_of_the_host) {
    sf::histogram_bins const bins = sf::uniform_bins(-3, 3, 100);
    spread_sample const x = spread(generate(data_class::gaussian, sf::dtype::float32, 20000003, 3), -2, 4);
    sf::histogram_counter counter{sf::dtype::float32, bins, {}, on_gpu};
    counter.add(x.view());
    expect_same(counter.finish(), sf::histogram({}, x.together.view(), bins), "from the host");
}

TEST_F(cuda_histogram, names_bad_arguments) {
    sf::histogram_bins const bins = sf::uniform_bins(0, 1, 10);
    auto const message = [](auto const& call) -> std::string {
        try {
            call();
        } catch (sf::argument_error const& e) {
            return e.what();
        }
        return "no error";
    };
    auto const with = [&](sf::execution where) {
        where.kind = sf::processor_kind::cuda;
        return message([&] { sf::histogram_counter{sf::dtype::float64, bins, {}, where}; });
    };
    EXPECT_NE(with({.device = 99}).find("99"), std::string::npos);
    EXPECT_NE(with({.threads_per_block = 33}).find("33"), std::string::npos);
    EXPECT_NE(with({.threads_per_block = -32}).find("-32"), std::string::npos);
    EXPECT_NE(with({.threads_per_block = 2048}).find("2048"), std::string::npos);
    EXPECT_NE(with({.blocks = -1}).find("-1"), std::string::npos);
    device_bytes const memory{std::size_t{80}};
    EXPECT_NE(message([&] {
                  sf::histogram_counter on_host{sf::dtype::float64, bins};
                  on_host.add({memory.data(), 10, sf::dtype::float64});
              }).find("device memory"),
              std::string::npos);
}

TEST_F(cuda_histogram, of_two_devices_merges_and_leaves_the_current_one) {
    if (device_count() < 2) GTEST_SKIP() << "no GPU to spare: needs two";
    sf::histogram_bins const bins = sf::uniform_bins(-2, 2, 33);
    sample const data = generate(data_class::gaussian, sf::dtype::float32, 30000, 3);
    require(cudaSetDevice(1));
    device_bytes const there{data.bytes};
    require(cudaSetDevice(0));
    device_bytes const here{data.bytes};
    std::array const pieces = {sf::array_view{here.data(), data.n, data.type}, data.view(),
                               sf::array_view{there.data(), data.n, data.type}};
    expect_same(sf::histogram({}, data.type, pieces, bins), repeated(brute_force(data, bins.edges()), 3), data.label);
    int current = -1;
    require(cudaGetDevice(&current));
    EXPECT_EQ(current, 0);
    sf::histogram_counter counter{data.type, bins, {}, on_gpu};
    EXPECT_THROW(counter.add({there.data(), data.n, data.type}), sf::argument_error);
}

} // namespace
