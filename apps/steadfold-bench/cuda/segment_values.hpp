// The results of a segmented reduction: on the device, and after fetch() on the host.
#pragma once

#include "base/cuda_handles.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

template <class R>
class segment_values {
  public:
    segment_values(std::size_t count, std::string const& what)
        : on_device_{detail::allocate_device<R>(count, what)}, on_host_(count) {
        detail::check(cudaMemset(on_device_.get(), 0, count * sizeof(R)), "clearing the results of " + what);
    }
    [[nodiscard]] R* on_device() const noexcept { return on_device_.get(); }
    [[nodiscard]] std::vector<R> const& values() const noexcept { return on_host_; }
    void fetch(cudaStream_t stream) {
        detail::check(cudaMemcpyAsync(on_host_.data(), on_device_.get(), on_host_.size() * sizeof(R),
                                      cudaMemcpyDeviceToHost, stream),
                      "copying results to the host");
        detail::check(cudaStreamSynchronize(stream), "waiting for results");
    }

  private:
    detail::device_buffer<R> on_device_;
    std::vector<R> on_host_;
};

} // namespace steadfold::inline v0::app
