// steadfold's segmented reductions as device_calls.
#pragma once

#include "device_call.hpp"
#include "peers.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace steadfold::inline v0::app {

/// Exact sums of segments of one length, given as offsets in device memory or as the last axis of an array.
/// Nothing where the library has no segmented reductions on GPUs. T is double or float.
template <class T>
[[nodiscard]] std::optional<device_call> our_segments(T const* x, std::int64_t segments, int segment_size,
                                                      result_check<std::vector<T> const&> check);
template <class T>
[[nodiscard]] std::optional<device_call> our_axis(T const* x, std::int64_t segments, int segment_size,
                                                  result_check<std::vector<T> const&> check);

} // namespace steadfold::inline v0::app
