/// Host memory of arrays, near the threads that will read it.
#pragma once

#include "steadfold/partition.hpp"

#include <cstddef>
#include <functional>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// Memory of `count` > 0 elements, aligned to 64 bytes, not initialised. What is large is in huge pages where the
/// kernel grants them, and every page has been touched by the thread that gets its elements in a reduction: a page lies
/// on the NUMA node of the thread that touched it first.
[[nodiscard]] void* allocate_on_host(std::int64_t count, std::size_t element_bytes);
void free_on_host(void* pointer) noexcept;

/// Calls work(range) for the range each thread gets in a reduction of `count` elements, on as many threads; where they
/// cannot be started, or fewer bytes than are worth it, for everything on the calling one.
void on_reducing_threads(std::int64_t count, std::size_t element_bytes, std::function<void(index_range)> const& work);

} // namespace detail
} // namespace v0
} // namespace steadfold
