// A thread's folds (EXACT.md, "Folds"): integers that sum the parts of its values under one window.
//
// A run of a few values is added to M in float64, one after the other: what each changes the sum by is its digit, and
// exact while the sum stays next to M. The bits of the run's sum go to a digit sum as they are; what M itself added is
// taken off when that is read. Rests are kept with their sign turned, digit - x: so the rest of -0 is +0 like any other
// empty rest, and a rest is there exactly if its bits are not zero. Which way a tie goes depends on the run so far:
// whoever wants the rests again must go through the run again.
#pragma once

#include "exact/window.hpp"
#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/element.cuh"

namespace steadfold::inline v0::cuda {

/// x with its sign turned where y is negative.
__device__ inline double with_sign_of(double x, double y) {
    return __hiloint2double(__double2hiint(x) ^ (__double2hiint(y) & static_cast<int>(0x80000000u)), __double2loint(x));
}

/// Folds in float64, `spacing` bits apart.
template <int Count, int Spacing>
struct float64_window {
    static constexpr int spacing = Spacing, folds = Count;
    /// Values of a run: their digits, of at most 2^(spacing - 1), must not reach beyond 2^51.
    static constexpr int most_of_run = 1 << (52 - spacing);
    /// Values of one thread: half of what a digit sum has room for.
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

/// The folds of a run.
template <class Window>
struct digit_run {
    double sum[Window::folds];

    __device__ explicit digit_run(Window const& window) {
#pragma unroll
        for (int i = 0; i < Window::folds; ++i) sum[i] = window.magic[i];
    }

    /// Adds x under the folds from First on; returns the turned rest.
    template <int First = 0, int Last = Window::folds>
    __device__ double add(double x) {
        double rest = __dsub_rn(next(First, __dadd_rn(sum[First], x)), x);
#pragma unroll
        for (int i = First + 1; i < Last; ++i) rest = __dadd_rn(next(i, __dsub_rn(sum[i], rest)), rest);
        return rest;
    }

    /// Adds x, of which nothing is left, under the only fold.
    __device__ void add_whole(double x) {
        static_assert(Window::folds == 1);
        sum[0] = __dadd_rn(sum[0], x);
    }

    /// Adds x here and |x| to `magnitudes`, whose digits differ in signs only; returns the turned rest of x.
    __device__ double add_both(double x, digit_run& magnitudes) {
        double digit = next(0, __dadd_rn(sum[0], x)), rest = __dsub_rn(digit, x);
        magnitudes.sum[0] = __dadd_rn(magnitudes.sum[0], fabs(digit)); // its sign is that of x
#pragma unroll
        for (int i = 1; i < Window::folds; ++i) {
            digit = next(i, __dsub_rn(sum[i], rest));
            magnitudes.sum[i] = __dadd_rn(magnitudes.sum[i], with_sign_of(digit, x));
            rest = __dadd_rn(digit, rest);
        }
        return rest;
    }

  private:
    /// Moves the sum of fold i on: the digit.
    __device__ double next(int i, double to) {
        double const digit = __dsub_rn(to, sum[i]);
        sum[i] = to;
        return digit;
    }
};

/// The digit sums of a thread's runs.
template <class Window>
struct float64_digits {
    std::uint64_t sum[Window::folds] = {};

    __device__ void take(digit_run<Window> const& run) {
#pragma unroll
        for (int i = 0; i < Window::folds; ++i) sum[i] += bits_of(run.sum[i]);
    }

    /// The digit sum alone, after so many runs. Sums wrap around at 2^64, digits do not.
    __device__ std::int64_t digits(int i, Window const& window, std::uint32_t runs) const {
        std::uint32_t const added = runs * static_cast<std::uint32_t>(__double2hiint(window.magic[i]));
        return static_cast<std::int64_t>(sum[i] - (static_cast<std::uint64_t>(added) << 32));
    }
};

/// A rest as bits that are zero exactly if it is.
__device__ inline std::uint32_t rest_bits(double rest) {
    return static_cast<std::uint32_t>(__double2hiint(rest)) | static_cast<std::uint32_t>(__double2loint(rest));
}

} // namespace steadfold::inline v0::cuda
