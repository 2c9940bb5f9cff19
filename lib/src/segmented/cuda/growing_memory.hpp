// Device memory that grows with the largest call.
#pragma once

#include "base/cuda_handles.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace steadfold::inline v0::segmented {

class growing_memory {
  public:
    /// What was in it is gone then, unless it is large enough.
    void require(std::size_t bytes, std::string const& what) {
        if (bytes <= bytes_) return;
        if (is_kept_) kept_.push_back({std::move(memory_), bytes_});
        is_kept_ = false;
        memory_.reset();
        bytes_ = 0;
        memory_ = detail::allocate_device<std::byte>(bytes, what);
        bytes_ = bytes;
    }
    /// A graph has captured the address: that memory lives as long as this object, also when larger is made.
    void keep() { is_kept_ = bytes_ > 0; }

    [[nodiscard]] bool holds(std::size_t bytes) const { return bytes <= bytes_; }
    [[nodiscard]] std::byte* get() const { return memory_.get(); }
    [[nodiscard]] std::size_t size() const { return bytes_; }
    /// f(address, bytes) for all memory that is or was in use.
    template <class Function>
    void for_each(Function const& f) const {
        if (bytes_ > 0) f(memory_.get(), bytes_);
        for (block const& each : kept_) f(each.memory.get(), each.bytes);
    }
    void leak() {
        static_cast<void>(memory_.release());
        for (block& each : kept_) static_cast<void>(each.memory.release());
    }

  private:
    struct block {
        detail::device_buffer<std::byte> memory;
        std::size_t bytes;
    };

    detail::device_buffer<std::byte> memory_;
    std::size_t bytes_ = 0;
    bool is_kept_ = false;
    std::vector<block> kept_;
};

} // namespace steadfold::inline v0::segmented
