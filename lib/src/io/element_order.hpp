/// Fortran-ordered arrays, read in row-major order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace steadfold::inline v0::io_detail {

/// Copies the elements [first, first + count) of the row-major order of an array that lies in `source` in Fortran order
/// (first index fastest). `element_bytes` is 1, 2, 4, 8 or 16.
void gather_fortran(std::byte const* source, std::span<std::int64_t const> extents, std::size_t element_bytes,
                    std::int64_t first, std::int64_t count, std::byte* destination);

} // namespace steadfold::inline v0::io_detail
