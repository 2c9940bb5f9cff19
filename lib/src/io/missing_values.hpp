/// Missing and packed values, by the netCDF conventions.
#pragma once

#include "steadfold/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace steadfold::inline v0::io_detail {

/// The values that mark missing elements, of the stored type.
struct missing_markers {
    std::vector<double> real;          ///< for floating-point types: each is exact in the stored type
    std::vector<std::int64_t> integer; ///< for integer types; the bits of a uint64

    [[nodiscard]] bool empty() const noexcept { return real.empty() && integer.empty(); }
};

/// How a packed value is unpacked: stored * scale + offset.
struct packing {
    std::optional<double> scale, offset;
    [[nodiscard]] bool used() const noexcept { return scale || offset; }
};

/// One real element as double; 64-bit integers are rounded to nearest.
[[nodiscard]] double load_as_double(dtype type, std::byte const* element) noexcept;

/// Marked floating-point elements become quiet NaNs; marked integers become the first marker.
void unify_missing(dtype type, missing_markers const& markers, std::byte* data, std::int64_t count) noexcept;

/// Expands `count` real elements of `type` that lie at the end of the `8 * count` bytes at `data` to doubles there,
/// with NaN for marked elements. Multiplication and addition round separately, as the conventions' reference code does.
void unpack_in_place(dtype type, missing_markers const& markers, packing const& rule, std::byte* data,
                     std::int64_t count) noexcept;

} // namespace steadfold::inline v0::io_detail
