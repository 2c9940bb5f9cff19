#pragma once

#include "steadfold/error.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <sys/mman.h>

namespace steadfold::inline v0::io_detail {

/// Two page-aligned buffers that a child made by fork() shares with its parent. Pages exist once they are written.
class shared_buffers {
  public:
    explicit shared_buffers(std::size_t bytes) : stride_((bytes + page - 1) / page * page) {
        base_ = ::mmap(nullptr, 2 * stride_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (base_ == MAP_FAILED)
            throw io_error("no room for two buffers of " + std::to_string(bytes) + " bytes: " + std::strerror(errno));
    }
    ~shared_buffers() { ::munmap(base_, 2 * stride_); }
    shared_buffers(shared_buffers const&) = delete;
    shared_buffers& operator=(shared_buffers const&) = delete;

    [[nodiscard]] std::byte* buffer(int index) const noexcept {
        return static_cast<std::byte*>(base_) + (index == 0 ? 0 : stride_);
    }

  private:
    static constexpr std::size_t page = 65536; // the largest base page of the platforms we know
    std::size_t stride_;
    void* base_ = nullptr;
};

} // namespace steadfold::inline v0::io_detail
