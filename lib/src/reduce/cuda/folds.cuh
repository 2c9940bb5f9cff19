// A thread's folds: integers that sum the parts of its elements, under one window.
#pragma once

#include "exact/window.hpp"
#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/element.cuh"

namespace steadfold::inline v0::cuda {

inline constexpr int fold_spacing = 42;

/// `Count` folds of `Components` interleaved components; with Negative also the folds of the negative elements alone,
/// from which sum |v| = sum v - 2 (sum of the negative v).
/// With Errors every value is followed by its rounding error, which the first fold does not see.
///
/// `digits` sum bits(x + M) as they are; what M itself added is taken off once, when they are flushed.
template <int Count, int Components, bool Negative, bool Errors>
struct thread_folds {
    double magic[Count];
    std::uint64_t digits[Components][Count] = {};
    std::int64_t negative[Negative ? Components : 1][Count] = {};
    int top;
    std::uint32_t values = 0; // of each component, since the last flush

    __device__ static exact::fold_window window(int top, int floor) {
        return exact::make_window(top, fold_spacing, floor);
    }

    __device__ void aim(int new_top, int floor) {
        exact::fold_window const w = window(new_top, floor);
        top = new_top;
        for (int i = 0; i < Count; ++i) magic[i] = __longlong_as_double(static_cast<long long>(w.magic_bits[i]));
    }

    /// Folds from `First` on; returns what is left of x.
    template <int First = 0>
    __device__ double fold(double x, int component) {
        std::int64_t const sign = Negative ? __double_as_longlong(x) >> 63 : 0;
#pragma unroll
        for (int i = First; i < Count; ++i) {
            double const t = __dadd_rn(x, magic[i]);
            digits[component][i] += bits_of(t);
            if constexpr (Negative)
                negative[component][i] += (__double_as_longlong(t) - __double_as_longlong(magic[i])) & sign;
            x = __dsub_rn(x, __dsub_rn(t, magic[i]));
        }
        return x;
    }

    /// The same arithmetic without adding: what fold() left of x.
    template <int First = 0>
    __device__ double rest(double x) const {
#pragma unroll
        for (int i = First; i < Count; ++i) x = __dsub_rn(x, __dsub_rn(__dadd_rn(x, magic[i]), magic[i]));
        return x;
    }

    /// Moves the digits into shared limbs, one thread at a time.
    __device__ void flush(std::uint64_t* const (&limbs)[Components],
                          std::uint64_t* const (&magnitude_limbs)[Components], int anchor, int floor) {
        exact::fold_window const w = take_off_magic(floor);
#pragma unroll
        for (int c = 0; c < Components; ++c)
#pragma unroll
            for (int i = 0; i < Count; ++i) {
                auto const digit = static_cast<std::int64_t>(digits[c][i]);
                exact::deposit(limbs[c], anchor, digit, w.exponent[i], shared_add{});
                digits[c][i] = 0;
                if constexpr (Negative) {
                    exact::deposit(magnitude_limbs[c], anchor, digit - 2 * negative[c][i], w.exponent[i], shared_add{});
                    negative[c][i] = 0;
                }
            }
    }

    /// The same for all threads of the block, whose windows are equal: sums the warp first, in two halves so that no
    /// sum can overflow.
    __device__ void flush_warps(std::uint64_t* const (&limbs)[Components],
                                std::uint64_t* const (&magnitude_limbs)[Components], int anchor, int floor) {
        exact::fold_window const w = take_off_magic(floor);
#pragma unroll
        for (int c = 0; c < Components; ++c)
#pragma unroll
            for (int i = 0; i < Count; ++i) {
                auto const digit = static_cast<std::int64_t>(digits[c][i]);
                deposit_warp(digit, limbs[c], anchor, w.exponent[i]);
                if constexpr (Negative)
                    deposit_warp(digit - 2 * negative[c][i], magnitude_limbs[c], anchor, w.exponent[i]);
            }
    }

  private:
    /// Leaves the digits alone in `digits`. Sums wrap around at 2^64, the digits do not.
    __device__ exact::fold_window take_off_magic(int floor) {
        exact::fold_window const w = window(top, floor);
#pragma unroll
        for (int c = 0; c < Components; ++c)
#pragma unroll
            for (int i = 0; i < Count; ++i) {
                std::uint64_t const times = Errors && i > 0 ? 2ull * values : values;
                digits[c][i] -= times * w.magic_bits[i];
            }
        values = 0;
        return w;
    }

    __device__ static void deposit_warp(std::int64_t value, std::uint64_t* limbs, int anchor, int exponent) {
        std::int64_t low = value & 0xffffffff, high = value >> 32;
        for (int offset = 16; offset > 0; offset /= 2) {
            low += __shfl_xor_sync(0xffffffffu, low, offset);
            high += __shfl_xor_sync(0xffffffffu, high, offset);
        }
        if (threadIdx.x % 32 != 0) return;
        exact::deposit(limbs, anchor, low, exponent, shared_add{});
        exact::deposit(limbs, anchor, high, exponent + 32, shared_add{});
    }
};

} // namespace steadfold::inline v0::cuda
