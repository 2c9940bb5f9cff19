// What a pass over floating-point data gathers in a block's shared memory.
#pragma once

#include "exact/element.hpp"
#include "reduce/cuda/extremes.cuh"
#include "reduce/cuda/hot_digits.cuh"
#include "reduce/cuda/pass.hpp"
#include "reduce/cuda/sum_folds.cuh"
#include "reduce/plan.hpp"

#include <cstddef>

namespace steadfold::inline v0::cuda {

using namespace reduce_detail;

/// The parts a family has, for one component type.
template <dtype Real, int Components, unsigned Family>
struct float_shape {
    static constexpr dtype real = Real;
    static constexpr int components = Components;
    static constexpr bool has_sum = (Family & feature_sum) != 0;
    static constexpr bool has_magnitudes = (Family & feature_magnitudes) != 0;
    static constexpr bool has_products = (Family & feature_products) != 0;
    static constexpr bool takes_two = (Family & feature_pairs) != 0;
    /// Squares alone are products of pairs, each element its own partner.
    static constexpr bool has_pairs = takes_two || Family == family_squares;
    static constexpr bool has_squares = has_products && !has_pairs;
    static constexpr bool has_values = has_sum || has_magnitudes;
    static constexpr bool has_extrema = (Family & feature_extrema) != 0 && Components == 1;
    static constexpr bool has_zeros = (Family & feature_zeros) != 0;
    static constexpr bool is_float64 = Real == dtype::float64;
    /// One real quantity and nothing that is compared: blocks meet in hot words.
    static constexpr bool meets_hot = Components == 1 && !has_extrema && has_sum + has_magnitudes + has_products == 1;
    /// Usual data leaves rests now and then of products, and of one fold of float32 values; not of two folds, or of
    /// shorter significands.
    static constexpr bool keeps_near_rests =
        meets_hot && (has_products ? size_bytes(Real) > 2 : Real == dtype::float32);
    static constexpr exact::digit_layout sums = exact::sum_layout(Real), products = exact::product_layout(Real);
    using sum_target = block_sum<sums.limbs, sums.anchor>;
    using product_target = block_sum<products.limbs, products.anchor>;
    /// float16 products have one window, whose second fold ends with the lowest bit they can have.
    using hot = hot_pieces<1 + is_float64 + has_products, !has_products ? 48 : Real == dtype::float16 ? 32 : 49>;
    static constexpr quantity hot_quantity = has_products ? quantity::products
                                             : has_sum    ? quantity::sum
                                                          : quantity::magnitudes;
    static constexpr exact::digit_layout hot_layout = has_products ? products : sums;
};

struct not_gathered {};

template <class Shape>
struct float_block {
    using shape = Shape;
    static constexpr int components = Shape::components;
    template <bool Wanted, class Part>
    using part = std::conditional_t<Wanted, Part, not_gathered>;

    part<Shape::has_sum, typename Shape::sum_target> sum[components];
    part<Shape::has_magnitudes, typename Shape::sum_target> magnitudes[components];
    part<Shape::has_products, typename Shape::product_target> products[components];
    exact::special_counts counts[components];
    part<Shape::has_extrema, block_extremes> extremes;
    std::int64_t first_nan; // as 2^63 - 1 - index, so that 0 is none and the first is the largest
    /// Not 0: there is something in the limbs, the bins or the counts, not only in warp_pieces.
    std::int64_t irregular;
    std::int64_t wants_window; // another one than the launch has
    std::int32_t warp_pieces[max_threads_per_block / 32][Shape::meets_hot ? Shape::hot::slots : 1];

    // Last, because little data does without them.
    alignas(16) part<Shape::has_sum, exponent_bins<Shape::is_float64>> sum_bins[components];
    part<Shape::has_magnitudes, exponent_bins<Shape::is_float64>> magnitude_bins[components];
    part<Shape::has_products, exponent_bins<true>> product_bins[components];

    /// What has to be zero before use, in bytes from the start.
    __device__ static unsigned cleared_bytes(pass_arguments const& arguments) {
        return arguments.direct ? (offsetof(float_block, sum_bins) + 15) / 16 * 16 : sizeof(float_block);
    }

    /// A value or rest, through integers.
    __device__ void add(quantity which, int c, double x, bool direct) {
        if constexpr (Shape::has_sum)
            if (which == quantity::sum) add_to(sum[c], sum_bins[c], x, direct);
        if constexpr (Shape::has_magnitudes)
            if (which == quantity::magnitudes) add_to(magnitudes[c], magnitude_bins[c], x, direct);
        if constexpr (Shape::has_products)
            if (which == quantity::products) add_to(products[c], product_bins[c], x, direct);
    }

    /// Of the quantity that meets in hot words.
    __device__ std::uint64_t* hot_limbs() {
        if constexpr (Shape::hot_quantity == quantity::sum)
            return sum[0].limb;
        else if constexpr (Shape::hot_quantity == quantity::magnitudes)
            return magnitudes[0].limb;
        else
            return products[0].limb;
    }

    /// Moves the bins into the limbs; all threads, after a barrier and before another.
    __device__ void empty_bins() {
#pragma unroll
        for (int c = 0; c < components; ++c) {
            if constexpr (Shape::has_sum) sum_bins[c].empty_all(sum[c].limb, Shape::sums.anchor);
            if constexpr (Shape::has_magnitudes) magnitude_bins[c].empty_all(magnitudes[c].limb, Shape::sums.anchor);
            if constexpr (Shape::has_products) product_bins[c].empty_all(products[c].limb, Shape::products.anchor);
        }
    }

    /// f(limbs, anchor, which quantity, component) for everything that is summed.
    template <class Function>
    __device__ void for_each_sum(Function const& f) {
#pragma unroll
        for (int c = 0; c < components; ++c) {
            if constexpr (Shape::has_sum) f(sum[c].limb, Shape::sums.anchor, quantity::sum, c);
            if constexpr (Shape::has_magnitudes) f(magnitudes[c].limb, Shape::sums.anchor, quantity::magnitudes, c);
            if constexpr (Shape::has_products) f(products[c].limb, Shape::products.anchor, quantity::products, c);
        }
    }

  private:
    template <class Target, class Bins>
    __device__ static void add_to(Target& target, Bins& bins, double x, bool direct) {
        if (direct)
            exact::deposit_value(target.limb, Target::anchor, bits_of(x), shared_add{});
        else
            bins.add(take_apart(x), target.limb, Target::anchor);
    }
};

/// For passes that keep their sums in registers.
template <int Components>
struct counts_block {
    static constexpr int components = Components;
    exact::special_counts counts[Components];
    std::int64_t first_nan, irregular;

    __device__ static unsigned cleared_bytes(pass_arguments const&) { return sizeof(counts_block); }
    __device__ void empty_bins() {}
    template <class Function>
    __device__ void for_each_sum(Function const&) {}
};

/// Counts an element that is NaN or infinite, or whose other part (complex data) is.
///
/// @param x, other  float64 bits of the component and of the other one; the same for real data
/// @param index     of the element
/// @return          true if the component itself is finite and belongs into the sums
template <class Block>
__device__ __noinline__ bool count_special(Block& block, std::uint64_t x, std::uint64_t other, int component,
                                           std::int64_t index) {
    exact::special_counts& whole = block.counts[0];
    exact::special_counts& part = block.counts[component];
    if (exact::is_nan_bits(x) || exact::is_nan_bits(other)) {
        if (component != 0) return false;
        shared_count(&whole.nan, 1);
        atomicMax_block(reinterpret_cast<long long*>(&block.first_nan), static_cast<long long>(INT64_MAX - index));
        return false;
    }
    if (component == 0 && (exact::is_infinite_bits(x) || exact::is_infinite_bits(other)))
        shared_count(&whole.infinite, 1);
    if (!exact::is_infinite_bits(x)) return true;
    shared_count(x >> 63 ? &part.negative_infinity : &part.positive_infinity, 1);
    return false;
}

__device__ inline bool is_negative_zero_product(std::uint64_t x, std::uint64_t y) {
    return (exact::is_zero_bits(x) || exact::is_zero_bits(y)) && ((x ^ y) >> 63) != 0;
}

/// Counts a pair with a NaN or an infinity; `infinite` counts those of the first array. True if both are finite, and
/// their product belongs into the sums.
template <class Block>
__device__ __noinline__ bool count_special_pair(Block& block, std::uint64_t x, std::uint64_t y) {
    exact::special_counts& counts = block.counts[0];
    bool const nan = exact::is_nan_bits(x) || exact::is_nan_bits(y);
    if (!nan && exact::is_infinite_bits(x)) shared_count(&counts.infinite, 1);
    if (nan)
        shared_count(&counts.nan, 1);
    else if (exact::is_finite_bits(x) && exact::is_finite_bits(y))
        return true;
    else if (exact::is_zero_bits(x) || exact::is_zero_bits(y))
        shared_count(&counts.invalid, 1);
    else
        shared_count((x ^ y) >> 63 ? &counts.negative_infinity : &counts.positive_infinity, 1);
    return false;
}

} // namespace steadfold::inline v0::cuda
