// Elements of every type as float64 numbers that compare with float64 edges as the elements do.
#pragma once

#include "steadfold/dtype.hpp"

#include <cstdint>
#include <optional>

namespace steadfold::inline v0::histogram_detail {

/// How the elements of one histogram become float64.
struct decoder {
    dtype type;
    double top; // the last edge
    std::optional<std::int64_t> missing;

    /// `n` elements in `out`, or where they are if they are float64. An integer that float64 cannot hold becomes the
    /// largest float64 number below it: edges, float64 themselves, are below or equal to both or to neither. Only at
    /// the last edge, which belongs to its bin, that is not enough: integers just above it become Inf. Missing ones
    /// become NaN. Needs the default floating-point environment.
    double const* operator()(void const* data, int n, double* out) const;
};

} // namespace steadfold::inline v0::histogram_detail
