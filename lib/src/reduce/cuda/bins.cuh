// Exponent bins: what the folds cannot take is added here, one bin for every exponent, with native 32-bit atomics.
//
// A 64-bit atomic add in shared memory is a compare-and-swap loop, and limbs need carries. A bin instead holds a
// value's significand in three words of 18, 18 and 17 bits, so that a word takes thousands of adds of either sign
// before the thread that sees it grow empties it into the block's limbs. Integer arithmetic only: this is also the
// whole path on GPUs with few float64 units.
#pragma once

#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/element.cuh"

namespace steadfold::inline v0::cuda {

/// A finite value taken apart: (high * 2^32 + low) * 2^(field - 1075), high < 2^21; `field` as in a float64.
struct taken_apart {
    std::uint32_t field, high, low;
    bool negative;
};

__device__ inline taken_apart take_apart(double x) {
    auto const high = static_cast<std::uint32_t>(__double2hiint(x));
    std::uint32_t const field = (high >> 20) & 0x7ffu;
    std::uint32_t const hidden = field != 0 ? 0x100000u : 0u;
    return {field != 0 ? field : 1u, (high & 0xfffffu) | hidden, static_cast<std::uint32_t>(__double2loint(x)),
            (high >> 31) != 0};
}

/// In shared memory. Bins of float64 need 24 KiB, of narrower types, whose significands have 24 bits, 2 KiB.
template <bool Float64>
struct exponent_bins {
    static constexpr int first_field = Float64 ? 0 : 872; // float32: 2^-149 has the field 874
    static constexpr int count = Float64 ? 2048 : 288;
    static constexpr int words = Float64 ? 3 : 2;
    static constexpr int lowest_word = 3 - words; // 24 bits reach only the upper two

    std::uint32_t word[words][count];

    /// Adds a value; `limbs` take what outgrows a word. Any thread of the block, at any time.
    __device__ void add(taken_apart const& x, std::uint64_t* limbs, int anchor) {
        std::uint32_t const sign = x.negative ? 0xffffffffu : 0u;
        std::uint32_t const parts[3] = {x.low & 0x3ffffu, __funnelshift_r(x.low, x.high, 18) & 0x3ffffu, x.high >> 4};
        std::uint32_t const bin = x.field - first_field;
        std::uint32_t outgrown = 0;
#pragma unroll
        for (int w = 0; w < words; ++w) {
            std::uint32_t const part = (parts[w + lowest_word] ^ sign) - sign;
            outgrown |= atomicAdd_block(&word[w][bin], part) + part + grown;
        }
        // A thread empties a bin before it adds again, so at most one add of 2^18 a thread comes on top of 2^29.
        if (outgrown >= 2 * grown) empty(static_cast<int>(bin), limbs, anchor);
    }

    /// Moves a bin into the limbs. Adds that happen meanwhile are not lost.
    __device__ void empty(int bin, std::uint64_t* limbs, int anchor) {
#pragma unroll
        for (int w = 0; w < words; ++w) {
            auto const value = static_cast<std::int32_t>(atomicExch_block(&word[w][bin], 0u));
            if (value == 0) continue;
            int const exponent = bin + first_field - 1075 + 18 * (w + lowest_word);
            // Values narrower than float64 have no bits below their own lowest one, only zeros.
            int const below = exponent < anchor ? anchor - exponent : 0;
            exact::deposit(limbs, anchor, static_cast<std::int64_t>(value) >> below, exponent + below, shared_add{});
        }
    }

    /// All threads of the block, after a barrier.
    __device__ void empty_all(std::uint64_t* limbs, int anchor) {
        for (int bin = static_cast<int>(threadIdx.x); bin < count; bin += static_cast<int>(blockDim.x)) {
            std::uint32_t any = 0;
#pragma unroll
            for (int w = 0; w < words; ++w) any |= word[w][bin];
            if (any != 0) empty(bin, limbs, anchor);
        }
    }

  private:
    static constexpr std::uint32_t grown = 1u << 29;
};

} // namespace steadfold::inline v0::cuda
