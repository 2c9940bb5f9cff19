/// Is there such a GPU? For units built with CUDA only.
#pragma once

#include "steadfold/error.hpp"

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

} // namespace steadfold::inline v0::detail
