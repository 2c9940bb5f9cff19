/// Is there such a GPU, and is a stream one of it? For units built with CUDA only.
#pragma once

#include "base/cuda_check.hpp"
#include "base/relaxed_capture.hpp"
#include "steadfold/error.hpp"
#include "steadfold/stream.hpp"

#include <cuda_runtime_api.h>
#include <string>

namespace steadfold::inline v0::detail {

/// @throws argument_error if this process sees no CUDA device `device`, saying what it sees
inline void require_device(int device) {
    int count = 0;
    cudaError_t const result = cudaGetDeviceCount(&count);
    if (result != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        throw argument_error(std::string("there is no usable GPU here: CUDA says ") + cudaGetErrorString(result));
    }
    if (device < 0 || device >= count)
        throw argument_error("there is no CUDA device " + std::to_string(device) + "; this process sees " +
                             std::to_string(count));
}

/// True if the stream captures a graph: it cannot be asked for its device then. `device` is the current one.
/// @throws argument_error if the stream is of another device, naming `user`: "the workspace"
[[nodiscard]] inline bool captures_on(int device, stream_ref stream, char const* user) {
    if (is_capturing(stream.get())) return true;
    int of_stream = device;
    if (stream) check(cudaStreamGetDevice(stream.get(), &of_stream), "asking for the device of a stream");
    if (of_stream != device)
        throw argument_error("the stream is of device " + std::to_string(of_stream) + ", but " + user +
                             " is of device " + std::to_string(device));
    return false;
}

/// The same for what cannot be captured.
inline void require_stream(int device, stream_ref stream, char const* user) {
    if (captures_on(device, stream, user))
        throw argument_error(std::string("the stream captures a graph, but ") + user +
                             " cannot be captured: use a workspace or a segmented_reduction");
}

} // namespace steadfold::inline v0::detail
