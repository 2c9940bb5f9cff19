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

template <int Count>
struct float64_digits;
struct float32_digits;

/// Folds in float64, `spacing` bits apart: 2^(63 - 47) = 2^16 values fit a digit sum.
template <int Count>
struct float64_window {
    using value_type = double;
    using digits_type = float64_digits<Count>;
    static constexpr bool is_narrow = false;
    static constexpr int spacing = 48, folds = Count;
    static constexpr std::uint32_t most_values = 1u << 15; // of one thread between two flushes

    double magic[Count];

    __device__ static exact::fold_window constants(int top, int floor) {
        return exact::make_window(top, spacing, floor);
    }
    __device__ void aim(int top, int floor) {
        exact::fold_window const w = constants(top, floor);
#pragma unroll
        for (int i = 0; i < Count; ++i) magic[i] = __longlong_as_double(static_cast<long long>(w.magic_bits[i]));
    }
};

template <int Count>
struct float64_digits {
    std::uint64_t sum[Count] = {};

    /// Adds x under the folds from First on; returns the turned rest.
    template <int First = 0, int Last = Count>
    __device__ double add(double x, float64_window<Count> const& window) {
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

    /// Digit sums alone, after `values` values. Sums wrap around at 2^64, digits do not.
    __device__ std::int64_t digits(int i, exact::fold_window const& w, std::uint32_t values) const {
        return static_cast<std::int64_t>(sum[i] - values * w.magic_bits[i]);
    }
};

/// A rest as bits that are zero exactly if it is.
__device__ inline std::uint32_t rest_bits(double rest) {
    return static_cast<std::uint32_t>(__double2hiint(rest)) | static_cast<std::uint32_t>(__double2loint(rest));
}
__device__ inline std::uint32_t rest_bits(float rest) {
    return __float_as_uint(rest);
}

/// Folds in float32 for 16-bit types, 21 bits apart: float64 units could not keep up with two bytes an element. Digits
/// of 2^20 are summed in 32 bits and moved to 64 every 2^10 values.
struct float32_window {
    using value_type = float;
    using digits_type = float32_digits;
    static constexpr bool is_narrow = true; // digit sums of 32 bits
    static constexpr int spacing = 21, folds = 2;
    static constexpr std::uint32_t most_values = 1u << 10;

    float magic[2];

    __device__ static exact::fold_window constants(int top, int floor) {
        exact::fold_window w = exact::make_window(top, spacing, floor);
        for (int i = 0; i < folds; ++i)
            w.magic_bits[i] = (static_cast<std::uint64_t>(w.exponent[i] + 23 + 127) << 23) | (1u << 22);
        return w;
    }
    __device__ void aim(int top, int floor) {
        exact::fold_window const w = constants(top, floor);
#pragma unroll
        for (int i = 0; i < folds; ++i) magic[i] = __uint_as_float(static_cast<std::uint32_t>(w.magic_bits[i]));
    }
};

struct float32_digits {
    std::uint32_t sum[2] = {};

    __device__ float add(float x, float32_window const& window) {
        float t = __fadd_rn(x, window.magic[0]);
        sum[0] += __float_as_uint(t);
        float rest = __fsub_rn(__fsub_rn(t, window.magic[0]), x);
        t = __fsub_rn(window.magic[1], rest);
        sum[1] += __float_as_uint(t);
        return __fadd_rn(__fsub_rn(t, window.magic[1]), rest);
    }

    __device__ std::int64_t digits(int i, exact::fold_window const& w, std::uint32_t values) const {
        return static_cast<std::int32_t>(sum[i] - values * static_cast<std::uint32_t>(w.magic_bits[i]));
    }
};

} // namespace steadfold::inline v0::cuda
