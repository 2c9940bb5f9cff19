// Products and bits of elements, as a warp gathers them: in an order that only the elements' places decide, since long
// products of floating-point numbers depend on it.
#pragma once

#include "reduce/factors.hpp"

#include <cstddef>
#include <cstdint>

namespace steadfold::inline v0::cuda {

/// An element's bits, in the low ones.
__device__ inline std::uint64_t raw_element(void const* data, std::size_t bytes, std::int64_t i) {
    switch (bytes) {
    case 1:
        return static_cast<std::uint8_t const*>(data)[i];
    case 2:
        return static_cast<std::uint16_t const*>(data)[i];
    case 4:
        return static_cast<std::uint32_t const*>(data)[i];
    default:
        return static_cast<std::uint64_t const*>(data)[i];
    }
}

/// What the lane `offset` above holds.
__device__ inline reduce_detail::factor_state from_above(reduce_detail::factor_state const& mine, int offset) {
    constexpr unsigned all = 0xffffffffu;
    reduce_detail::factor_state other;
    other.bits.all = __shfl_down_sync(all, mine.bits.all, offset);
    other.bits.any = __shfl_down_sync(all, mine.bits.any, offset);
    other.bits.odd = __shfl_down_sync(all, mine.bits.odd, offset);
    other.product.high = __shfl_down_sync(all, mine.product.high, offset);
    other.product.low = __shfl_down_sync(all, mine.product.low, offset);
    other.product.exponent = __shfl_down_sync(all, mine.product.exponent, offset);
    int const flags = __shfl_down_sync(all, int{mine.product.negative} | int{mine.product.inexact} << 1, offset);
    other.product.negative = (flags & 1) != 0;
    other.product.inexact = (flags & 2) != 0;
    return other;
}

/// What all lanes of a warp have; valid in lane 0.
__device__ inline void merge_lanes(reduce_detail::factor_state& mine) {
    for (int offset = 16; offset > 0; offset /= 2) {
        reduce_detail::factor_state const other = from_above(mine, offset);
        if (threadIdx.x % 32 < static_cast<unsigned>(offset)) mine.merge(other);
    }
}

} // namespace steadfold::inline v0::cuda
