// The same arithmetic in a kernel: every thread must get what the host gets.
#include "steadfold/partition.hpp"

#include <cstdio>
#include <gtest/gtest.h>
#include <vector>

namespace {

namespace sf = steadfold;

struct answer {
    sf::shard_position at;
    std::int64_t back, linear;
};

__global__ void locate_all(sf::partition p, std::int64_t step, answer* out, int count) {
    int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    std::int64_t const global = i * step;
    out[i].at = p.locate(global);
    out[i].back = p.global_index(out[i].at);
    out[i].linear = p.to_linear(p.to_coordinates(global));
}

TEST(partition_gpu, kernels_and_host_agree) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU";
    sf::partition const p = sf::block_partition({4294967311, 3, 1021}, {5, 3, 2});
    int const count = 10000;
    std::int64_t const step = p.size() / count;
    answer* on_device = nullptr;
    ASSERT_EQ(cudaMalloc(&on_device, sizeof(answer) * count), cudaSuccess);
    locate_all<<<(count + 255) / 256, 256>>>(p, step, on_device, count);
    ASSERT_EQ(cudaGetLastError(), cudaSuccess);
    std::vector<answer> got(count);
    ASSERT_EQ(cudaMemcpy(got.data(), on_device, sizeof(answer) * count, cudaMemcpyDefault), cudaSuccess);
    for (int i = 0; i < count; ++i) {
        std::int64_t const global = i * step;
        ASSERT_EQ(got[static_cast<std::size_t>(i)].at, p.locate(global)) << global;
        ASSERT_EQ(got[static_cast<std::size_t>(i)].back, global);
        ASSERT_EQ(got[static_cast<std::size_t>(i)].linear, global);
    }
    EXPECT_EQ(cudaFree(on_device), cudaSuccess);
}

} // namespace
