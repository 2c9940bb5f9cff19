// What the host hands to a kernel: one call, and how its work is cut among warps.
#pragma once

#include "reduce/factors.hpp"
#include "reduce/state_view.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/operations.hpp"
#include "steadfold/status.hpp"

#include <cstddef>
#include <cstdint>

namespace steadfold::inline v0::segmented {

inline constexpr int warps_per_block = 8;

/// Most elements of one output that a warp may sum without a superaccumulator.
inline constexpr std::int64_t longest_piece = std::int64_t{1} << 20;

/// Bits between folds, so that fold values of 2^(spacing - 1) of so many elements fit an int64. Their errors, where
/// there are any, come on top.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int spacing_for(std::int64_t elements) noexcept {
    int spacing = 51; // the most a fold can take
    while (spacing > 1 && elements > std::int64_t{1} << (63 - spacing)) --spacing;
    return spacing;
}

/// What a segment costs besides its elements, in elements.
inline constexpr std::int64_t segment_cost = 1;

/// A result that the data cannot change: of nothing, or of a NaN.
struct fixed_result {
    std::uint64_t bits[2] = {};
    status_flags status = status_flags::none;
};

/// How many words of which kind gather one output: limbs of sums (or of magnitudes), limbs of squares, counts,
/// extrema, bits and the product. Sums of both parts of complex data have limbs of their own; magnitudes and products
/// are added together.
struct store_shape {
    int sum_limbs = 0, sum_anchor = 0;         // no limbs: not wanted
    int product_limbs = 0, product_anchor = 0; // no limbs: not wanted
    int components = 1;                        // arrays of sum limbs
    bool magnitudes = false;                   // the sums are of magnitudes
    bool factors = false;                      // bits and the product are wanted: one warp for all of an output

    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int products_at() const noexcept { return components * sum_limbs; }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int limbs() const noexcept { return products_at() + product_limbs; }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int counts_at(int component) const noexcept {
        return limbs() + component * static_cast<int>(sizeof(exact::special_counts) / 8);
    }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int extrema_at() const noexcept { return counts_at(2); }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int factors_at() const noexcept {
        return extrema_at() + static_cast<int>(sizeof(exact::extrema_state) / 8);
    }
    /// Without the last word, which only records have: how many warps have arrived, and a lock.
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int words() const noexcept {
        return factors_at() + (factors ? static_cast<int>(sizeof(reduce_detail::factor_state) / 8) : 0);
    }
};

/// What `op` of elements of `type` gathers.
[[nodiscard]] constexpr store_shape shape_of(operation op, dtype type) noexcept {
    dtype const real = component_type(type);
    store_shape shape;
    bool const spread = op == operation::variance || op == operation::stddev;
    if (op == operation::sum || op == operation::mean || op == operation::l1 || spread) {
        shape.sum_limbs = exact::sum_layout(real).limbs;
        shape.sum_anchor = exact::sum_layout(real).anchor;
        shape.magnitudes = op == operation::l1;
        shape.components = shape.magnitudes ? 1 : component_count(type);
    }
    if (op == operation::sum_of_squares || op == operation::l2 || spread) {
        shape.product_limbs = exact::product_layout(real).limbs;
        shape.product_anchor = exact::product_layout(real).anchor;
    }
    shape.factors = (product | bit_and | bit_or | bit_xor).contains(op);
    return shape;
}

/// Trivially copyable kernel argument.
struct call {
    void const* x = nullptr;
    std::int64_t elements = 0; // of x
    std::int64_t stride = 1;   // of x, in elements; other ones are for the general kernel only

    // Which elements an output reduces; see `problem`.
    std::int64_t const* offsets = nullptr;
    std::int64_t length = 0;
    std::int64_t inner = 1;
    std::int64_t outputs = 0;

    // Rows (inner is 1): a warp takes `chunk` whole segments, or, where `cuts` is set, what begins in its share of
    // elements and segments; segments longer than `longest`, which is not below `chunk`, are cut. Columns: a warp takes
    // `chunk` elements of each of its columns, the share of one of `parts` warps.
    std::int64_t chunks = 0;
    std::int64_t chunk = 0;
    std::int64_t longest = 0;
    std::int64_t parts = 1;
    double segments_a_step = 0; // of the way through all elements and segments, on average: where searches begin
    bool cuts = false;
    int lanes = 32;   // rows: that work on a segment together, a power of two
    int spacing = 51; // bits between folds: spacing_for() the longest piece

    operation op = operation::sum;
    dtype type = dtype::float64, result = dtype::float64;
    reduce_detail::finish_options finish;
    bool has_missing = false;
    std::int64_t missing = 0;
    fixed_result empty, nan;

    void* out = nullptr;
    status_flags* status = nullptr;

    // Outputs that several warps work on gather here, zero between calls: one record a chunk of rows, or a column.
    store_shape shape;
    std::uint64_t* records = nullptr;
    std::uint32_t* bad_offsets = nullptr; // set to 1 if the offsets are out of order or outside x

    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int record_words() const noexcept { return shape.words() + 1; }
};

using kernel = void (*)(call);

/// Kernels that sum or compare in registers; null if an operation has none.
struct quick_kernels {
    kernel rows = nullptr, columns = nullptr;
};
[[nodiscard]] quick_kernels find_quick_kernels(operation op, dtype type) noexcept;
/// Every operation and stride: a warp for an output, or a piece of it, always by way of a superaccumulator.
[[nodiscard]] kernel find_general_kernel() noexcept;
/// Bytes of shared memory a block of any of them needs.
[[nodiscard]] std::size_t shared_bytes(store_shape const& shape) noexcept;

} // namespace steadfold::inline v0::segmented
