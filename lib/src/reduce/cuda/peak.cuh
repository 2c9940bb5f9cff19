// The largest magnitude of a batch, in as few instructions as each type allows, and what it says about windows.
#pragma once

#include "exact/window.hpp"
#include "reduce/cuda/element.cuh"

namespace steadfold::inline v0::cuda {

// The high word of a float64 is compared as a float32: it is ordered like one, and the patterns that are NaN there
// belong to values above 2^1017, which no window takes.

template <dtype Real>
__device__ std::uint32_t max_magnitude16(std::uint32_t a, std::uint32_t b) {
    if constexpr (Real == dtype::float16)
        return max_magnitude_of_halves(a, b);
    else
        return max_magnitude_of_bfloat16s(a, b);
}

/// Upper bits of the largest magnitude: the high word of float64, the bits of narrower types. NaN is above Inf.
template <dtype Real, int Count>
__device__ std::uint32_t peak_of(vector16 const (&x)[Count]) {
    if constexpr (Real == dtype::float64 || Real == dtype::float32) {
        float peak = 0;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int w = Real == dtype::float64 ? 1 : 0; w < 4; w += Real == dtype::float64 ? 2 : 1)
                peak = max_magnitude(peak, x[u].word[w]);
        return __float_as_uint(peak);
    } else {
        std::uint32_t peak = 0;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int w = 0; w < 4; ++w) peak = max_magnitude16<Real>(peak, x[u].word[w]);
        return ::max(peak >> 16, peak & 0xffffu);
    }
}

/// The smallest magnitude that is not 0 of some 16-bit values, in an order where no such value is the largest of all.
struct least_magnitude {
    std::int32_t rank = 0x7fff; // bits - 1 - 2^15

    __device__ static least_magnitude of_bits(int magnitude) { return {magnitude - 1 - 0x8000}; }
    [[nodiscard]] __device__ bool is_below(least_magnitude other) const { return rank < other.rank; }
};

struct magnitude_range16 {
    std::uint32_t peak; // as peak_of
    least_magnitude least;
};

template <int Count>
__device__ magnitude_range16 magnitude_range_of(vector16 const (&x)[Count]) {
    std::uint32_t peak = 0, least = 0x7fff7fffu;
#pragma unroll
    for (int u = 0; u < Count; ++u)
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            std::uint32_t const magnitudes = x[u].word[w] | 0x80008000u;
            peak = __vmaxu2(peak, magnitudes);
            least = __vmins2(least, magnitudes - 0x00010001u); // no borrow between the halves; 0 gives 2^15 - 1
        }
    return {::max(peak >> 16, peak & 0xffffu) & 0x7fffu,
            {::min(static_cast<std::int16_t>(least & 0xffffu), static_cast<std::int16_t>(least >> 16))}};
}

/// Exponent bits of the peak and the bias: |x| < 2^(top_of_peak).
template <dtype Real>
struct peak_format;
template <>
struct peak_format<dtype::float64> {
    static constexpr int fraction = 20, bias = 1023;
};
template <>
struct peak_format<dtype::float32> {
    static constexpr int fraction = 23, bias = 127;
};
template <>
struct peak_format<dtype::float16> {
    static constexpr int fraction = 10, bias = 15;
};
template <>
struct peak_format<dtype::bfloat16> {
    static constexpr int fraction = 7, bias = 127;
};

/// Smallest top whose half-open window holds the peak; above every window for Inf and NaN.
template <dtype Real>
__device__ int top_of_peak(std::uint32_t peak) {
    using format = peak_format<Real>;
    int const field = static_cast<int>(peak >> format::fraction);
    return field > 2 * format::bias ? 100000 : field + 1 - format::bias;
}

/// Peaks below it are inside the window.
template <dtype Real>
__device__ std::uint32_t limit_of_top(int top) {
    using format = peak_format<Real>;
    return static_cast<std::uint32_t>(top + format::bias) << format::fraction;
}

/// Peaks below it are finite.
template <dtype Real>
inline constexpr std::uint32_t limit_of_infinity = static_cast<std::uint32_t>(2 * peak_format<Real>::bias + 1)
                                                   << peak_format<Real>::fraction;

/// Lowest top a window may have: limit_of_top must be a normal number, and M must be one.
template <dtype Real>
inline constexpr int lowest_top = Real == dtype::float64   ? -1000
                                  : Real == dtype::float16 ? 16 // one window holds them all
                                                           : 2 - peak_format<Real>::bias;

} // namespace steadfold::inline v0::cuda
