// Elements that need not lie one after another, brought together a tile at a time for the code that reads tiles.
#pragma once

#include "steadfold/view.hpp"

#include <cstddef>
#include <cstdint>

namespace steadfold::inline v0::reduce_detail {

/// Elements [first, first + count) as a view of their own.
[[nodiscard]] array_view part_of(array_view const& x, std::int64_t first, std::int64_t count) noexcept;

/// Elements [first, first + count), one after another: where they lie, or copied to `room` if they do not lie so.
[[nodiscard]] void const* contiguous_part(array_view const& x, std::int64_t first, std::int64_t count,
                                          void* room) noexcept;

/// Whether the bytes [first, first + bytes) of memory belong to an element of `x`; those between elements do not.
[[nodiscard]] bool overlaps(array_view const& x, void const* first, std::size_t bytes) noexcept;

} // namespace steadfold::inline v0::reduce_detail
