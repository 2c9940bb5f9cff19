#include "array/device_memory.hpp"
#include "base/current_device.hpp"

#include <string>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

/// No usable driver or GPU: then no pointer can be anything but host memory.
bool means_no_cuda(cudaError_t result) {
    return result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver || result == cudaErrorStubLibrary ||
           result == cudaErrorSystemDriverMismatch || result == cudaErrorCompatNotSupportedOnDevice ||
           result == cudaErrorSystemNotReady;
}

memory_kind kind_of(cudaMemoryType type) {
    switch (type) {
    case cudaMemoryTypeHost:
        return memory_kind::pinned;
    case cudaMemoryTypeDevice:
        return memory_kind::device;
    case cudaMemoryTypeManaged:
        return memory_kind::managed;
    default:
        return memory_kind::host;
    }
}

std::string on_device(int device) {
    return " on device " + std::to_string(device);
}

} // namespace

memory_location ask_driver(void const* pointer) {
    cudaPointerAttributes attributes{};
    cudaError_t const result = cudaPointerGetAttributes(&attributes, pointer);
    if (means_no_cuda(result) || result == cudaErrorInvalidValue) {
        static_cast<void>(cudaGetLastError());
        return {};
    }
    check(result, "asking where a pointer points");
    memory_kind const kind = kind_of(attributes.type);
    bool const on_gpu = kind == memory_kind::device || kind == memory_kind::managed;
    return {kind, on_gpu ? attributes.device : host_device};
}

void require_gpu(int device) {
    int count = 0;
    cudaError_t const result = cudaGetDeviceCount(&count);
    if (means_no_cuda(result)) {
        static_cast<void>(cudaGetLastError());
        count = 0;
    } else {
        check(result, "counting GPUs");
    }
    if (device >= 0 && device < count) return;
    throw argument_error("there is no device " + std::to_string(device) + ": this process sees " +
                         std::to_string(count) + " GPU(s), numbered from 0, and the host CPU, number " +
                         std::to_string(host_device));
}

void* allocate_on_gpu(int device, std::size_t bytes) {
    current_device const on(device);
    void* pointer = nullptr;
    check(cudaMalloc(&pointer, bytes), "allocating " + std::to_string(bytes) + " bytes" + on_device(device));
    return pointer;
}

void free_on_gpu(void* pointer) noexcept {
    // Fails when the process is ending and CUDA has gone already: the memory has gone with it.
    if (cudaFree(pointer) != cudaSuccess) static_cast<void>(cudaGetLastError());
}

void copy_with_gpu(int device, void* to, void const* from, std::size_t bytes, stream_ref stream) {
    current_device const on(device);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.get()),
          "copying " + std::to_string(bytes) + " bytes between the host and a shard" + on_device(device));
}

void wait_for_default_stream(int device) {
    current_device const on(device);
    check(cudaStreamSynchronize(nullptr), "waiting for copies" + on_device(device));
}

} // namespace detail
} // namespace v0
} // namespace steadfold
