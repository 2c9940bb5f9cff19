/// The few things arrays ask of CUDA, with a version for builds without it.
#pragma once

#include "steadfold/stream.hpp"
#include "steadfold/view.hpp"

#include <cstddef>
#include <span>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// locate() for a pointer that is not null.
[[nodiscard]] memory_location ask_driver(void const* pointer);

/// @throws argument_error  unless `device` is the ordinal of a GPU this process sees
void require_gpu(int device);

/// Uninitialised memory of one GPU; bytes > 0.
[[nodiscard]] void* allocate_on_gpu(int device, std::size_t bytes);
void free_on_gpu(void* pointer) noexcept;

/// Enqueues a copy of which one side is memory of `device`; no stream: the default stream of that device.
void copy_with_gpu(int device, void* to, void const* from, std::size_t bytes, stream_ref stream);

/// Waits for the default stream of `device`.
void wait_for_default_stream(int device);

} // namespace detail
} // namespace v0
} // namespace steadfold
