// From a set of operations to what a pass over the data must gather, and to one of the precompiled families.
#pragma once

#include "steadfold/dtype.hpp"
#include "steadfold/operations.hpp"
#include "steadfold/options.hpp"

#include <cstdint>
#include <optional>

namespace steadfold::inline v0::reduce_detail {

/// Parts of exact::component_state a pass fills. Counts of NaN and Inf are always filled.
enum feature : unsigned {
    feature_sum = 1,
    feature_magnitudes = 2,
    feature_products = 4,
    feature_extrema = 8,
    feature_zeros = 16,
    feature_pairs = 32, // products of two arrays instead of squares
    feature_bits = 64,
    feature_factors = 128, // the product of all elements
};

/// Precompiled supersets; a pass runs the smallest one that holds the wanted features.
inline constexpr unsigned family_sum = feature_sum;
inline constexpr unsigned family_l1 = feature_magnitudes;
inline constexpr unsigned family_squares = feature_products;
inline constexpr unsigned family_moments = feature_sum | feature_products;
inline constexpr unsigned family_extrema = feature_extrema | feature_zeros;
inline constexpr unsigned family_all =
    feature_sum | feature_magnitudes | feature_products | feature_extrema | feature_zeros;
inline constexpr unsigned family_pairs = feature_products | feature_pairs;

/// Everything a back end needs to know.
struct plan {
    dtype type = dtype::float64;
    operation_set operations;
    unsigned features = 0;      // exact parts
    unsigned fast_features = 0; // feature_sum, feature_magnitudes, feature_products summed in plain float64
    reduction_mode mode = reduction_mode::exact;
    std::optional<std::int64_t> missing;
};

/// @throws argument_error for operations the type does not have (extrema of complex data, `missing` for floats ...)
[[nodiscard]] plan make_plan(dtype type, operation_set operations, reduce_options const& options);

/// Smallest family that holds `features`.
[[nodiscard]] unsigned family_of(unsigned features) noexcept;

} // namespace steadfold::inline v0::reduce_detail
