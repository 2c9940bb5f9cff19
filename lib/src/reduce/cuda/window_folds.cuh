// A thread's folds (EXACT.md, "Folds"): integers that sum the parts of its values under one window.
//
// One fold adds bits(x + M) to a digit sum as they are; what M itself added is taken off when the sum is read. Rests
// are kept with their sign turned, (t - M) - x: so the rest of -0 is +0 like any other empty rest, and a rest is there
// exactly if its bits are not zero.
#pragma once

#include "exact/window.hpp"
#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/element.cuh"

namespace steadfold::inline v0::cuda {

/// x with its sign turned where y is negative.
__device__ inline double with_sign_of(double x, double y) {
    return __hiloint2double(__double2hiint(x) ^ (__double2hiint(y) & static_cast<int>(0x80000000u)), __double2loint(x));
}

template <class Window>
struct float64_digits;

/// Folds in float64, `spacing` bits apart.
template <int Count, int Spacing>
struct float64_window {
    using digits_type = float64_digits<float64_window>;
    static constexpr int spacing = Spacing, folds = Count;
    /// What a digit sum of one thread has room for.
    static constexpr std::uint32_t most_parts = 1u << (63 - spacing);

    double magic[Count];

    /// Unit of fold i, as the exponent of a power of two.
    __device__ static int exponent(int top, int floor, int i) {
        return ::max(floor, top - (spacing - 1) - i * spacing);
    }
    __device__ void aim(int top, int floor) {
#pragma unroll
        for (int i = 0; i < Count; ++i)
            magic[i] = __hiloint2double(((exponent(top, floor, i) + 52 + 1023) << 20) | (1 << 19), 0);
    }
};

template <class Window>
struct float64_digits {
    std::uint64_t sum[Window::folds] = {};

    /// Adds x under the folds from First on; returns the turned rest.
    template <int First = 0, int Last = Window::folds>
    __device__ double add(double x, Window const& window) {
        double t = __dadd_rn(x, window.magic[First]);
        sum[First] += bits_of(t);
        double rest = __dsub_rn(__dsub_rn(t, window.magic[First]), x);
#pragma unroll
        for (int i = First + 1; i < Last; ++i) {
            t = __dsub_rn(window.magic[i], rest);
            sum[i] += bits_of(t);
            rest = __dadd_rn(__dsub_rn(t, window.magic[i]), rest);
        }
        return rest;
    }

    /// Adds x, of which nothing is left, under the only fold.
    __device__ void add_whole(double x, Window const& window) {
        static_assert(Window::folds == 1);
        sum[0] += bits_of(__dadd_rn(x, window.magic[0]));
    }

    /// Adds x here and |x| to `magnitudes`, whose folds differ in signs only; returns the turned rest of x.
    __device__ double add_both(double x, Window const& window, float64_digits& magnitudes) {
        double t = __dadd_rn(x, window.magic[0]);
        sum[0] += bits_of(t);
        magnitudes.sum[0] += bits_of(__dadd_rn(fabs(x), window.magic[0]));
        double rest = __dsub_rn(__dsub_rn(t, window.magic[0]), x);
#pragma unroll
        for (int i = 1; i < Window::folds; ++i) {
            t = __dsub_rn(window.magic[i], rest);
            sum[i] += bits_of(t);
            magnitudes.sum[i] += bits_of(__dsub_rn(window.magic[i], with_sign_of(rest, x)));
            rest = __dadd_rn(__dsub_rn(t, window.magic[i]), rest);
        }
        return rest;
    }

    /// The digit sum alone, after `values` values. Sums wrap around at 2^64, digits do not.
    __device__ std::int64_t digits(int i, Window const& window, std::uint32_t values) const {
        std::uint32_t const added = values * static_cast<std::uint32_t>(__double2hiint(window.magic[i]));
        return static_cast<std::int64_t>(sum[i] - (static_cast<std::uint64_t>(added) << 32));
    }
};

/// A rest as bits that are zero exactly if it is.
__device__ inline std::uint32_t rest_bits(double rest) {
    return static_cast<std::uint32_t>(__double2hiint(rest)) | static_cast<std::uint32_t>(__double2loint(rest));
}

} // namespace steadfold::inline v0::cuda
