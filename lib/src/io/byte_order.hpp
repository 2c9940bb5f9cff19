#pragma once

#include "steadfold/dtype.hpp"

#include <cstddef>
#include <cstdint>

namespace steadfold::inline v0::io_detail {

/// Reverses the bytes of every component of `count` elements in place.
void swap_bytes(dtype type, std::byte* data, std::int64_t count) noexcept;

} // namespace steadfold::inline v0::io_detail
