// The peer on a GPU: CUB's DeviceReduce::Sum of the toolkit, as a user calls it with its workspace made beforehand.
#pragma once

#include "base/cuda_handles.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace steadfold::inline v0::app {

/// T is float or double. Of the current device.
template <class T>
class cub_sum {
  public:
    cub_sum(T const* device_data, std::int64_t count, cudaStream_t stream);

    /// The sum goes to device memory. Returns at once.
    void enqueue();
    /// Enqueues, copies the result to the host and waits for it.
    [[nodiscard]] T result();

  private:
    T const* data_;
    std::int64_t count_;
    cudaStream_t stream_;
    std::size_t workspace_bytes_ = 0;
    detail::device_buffer<std::byte> workspace_;
    detail::device_buffer<T> on_device_;
    detail::pinned_buffer<T> on_host_;
};

/// E.g. "3.0.1": of the CUB this was built with.
[[nodiscard]] std::string cub_version();

} // namespace steadfold::inline v0::app
