// Everything that can be wrong with a call and is seen before any work.
#pragma once

#include "segmented/settings.hpp"
#include "steadfold/view.hpp"

#include <cstdint>
#include <span>

namespace steadfold::inline v0::segmented {

/// The call, checked but for the offsets themselves. @throws argument_error
[[nodiscard]] problem problem_of_segments(settings const& settings, array_view x, view<std::int64_t const> offsets,
                                          output_view out);
[[nodiscard]] problem problem_of_axis(settings const& settings, array_view x, std::span<std::int64_t const> extents,
                                      int axis, output_view out);

/// Offsets the host can read. @throws argument_error naming the first that is out of order or outside x
void require_offsets(std::int64_t const* offsets, std::int64_t segments, std::int64_t elements);

} // namespace steadfold::inline v0::segmented
