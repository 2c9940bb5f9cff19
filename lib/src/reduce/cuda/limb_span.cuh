// The digits of limbs that one warp can reach: normalised, without the zeros at either end.
#pragma once

#include "exact/leading.hpp"

#include <cstdint>

namespace steadfold::inline v0::cuda {

/// Where the non-zero limbs are.
struct limb_range {
    int first = 0, last = -1;
};

/// One warp.
__device__ inline limb_range non_zero_limbs(std::uint64_t const* limbs, int count) {
    limb_range range;
#pragma unroll 1
    for (int i = 0; i < count; i += 32) {
        int const limb = i + static_cast<int>(threadIdx.x % 32);
        unsigned const used = __ballot_sync(0xffffffffu, limb < count && limbs[limb] != 0);
        if (used == 0) continue;
        if (range.last < 0) range.first = i + __ffs(static_cast<int>(used)) - 1;
        range.last = i + 31 - __clz(static_cast<int>(used));
    }
    return range;
}

/// Normalises limbs in place where they are not zero; the last limb of the span holds the sign. One warp.
__device__ inline exact::digit_span normalised_span(std::uint64_t* limbs, int count, int anchor) {
    limb_range range = non_zero_limbs(limbs, count);
    if (range.last < 0) return {limbs, 0, anchor};
    range.last = ::min(range.last + 1, count - 1);
    if (threadIdx.x % 32 == 0) {
        std::int64_t carry = 0;
#pragma unroll 1
        for (int i = range.first; i < range.last; ++i) {
            std::int64_t const value = static_cast<std::int64_t>(limbs[i]) + carry;
            limbs[i] = static_cast<std::uint64_t>(value) & 0xffffffffu;
            carry = value >> 32;
        }
        limbs[range.last] += static_cast<std::uint64_t>(carry);
    }
    __syncwarp();
    return {limbs + range.first, range.last - range.first + 1, anchor + 32 * range.first};
}

} // namespace steadfold::inline v0::cuda
