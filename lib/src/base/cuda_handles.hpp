// Owners of CUDA things: memory, streams, events. Destruction never throws.
#pragma once

#include "base/cuda_check.hpp"

#include <cstddef>
#include <cuda_runtime_api.h>
#include <memory>
#include <string>
#include <type_traits>

namespace steadfold::inline v0::detail {

struct device_free {
    void operator()(void* p) const noexcept { static_cast<void>(cudaFree(p)); }
};
struct pinned_free {
    void operator()(void* p) const noexcept { static_cast<void>(cudaFreeHost(p)); }
};
struct stream_destroy {
    void operator()(cudaStream_t s) const noexcept { static_cast<void>(cudaStreamDestroy(s)); }
};
struct event_destroy {
    void operator()(cudaEvent_t e) const noexcept { static_cast<void>(cudaEventDestroy(e)); }
};

template <class T>
using device_buffer = std::unique_ptr<T, device_free>;
template <class T>
using pinned_buffer = std::unique_ptr<T, pinned_free>;
using owned_stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, stream_destroy>;
using owned_event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, event_destroy>;

/// Memory of the current device, not initialised.
template <class T>
[[nodiscard]] device_buffer<T> allocate_device(std::size_t count, std::string const& what) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T)),
          "allocating " + std::to_string(count * sizeof(T)) + " bytes for " + what);
    return device_buffer<T>{static_cast<T*>(memory)};
}

template <class T>
[[nodiscard]] pinned_buffer<T> allocate_pinned(std::size_t count, std::string const& what) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, count * sizeof(T)),
          "allocating " + std::to_string(count * sizeof(T)) + " bytes of pinned memory for " + what);
    return pinned_buffer<T>{static_cast<T*>(memory)};
}

/// A stream that does not synchronise with the default stream.
[[nodiscard]] inline owned_stream make_stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
    return owned_stream{stream};
}

[[nodiscard]] inline owned_event make_event() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
    return owned_event{event};
}

} // namespace steadfold::inline v0::detail
