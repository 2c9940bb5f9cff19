// What needs a GPU: kinds of memory as the driver sees them, shards in device memory, streams.
#include "base/current_device.hpp"
#include "steadfold/array.hpp"
#include "steadfold/error.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <vector>

namespace {

namespace sf = steadfold;
using sf::memory_kind;
using sf::memory_location;

class array_gpu : public testing::Test {
  protected:
    void SetUp() override {
        if (cudaGetDeviceCount(&count_) != cudaSuccess || count_ == 0) GTEST_SKIP() << "no GPU";
        ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    }
    void TearDown() override {
        if (count_ == 0) return;
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    }
    /// Two entries of the list, on two GPUs if there are two.
    std::vector<int> two_devices() const { return {0, count_ - 1}; }

    int count_ = 0;
};

void expect_location(void* pointer, memory_location expected) {
    EXPECT_EQ(sf::locate(pointer), expected);
    EXPECT_EQ(sf::locate(static_cast<char*>(pointer) + 4096), expected) << "inside the allocation";
}

TEST_F(array_gpu, every_kind_of_memory_is_recognised) {
    std::size_t const bytes = 64 << 10; // small: managed memory is only for tests
    void* pointer = nullptr;
    for (int device = 0; device < count_; ++device) {
        sf::detail::current_device const on(device);
        ASSERT_EQ(cudaMalloc(&pointer, bytes), cudaSuccess);
        expect_location(pointer, {memory_kind::device, device});
        ASSERT_EQ(cudaFree(pointer), cudaSuccess);
    }
    ASSERT_EQ(cudaMallocHost(&pointer, bytes), cudaSuccess);
    expect_location(pointer, {memory_kind::pinned, sf::host_device});
    ASSERT_EQ(cudaFreeHost(pointer), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&pointer, bytes, cudaMemAttachGlobal), cudaSuccess);
    EXPECT_EQ(sf::locate(pointer).kind, memory_kind::managed);
    ASSERT_EQ(cudaFree(pointer), cudaSuccess);
    std::vector<double> ordinary(1024);
    expect_location(ordinary.data(), {memory_kind::host, sf::host_device});
}

TEST_F(array_gpu, values_pass_through_device_shards) {
    sf::partition const layout = sf::block_partition({1000003}, {2, 2, 2});
    sf::array<double> a(layout, 1, two_devices());
    for (auto const& shard : a.shards()) {
        int const device = two_devices()[static_cast<std::size_t>(shard.device)];
        EXPECT_EQ(shard.location, (memory_location{memory_kind::device, device}));
        EXPECT_EQ(sf::locate(shard.data.data()), shard.location);
    }
    std::vector<double> values(static_cast<std::size_t>(a.local_size())), back(values.size());
    std::iota(values.begin(), values.end(), 0.5);
    a.copy_from_host(values);
    a.copy_to_host(back);
    EXPECT_EQ(back, values);
}

TEST_F(array_gpu, copies_follow_a_stream_and_pinned_memory) {
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    std::int64_t const n = 1 << 16;
    void* pinned = nullptr;
    ASSERT_EQ(cudaMallocHost(&pinned, n * sizeof(float)), cudaSuccess);
    sf::view<float> const values(static_cast<float*>(pinned), n);
    std::iota(values.data(), values.data() + n, 1.0f);
    sf::array<float> a(sf::block_partition({n}, {1, 2, 1}), 0, two_devices());
    a.copy_from_host(values, stream);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    std::vector<float> back(static_cast<std::size_t>(n));
    a.copy_to_host(back, stream);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    for (std::size_t i = 0; i < back.size(); ++i) ASSERT_EQ(back[i], static_cast<float>(i + 1));
    EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(array_gpu, host_and_device_shards_mix) {
    sf::array<std::int64_t> a(sf::block_partition({1001}, {1, 2, 1}), 0, {0, sf::host_device});
    EXPECT_EQ(a.shards()[0].location.kind, memory_kind::device);
    EXPECT_EQ(a.shards()[1].location.kind, memory_kind::host);
    std::vector<std::int64_t> values(1001), back(1001);
    std::iota(values.begin(), values.end(), -7);
    a.copy_from_host(values);
    a.copy_to_host(back);
    EXPECT_EQ(back, values);
}

TEST_F(array_gpu, memory_is_given_back) {
    std::size_t before = 0, during = 0, after = 0, total = 0;
    {
        sf::array<double> warm(sf::block_partition({1}), 0, {0});
        ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
    }
    {
        sf::array<double> a(sf::block_partition({32 << 20}), 0, {0});
        sf::array<double> const b = std::move(a);
        ASSERT_EQ(cudaMemGetInfo(&during, &total), cudaSuccess);
    }
    ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
    EXPECT_LE(during + (std::size_t{200} << 20), before);
    EXPECT_GE(after + (std::size_t{64} << 20), before);
}

TEST_F(array_gpu, an_impossible_size_says_what_cuda_said_and_leaves_no_error) {
    try {
        sf::array<double> a(sf::block_partition({std::int64_t{1} << 45}), 0, {0});
        FAIL() << "256 TiB were allocated";
    } catch (sf::library_error const& e) {
        EXPECT_NE(std::string(e.what()).find("allocating 281474976710656 bytes on device 0: CUDA says"),
                  std::string::npos)
            << e.what();
    }
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(array_gpu, the_current_device_of_the_caller_stays) {
    int const last = count_ - 1;
    for (int const mine : {0, last}) {
        ASSERT_EQ(cudaSetDevice(mine), cudaSuccess);
        sf::array<double> a(sf::block_partition({100}, {1, 2, 1}), 0, two_devices());
        std::vector<double> values(100);
        a.copy_from_host(values);
        a.copy_to_host(values);
        int now = -1;
        ASSERT_EQ(cudaGetDevice(&now), cudaSuccess);
        EXPECT_EQ(now, mine);
    }
}

} // namespace
