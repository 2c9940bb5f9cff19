// Elements of any type on their way into a warp's store: limbs, counts and extrema, exactly and from any data.
#pragma once

#include "exact/element.hpp"
#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/element.cuh"
#include "reduce/cuda/factors.cuh"
#include "segmented/cuda/lane_group.cuh"
#include "segmented/cuda/store_words.cuh"

namespace steadfold::inline v0::segmented {

/// Which elements of x, strided or not, an output has: its element i is number first + i * stride.
struct element_range {
    std::int64_t first = 0, count = 0, stride = 1;
    std::int64_t index = 0; // place of the first one in its output
};

/// What a lane counts; added up when it has seen all of its elements.
struct lane_tally {
    std::int64_t nan = 0, infinite = 0, zero = 0;
    std::int64_t positive_infinity[2] = {}, negative_infinity[2] = {};
    bool not_negative_zero[2] = {};
    exact::extrema_state extrema;
};

/// All functions are for a whole warp.
class element_store : public store_words {
  public:
    using store_words::store_words;

    __device__ void add(element_range const& range);

  private:
    __device__ void add_floats(element_range const& range, lane_tally& tally);
    __device__ void add_float(std::uint64_t const (&bits)[2], std::int64_t index, lane_tally& tally);
    __device__ void add_integers(element_range const& range, lane_tally& tally);
    __device__ void add_factors(element_range const& range);
    __device__ void collect(lane_tally& tally);
    __device__ std::uint64_t read_float(std::int64_t component) const;
    __device__ std::int64_t read_integer(std::int64_t element) const;
};

inline __device__ __noinline__ void element_store::add(element_range const& range) {
    lane_tally tally;
    if (is_integer(call_.type))
        add_integers(range, tally);
    else
        add_floats(range, tally);
    collect(tally);
    if (call_.shape.factors) add_factors(range);
}

__device__ inline std::uint64_t element_store::read_float(std::int64_t component) const {
    switch (component_type(call_.type)) {
    case dtype::float64:
        return static_cast<std::uint64_t const*>(call_.x)[component];
    case dtype::float32:
        return cuda::bits_of(cuda::widen(static_cast<float const*>(call_.x)[component]));
    case dtype::float16:
        return cuda::bits_of(cuda::element<dtype::float16>::of(static_cast<std::uint16_t const*>(call_.x)[component]));
    default:
        return cuda::bits_of(cuda::element<dtype::bfloat16>::of(static_cast<std::uint16_t const*>(call_.x)[component]));
    }
}

__device__ inline std::int64_t element_store::read_integer(std::int64_t element) const {
    switch (call_.type) {
    case dtype::int8:
        return static_cast<std::int8_t const*>(call_.x)[element];
    case dtype::int16:
        return static_cast<std::int16_t const*>(call_.x)[element];
    case dtype::int32:
        return static_cast<std::int32_t const*>(call_.x)[element];
    case dtype::uint8:
        return static_cast<std::uint8_t const*>(call_.x)[element];
    case dtype::uint16:
        return static_cast<std::uint16_t const*>(call_.x)[element];
    case dtype::uint32:
        return static_cast<std::uint32_t const*>(call_.x)[element];
    default:
        return static_cast<std::int64_t const*>(call_.x)[element];
    }
}

__device__ inline void element_store::add_floats(element_range const& range, lane_tally& tally) {
    bool const is_pair = is_complex(call_.type);
    std::int64_t const first = range.first * call_.stride, step = range.stride * call_.stride;
#pragma unroll 1
    for (std::int64_t i = lane_number(); i < range.count; i += 32) {
        std::int64_t const element = first + i * step;
        std::uint64_t bits[2] = {read_float(is_pair ? 2 * element : element), 0};
        bits[1] = is_pair ? read_float(2 * element + 1) : bits[0];
        add_float(bits, range.index + i, tally);
    }
}

__device__ inline void element_store::add_float(std::uint64_t const (&bits)[2], std::int64_t index, lane_tally& tally) {
    if (exact::is_nan_bits(bits[0]) || exact::is_nan_bits(bits[1])) {
        ++tally.nan;
        tally.extrema.offer_nan(index);
        return;
    }
    if (exact::is_infinite_bits(bits[0]) || exact::is_infinite_bits(bits[1])) ++tally.infinite;
    if (exact::is_zero_bits(bits[0]) && exact::is_zero_bits(bits[1])) ++tally.zero;
    tally.extrema.offer_min(exact::ordered_key(bits[0]), index);
    tally.extrema.offer_max(exact::ordered_key(bits[0]), index);
    store_shape const& shape = call_.shape;
#pragma unroll
    for (int c = 0; c < 2; ++c) {
        if (c == 1 && !is_complex(call_.type)) return;
        std::uint64_t const x = bits[c];
        if (x != exact::negative_zero_bits) tally.not_negative_zero[c] = true;
        if (exact::is_infinite_bits(x)) {
            ++(x >> 63 ? tally.negative_infinity[c] : tally.positive_infinity[c]);
            continue;
        }
        std::uint64_t const mask = shape.magnitudes ? exact::float64_magnitude_mask : ~std::uint64_t{0};
        if (shape.sum_limbs > 0)
            exact::deposit_value(sums(shape.magnitudes ? 0 : c), shape.sum_anchor, x & mask, cuda::shared_add{});
        if (shape.product_limbs > 0)
            exact::deposit_product(words_ + shape.products_at(), shape.product_anchor, x, x, cuda::shared_add{});
    }
}

__device__ inline void element_store::add_integers(element_range const& range, lane_tally& tally) {
    store_shape const& shape = call_.shape;
    bool const is_signed = is_signed_integer(call_.type);
    std::int64_t const first = range.first * call_.stride, step = range.stride * call_.stride;
#pragma unroll 1
    for (std::int64_t i = lane_number(); i < range.count; i += 32) {
        std::int64_t const x = read_integer(first + i * step);
        if (call_.has_missing && x == call_.missing) {
            ++tally.nan;
            tally.extrema.offer_nan(range.index + i);
            continue;
        }
        bool const negative = is_signed && x < 0;
        auto const magnitude = negative ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
        std::int64_t const key =
            is_signed ? x : static_cast<std::int64_t>(static_cast<std::uint64_t>(x) ^ (std::uint64_t{1} << 63));
        tally.zero += x == 0;
        tally.not_negative_zero[0] = true;
        tally.extrema.offer_min(key, range.index + i);
        tally.extrema.offer_max(key, range.index + i);
        if (shape.sum_limbs > 0)
            exact::deposit(words_, 0, negative && !shape.magnitudes, magnitude, 0, cuda::shared_add{});
        if (shape.product_limbs > 0) {
            bits::product128 const square = bits::multiply(magnitude, magnitude);
            exact::deposit(words_ + shape.products_at(), 0, false, square.low, 0, cuda::shared_add{});
            exact::deposit(words_ + shape.products_at(), 0, false, square.high, 64, cuda::shared_add{});
        }
    }
}

inline __device__ __noinline__ void element_store::add_factors(element_range const& range) {
    reduce_detail::factor_rules const rules{call_.type, call_.op == operation::product, call_.has_missing,
                                            call_.missing};
    std::int64_t const first = range.first * call_.stride, step = range.stride * call_.stride;
    reduce_detail::factor_state mine;
#pragma unroll 1
    for (std::int64_t i = lane_number(); i < range.count; i += 32)
        rules.take(cuda::raw_element(call_.x, size_bytes(call_.type), first + i * step), mine);
    cuda::merge_lanes(mine);
    if (lane_number() == 0) factors().merge(mine);
    __syncwarp();
}

__device__ inline void element_store::collect(lane_tally& tally) {
    cuda::shared_count(&counts(0).nan, tally.nan);
    cuda::shared_count(&counts(0).infinite, tally.infinite);
    cuda::shared_count(&counts(0).zero, tally.zero);
#pragma unroll
    for (int c = 0; c < 2; ++c) {
        cuda::shared_count(&counts(c).positive_infinity, tally.positive_infinity[c]);
        cuda::shared_count(&counts(c).negative_infinity, tally.negative_infinity[c]);
        if (tally.not_negative_zero[c]) cuda::shared_mark(counts(c).not_negative_zero);
    }
#pragma unroll 1
    for (int offset = 16; offset > 0; offset /= 2) {
        exact::extrema_state other;
        other.min_key = __shfl_down_sync(whole_warp, tally.extrema.min_key, offset);
        other.min_index = __shfl_down_sync(whole_warp, tally.extrema.min_index, offset);
        other.max_key = __shfl_down_sync(whole_warp, tally.extrema.max_key, offset);
        other.max_index = __shfl_down_sync(whole_warp, tally.extrema.max_index, offset);
        other.first_nan = __shfl_down_sync(whole_warp, tally.extrema.first_nan, offset);
        tally.extrema.merge(other);
    }
    __syncwarp();
    if (lane_number() == 0) extrema().merge(tally.extrema);
    __syncwarp();
}

} // namespace steadfold::inline v0::segmented
