// Device memory that grows with the largest call.
#pragma once

#include "base/cuda_handles.hpp"

#include <cstddef>
#include <string>

namespace steadfold::inline v0::segmented {

class growing_memory {
  public:
    /// True if it had to grow: what was there is gone then.
    bool require(std::size_t bytes, std::string const& what) {
        if (bytes <= bytes_) return false;
        memory_.reset();
        bytes_ = 0;
        memory_ = detail::allocate_device<std::byte>(bytes, what);
        bytes_ = bytes;
        return true;
    }
    [[nodiscard]] bool holds(std::size_t bytes) const { return bytes <= bytes_; }
    [[nodiscard]] std::byte* get() const { return memory_.get(); }
    [[nodiscard]] std::size_t size() const { return bytes_; }
    void leak() { static_cast<void>(memory_.release()); }

  private:
    detail::device_buffer<std::byte> memory_;
    std::size_t bytes_ = 0;
};

} // namespace steadfold::inline v0::segmented
