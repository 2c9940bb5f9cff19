/// Works on one device and gives the caller's current device back. For units built with CUDA only.
///
///     current_device on(device);          // cudaSetDevice, unless it is the current one
///     check(cudaMalloc(...), "...");      // the caller's device is current again at the end of the scope
#pragma once

#include "base/cuda_check.hpp"

namespace steadfold {
inline namespace v0 {
namespace detail {

/// The runtime keeps one current device a thread: an object belongs to the thread that made it.
///
/// A thread that never chose a device counts as having chosen device 0; giving that back makes device 0's context,
/// which costs memory there. Programs that use another device should choose it themselves, once, at their start.
class current_device {
  public:
    explicit current_device(int device) {
        check(cudaGetDevice(&before_), "asking for the current device");
        if (device == before_) return;
        check(cudaSetDevice(device), "making device " + std::to_string(device) + " current");
        changed_ = true;
    }
    ~current_device() {
        // It was current a moment ago; if it has died since, the caller's next call says so.
        if (changed_) static_cast<void>(cudaSetDevice(before_));
    }
    current_device(current_device const&) = delete;
    current_device& operator=(current_device const&) = delete;

  private:
    int before_ = 0;
    bool changed_ = false;
};

} // namespace detail
} // namespace v0
} // namespace steadfold
