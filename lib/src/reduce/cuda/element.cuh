// Elements as the kernels see them: 16-byte vectors taken apart into exact float64 values.
#pragma once

#include "exact/element.hpp"
#include "reduce/cuda/ptx.cuh"
#include "steadfold/dtype.hpp"

#include <cstdint>

namespace steadfold::inline v0::cuda {

/// One vector load: four 32-bit words.
struct alignas(16) vector16 {
    std::uint32_t word[4];
};

/// How a component is stored and widened.
template <dtype Real>
struct element;

template <>
struct element<dtype::float64> {
    using storage = double;
    __device__ static double at(vector16 const& v, int i) {
        return __hiloint2double(static_cast<int>(v.word[2 * i + 1]), static_cast<int>(v.word[2 * i]));
    }
    __device__ static double of(storage x) { return x; }
    template <class Value>
    __device__ static Value as(vector16 const& v, int i) {
        return at(v, i);
    }
};

template <>
struct element<dtype::float32> {
    using storage = float;
    __device__ static double at(vector16 const& v, int i) { return widen(__uint_as_float(v.word[i])); }
    __device__ static double of(storage x) { return widen(x); }
    template <class Value>
    __device__ static Value as(vector16 const& v, int i) {
        if constexpr (sizeof(Value) == 4)
            return __uint_as_float(v.word[i]);
        else
            return at(v, i);
    }
};

template <>
struct element<dtype::float16> {
    using storage = std::uint16_t;
    __device__ static double of(storage x) { return widen(widen_low_half(x)); }
    /// As float32, which holds every half as a normal number, or widened on.
    template <class Value>
    __device__ static Value as(vector16 const& v, int i) {
        std::uint32_t const word = v.word[i / 2];
        float const wide = i % 2 == 0 ? widen_low_half(word) : widen_high_half(word);
        if constexpr (sizeof(Value) == 4)
            return wide;
        else
            return widen(wide);
    }
    __device__ static double at(vector16 const& v, int i) { return as<double>(v, i); }
};

template <>
struct element<dtype::bfloat16> {
    using storage = std::uint16_t;
    __device__ static double of(storage x) { return widen(__uint_as_float(static_cast<std::uint32_t>(x) << 16)); }
    template <class Value>
    __device__ static Value as(vector16 const& v, int i) {
        std::uint32_t const word = v.word[i / 2];
        float const wide = __uint_as_float(i % 2 == 0 ? word << 16 : word & 0xffff0000u);
        if constexpr (sizeof(Value) == 4)
            return wide;
        else
            return widen(wide);
    }
    __device__ static double at(vector16 const& v, int i) { return as<double>(v, i); }
};

template <dtype Real>
inline constexpr int per_vector = static_cast<int>(16 / sizeof(typename element<Real>::storage));

__device__ inline std::uint64_t bits_of(double x) {
    return static_cast<std::uint64_t>(__double_as_longlong(x));
}

/// High word of the magnitude: enough to compare with powers of two.
__device__ inline std::uint32_t magnitude_high(double x) {
    return static_cast<std::uint32_t>(__double2hiint(x)) & 0x7fffffffu;
}

/// High word of 2^exponent.
__device__ constexpr std::uint32_t high_of_power(int exponent) {
    return static_cast<std::uint32_t>(exponent + 1023) << 20;
}

inline constexpr std::uint32_t high_of_infinity = 0x7ff00000u;

__device__ inline bool is_special(double x) {
    return magnitude_high(x) >= high_of_infinity;
}
__device__ inline bool is_negative_zero(double x) {
    return bits_of(x) == exact::negative_zero_bits;
}

} // namespace steadfold::inline v0::cuda
