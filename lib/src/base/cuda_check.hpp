/// Turns a failed CUDA runtime call into a library_error. For units built with CUDA only.
///
///     check(cudaMalloc(&p, bytes), "allocating 64 bytes on device 2");
#pragma once

#include "steadfold/error.hpp"

#include <cuda_runtime_api.h>
#include <source_location>
#include <string>
#include <string_view>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// @throws library_error  with `doing`, CUDA's own words and the place of the call. The error is taken off CUDA's
///                        list of the last one, so that the caller's next check does not meet it again.
inline void check(cudaError_t result, std::string_view doing,
                  std::source_location where = std::source_location::current()) {
    if (result == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    throw library_error(std::string(doing) + ": CUDA says " + cudaGetErrorName(result) + ": " +
                        cudaGetErrorString(result) + " (" + where.file_name() + ":" + std::to_string(where.line()) +
                        ")");
}

} // namespace detail
} // namespace v0
} // namespace steadfold
