// Device memory for tests.
#pragma once

#include "steadfold/view.hpp"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace oracle {

inline int device_count() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

/// Skips the test on machines without a GPU.
struct cuda_test : testing::Test {
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "no GPU";
    }
};

inline void require(cudaError_t result) {
    if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

/// `bytes` of device memory that begin `offset` bytes after a 256-byte boundary.
class device_bytes {
  public:
    device_bytes(std::size_t bytes, std::size_t offset = 0) : offset_{offset} {
        void* memory = nullptr;
        require(cudaMalloc(&memory, bytes + offset + 1));
        memory_.reset(memory);
    }
    device_bytes(std::vector<std::byte> const& values, std::size_t offset = 0) : device_bytes{values.size(), offset} {
        require(cudaMemcpy(data(), values.data(), values.size(), cudaMemcpyHostToDevice));
        require(cudaDeviceSynchronize()); // the copy from pageable memory may end later, and streams do not wait for it
    }
    [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(memory_.get()) + offset_; }

  private:
    struct release {
        void operator()(void* p) const { cudaFree(p); }
    };
    std::size_t offset_;
    std::unique_ptr<void, release> memory_;
};

} // namespace oracle
