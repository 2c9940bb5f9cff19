/// Ranges of the row-major order of an array, as boxes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace steadfold::inline v0::io_detail {

/// `count[d]` indices from `start[d]` in every dimension.
struct box {
    std::vector<std::int64_t> start, count;
    std::int64_t elements = 1;
};

/// Product of the extents; 1 for a scalar.
/// @throws io_error  if an extent is negative or the product exceeds 63 bits
[[nodiscard]] std::int64_t checked_product(std::span<std::int64_t const> extents);

/// The elements [first, first + count) of the row-major order as at most 2 N - 1 boxes for N dimensions, in that order:
/// the elements of the boxes, each in row-major order, one after the other, are the range.
/// The range must lie inside the array. A scalar is one box without dimensions.
[[nodiscard]] std::vector<box> split_range(std::span<std::int64_t const> extents, std::int64_t first,
                                           std::int64_t count);

} // namespace steadfold::inline v0::io_detail
