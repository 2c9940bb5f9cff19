// Rounding a record by one lane, so that a warp finishes 32 records side by side.
#pragma once

#include "segmented/cuda/warp_store.cuh"

namespace steadfold::inline v0::segmented {

/// Carries through the limbs of a record, in place; the last limb keeps the sign.
__device__ inline exact::digit_span normalised_by_lane(std::uint64_t* limbs, int count, int anchor) {
    std::int64_t carry = 0;
    int first = count;
#pragma unroll 4
    for (int i = 0; i < count; ++i) {
        std::int64_t const value = static_cast<std::int64_t>(__ldcg(limbs + i)) + carry;
        bool const is_last = i + 1 == count;
        std::uint64_t const digit = static_cast<std::uint64_t>(value) & (is_last ? ~std::uint64_t{0} : 0xffffffffu);
        carry = value >> 32;
        limbs[i] = digit;
        if (digit != 0 && first == count) first = i;
    }
    return {limbs + first, count - first, anchor + 32 * first};
}

/// For operations that evaluate without a scratch. Leaves the record empty.
inline __device__ __noinline__ void finish_by_lane(call const& c, std::int64_t output, std::int64_t elements,
                                                   std::uint64_t* record, reduce_detail::evaluation_scratch& not_used) {
    store_shape const& shape = c.shape;
    exact::special_counts counts[2];
    exact::extrema_state extrema;
    auto const copy = [&](void* to, int from, int words, bool complement) {
        exact::extrema_state const none;
        auto const* const empty = reinterpret_cast<std::uint64_t const*>(&none);
        for (int i = 0; i < words; ++i)
            static_cast<std::uint64_t*>(to)[i] = __ldcg(record + from + i) ^ (complement ? empty[i] : 0);
    };
    copy(counts, shape.counts_at(0), 2 * static_cast<int>(sizeof(exact::special_counts) / 8), false);
    copy(&extrema, shape.extrema_at(), static_cast<int>(sizeof(extrema) / 8), true);
    reduce_detail::state_view view;
    view.elements = elements;
    view.extrema = &extrema;
    for (int k = 0; k < 2; ++k) {
        reduce_detail::component_view& part = view.component[k];
        part.counts = counts + k;
        if (shape.sum_limbs > 0 && k < shape.components)
            (shape.magnitudes ? part.magnitudes : part.sum) =
                normalised_by_lane(record + k * shape.sum_limbs, shape.sum_limbs, shape.sum_anchor);
    }
    if (shape.product_limbs > 0)
        view.component[0].products =
            normalised_by_lane(record + shape.products_at(), shape.product_limbs, shape.product_anchor);
    result_value const result = reduce_detail::evaluate(c.op, view, c.finish, not_used);
    auto const* const bits = reinterpret_cast<std::uint64_t const*>(&result.bits);
    write_result(c, output, bits[0], bits[1], result.status);
    for (int i = 0; i < shape.words(); ++i) record[i] = 0;
}

} // namespace steadfold::inline v0::segmented
