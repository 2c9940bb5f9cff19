// A reduction on a GPU that can be put on a stream, and how the time of it is taken.
#pragma once

#include "base/cuda_handles.hpp"
#include "measure.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace steadfold::inline v0::app {

/// Made once for its data, then called again and again. One stream at a time.
struct device_call {
    std::string name;
    std::int64_t bytes = 0; // read by one call
    bool peer = true;
    /// May enqueue() be recorded into a graph? Then it allocates nothing and waits for nothing.
    bool capturable = true;
    std::function<void(cudaStream_t)> enqueue; // returns at once, if capturable; the result stays on the device
    std::function<void(cudaStream_t)> fetch;   // brings the last result to the host and waits for it
    std::function<void()> check;               // looks at what was fetched. @throws wrong_result
    std::string budget = {};                   // instructions an element, where they have been counted
};

/// Device time: `calls` calls in one graph, timed by events around a replay of it. What cannot be captured is enqueued
/// as often between the events instead, and says so ("device-stream" in place of "device").
/// @param calls  0: what takes about 10 ms, at least 20 and at most 200
[[nodiscard]] implementation device_time(device_call const& what, int calls, cudaStream_t stream);

/// From the host until the result is on the host, one call at a time.
[[nodiscard]] implementation host_to_host(device_call const& what, cudaStream_t stream);

/// Where a kernel writes its result: for the next kernel, or straight to the host, which then copies nothing.
enum class result_place { device, pinned };

/// One number that a device_call computes, after fetch() on the host.
template <class R>
class device_value {
  public:
    explicit device_value(std::string const& what, result_place place = result_place::device)
        : on_host_{detail::allocate_pinned<R>(1, what)} {
        *on_host_ = R{};
        if (place == result_place::pinned) return;
        on_device_ = detail::allocate_device<R>(1, what);
        detail::check(cudaMemset(on_device_.get(), 0, sizeof(R)), "clearing the result of " + what);
    }
    /// What kernels write to.
    [[nodiscard]] R* target() const noexcept { return on_device_ ? on_device_.get() : on_host_.get(); }
    [[nodiscard]] R value() const noexcept { return *on_host_; }
    void fetch(cudaStream_t stream) const {
        if (on_device_)
            detail::check(cudaMemcpyAsync(on_host_.get(), on_device_.get(), sizeof(R), cudaMemcpyDeviceToHost, stream),
                          "copying a result to the host");
        detail::check(cudaStreamSynchronize(stream), "waiting for a result");
    }

  private:
    detail::device_buffer<R> on_device_;
    detail::pinned_buffer<R> on_host_;
};

} // namespace steadfold::inline v0::app
