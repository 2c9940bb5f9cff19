// A stream that the device works on for as long as a test wants: what is put on it afterwards cannot have run yet.
#pragma once

#include <chrono>
#include <cuda_runtime_api.h>

namespace oracle {

/// Puts a kernel on `stream` that ends once `*flag` is not 0, but after `most` in any case.
void hold(cudaStream_t stream, int const* flag, std::chrono::nanoseconds most);

/// A stream of its own, held from the start.
class held_stream {
  public:
    held_stream();
    ~held_stream(); // releases it and waits for its work
    held_stream(held_stream const&) = delete;
    held_stream& operator=(held_stream const&) = delete;

    [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }
    /// Is the device still at work here?
    [[nodiscard]] bool held() const;
    void release() noexcept;

  private:
    cudaStream_t stream_ = nullptr;
    int* flag_ = nullptr; // pinned
};

} // namespace oracle
