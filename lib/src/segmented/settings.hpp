// What all outputs of a call have in common, and what one call is about.
#pragma once

#include "reduce/plan.hpp"
#include "steadfold/options.hpp"
#include "steadfold/segmented.hpp"

#include <cstdint>

namespace steadfold::inline v0::segmented {

struct settings {
    operation op = operation::sum;
    reduce_detail::plan what; // of that one operation
    reduce_options options;
    dtype result = dtype::float64;
};

/// @throws argument_error as the constructor of segmented_reduction
[[nodiscard]] settings make_settings(dtype type, operation op, reduce_options const& options);

/// Where segments begin and end: s lies in [at(s), at(s + 1)).
struct boundaries {
    std::int64_t const* offsets = nullptr; // null: segments of one length
    std::int64_t length = 0;

    [[nodiscard]] std::int64_t at(std::int64_t segment) const noexcept {
        return offsets != nullptr ? offsets[segment] : segment * length;
    }
};

/// The shape of one call, checked. With `inner` of 1 output s reduces segment s. With a larger one output
/// o * inner + j reduces the `segments.length` elements x[(o * length + a) * inner + j], a = 0, 1 ... Elements are
/// counted in `x`, which may be strided.
struct problem {
    array_view x;
    boundaries segments;
    std::int64_t outputs = 0;
    std::int64_t inner = 1;
    output_view out;
};

} // namespace steadfold::inline v0::segmented
