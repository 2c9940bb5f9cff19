// One output gathered by a warp in shared memory, exactly and from any data: rounded there, or added to a record.
#pragma once

#include "reduce/cuda/limb_span.cuh"
#include "segmented/cuda/element_store.cuh"
#include "segmented/cuda/record.cuh"
#include "segmented/cuda/write_result.cuh"

namespace steadfold::inline v0::segmented {

/// All functions are for a whole warp.
class warp_store : public element_store {
  public:
    using element_store::element_store;

    __device__ void clear();
    /// Rounds what was gathered of `elements` elements, and writes it. Leaves the store in pieces.
    __device__ void finish(std::int64_t output, std::int64_t elements);

    /// The whole output in one go, from any data.
    __device__ void reduce(std::int64_t output, element_range const& range) {
        clear();
        add(range);
        finish(output, range.count);
    }

    /// Adds what was gathered to a record.
    __device__ void merge_into(std::uint64_t* record) const;
    /// Takes everything out of a record, which is left empty. Only the warp that arrived last may.
    __device__ void take(std::uint64_t* record);
};

__device__ inline void warp_store::clear() {
    for (int i = lane_number(); i < call_.shape.words(); i += 32) words_[i] = 0;
    __syncwarp();
    if (lane_number() == 0) {
        extrema() = exact::extrema_state{};
        if (call_.shape.factors) factors() = reduce_detail::factor_state{};
    }
    __syncwarp();
}

inline __device__ __noinline__ void warp_store::finish(std::int64_t output, std::int64_t elements) {
    store_shape const& shape = call_.shape;
    exact::digit_span spans[2] = {}, products;
#pragma unroll
    for (int c = 0; c < 2; ++c)
        if (shape.sum_limbs > 0 && c < shape.components)
            spans[c] = cuda::normalised_span(sums(c), shape.sum_limbs, shape.sum_anchor);
    if (shape.product_limbs > 0)
        products = cuda::normalised_span(words_ + shape.products_at(), shape.product_limbs, shape.product_anchor);
    if (lane_number() == 0) {
        reduce_detail::state_view& view = area().view;
        view = reduce_detail::state_view{};
        view.elements = elements;
        view.extrema = &extrema();
#pragma unroll
        for (int c = 0; c < 2; ++c) {
            view.component[c].counts = &counts(c);
            (shape.magnitudes ? view.component[c].magnitudes : view.component[c].sum) = spans[c];
        }
        view.component[0].products = products;
        if (shape.factors) {
            view.bits = &factors().bits;
            view.product = &factors().product;
        }
        result_value const result = reduce_detail::evaluate(call_.op, view, call_.finish, area().scratch);
        auto const* const bits = reinterpret_cast<std::uint64_t const*>(&result.bits);
        write_result(call_, output, bits[0], bits[1], result.status);
    }
    __syncwarp();
}

inline __device__ __noinline__ void warp_store::merge_into(std::uint64_t* record) const {
    store_shape const& shape = call_.shape;
    // One carry step in parallel keeps every addend below 2^33, so that 2^29 warps may add.
    auto const add_limbs = [&](int first, int count) {
        for (int i = lane_number(); i < count; i += 32) {
            std::uint64_t const* limb = words_ + first + i;
            std::uint64_t const carry =
                i == 0 ? 0 : static_cast<std::uint64_t>(static_cast<std::int64_t>(limb[-1]) >> 32);
            cuda::device_add(record + first + i, (i + 1 < count ? limb[0] & 0xffffffffu : limb[0]) + carry);
        }
    };
    for (int c = 0; c < shape.components; ++c) add_limbs(c * shape.sum_limbs, shape.sum_limbs);
    add_limbs(shape.products_at(), shape.product_limbs);
    for (int i = shape.limbs() + lane_number(); i < shape.extrema_at(); i += 32)
        cuda::device_add(record + i, words_[i]);
    if (lane_number() == 0) merge_extrema(call_, record, extrema());
    __syncwarp();
}

inline __device__ __noinline__ void warp_store::take(std::uint64_t* record) {
    exact::extrema_state const none;
    auto const* const empty = reinterpret_cast<std::uint64_t const*>(&none);
    int const extrema_at = call_.shape.extrema_at();
    for (int i = lane_number(); i < call_.shape.factors_at(); i += 32) {
        std::uint64_t const word = __ldcg(record + i);
        words_[i] = i < extrema_at ? word : word ^ empty[i - extrema_at];
        __stcg(record + i, std::uint64_t{0});
    }
    __syncwarp();
}

} // namespace steadfold::inline v0::segmented
