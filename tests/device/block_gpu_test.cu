// The same on a GPU. Built for several architectures, for users have several.
#include "device/expected.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <stdexcept>

namespace {

using namespace device_cases;
namespace device = steadfold::device;

void require(cudaError_t result) {
    if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

struct device_blocks : testing::Test {
    void SetUp() override {
        int count = 0;
        if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no GPU";
    }
};

template <class T, class Operation>
__global__ void block_kernel(T const* values, T initial, Operation operation, T* out) {
    __shared__ alignas(16) unsigned char memory[sizeof(room_of_block<T>)];
    unsigned const threads = device::block_threads();
    compute(values, initial, operation, {out, out + 1, out + 1 + threads, out + 1 + 2 * threads},
            reinterpret_cast<room_of_block<T>&>(memory));
}

/// `reduced` of thread 0, and then everywhere, inclusive and exclusive of all threads.
template <class T, class Operation>
std::vector<T> run(shape const& s, std::vector<T> const& values, T initial, Operation operation) {
    T *in = nullptr, *out = nullptr;
    std::vector<T> got(1 + 3 * s.threads());
    require(cudaMalloc(reinterpret_cast<void**>(&in), values.size() * sizeof(T)));
    require(cudaMalloc(reinterpret_cast<void**>(&out), got.size() * sizeof(T)));
    require(cudaMemcpy(in, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    block_kernel<<<1, dim3(s.x, s.y, s.z)>>>(in, initial, operation, out);
    require(cudaGetLastError());
    require(cudaMemcpy(got.data(), out, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
    require(cudaFree(in));
    require(cudaFree(out));
    return got;
}

/// The same operation, for the host.
struct sum_of_words {
    __host__ __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};
struct least {
    __host__ __device__ std::int16_t operator()(std::int16_t a, std::int16_t b) const { return a < b ? a : b; }
};

template <class T, class Operation, class HostOperation>
void check(Operation operation, HostOperation of_host) {
    for (shape const& s : shapes) {
        std::vector<T> const values = random_values<T>(s.threads(), s.x);
        T const initial = random_values<T>(1, 100).front();
        expected_of_block<T> const all = expected(values, initial, of_host);
        std::vector<T> right(1 + s.threads(), all.inclusive.back());
        right.insert(right.end(), all.inclusive.begin(), all.inclusive.end());
        right.insert(right.end(), all.exclusive.begin(), all.exclusive.end());
        EXPECT_EQ(run(s, values, initial, operation), right) << text(s);
    }
}

TEST_F(device_blocks, Sanitizer_combine_values_in_the_order_of_threads) {
    check<affine>(then{}, then{});
}

TEST_F(device_blocks, Sanitizer_combine_values_of_every_size) {
    check<std::uint64_t>(device::plus{}, sum_of_words{});
    check<std::int16_t>(device::minimum{}, least{});
}

TEST_F(device_blocks, give_floating_point_sums_the_same_bits_in_every_thread_and_on_every_call) {
    for (shape const& s : shapes) {
        std::vector<double> const values = random_values<double>(s.threads(), 7);
        std::vector<double> const first = run(s, values, 0.5, device::plus{});
        for (std::size_t i = 0; i < s.threads(); ++i) ASSERT_EQ(first[1 + i], first[0]) << text(s);
        for (int time = 0; time < 10; ++time) ASSERT_EQ(run(s, values, 0.5, device::plus{}), first) << text(s);
    }
}

} // namespace
