// Narrower floating-point numbers as float64. Part of tile_kernels.cpp.
#pragma once

#include "reduce/host/tile_vectors.hpp"

namespace {

// convert(from, n, to) for blocks of the tile, each after requests for the same block of the next tile. In order:
// streams of loads and stores that lie whole pages apart would be taken for one another.
template <class Source, class Convert>
inline void widen(void const* x, int n, double* out, Convert const& convert) {
    constexpr int block = tile_elements / 8, size = sizeof(Source);
    auto const* const bytes = static_cast<char const*>(x);
    for (int i = 0; i < n; i += block) {
        int const length = n - i < block ? n - i : block;
        for (int j = 0; j < length; j += 8 * line / size) prefetch_next_tile(bytes + size * (i + j), size);
        convert(bytes + size * i, length, out + i);
    }
}

template <class Source>
inline Source at(char const* bytes, int i) { // of any alignment
    Source value;
    __builtin_memcpy(&value, bytes + static_cast<int>(sizeof value) * i, sizeof value);
    return value;
}

inline double half_as_double(std::uint16_t half) {
    std::uint64_t const size = half & 0x7fffu, sign = static_cast<std::uint64_t>(half & 0x8000u) << 48;
    std::uint64_t const special = 0x7ff0000000000000u | (size << 42);
    std::uint64_t const normal = (size << 42) + (std::uint64_t{1008} << 52);
    std::uint64_t const subnormal = bits_of(static_cast<double>(static_cast<std::int32_t>(size)) * 0x1p-24);
    std::uint64_t const bits = sign | (size >= 0x7c00u ? special : size < 0x400u ? subnormal : normal);
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

void widen_float(void const* x, int n, double* out) {
    widen<float>(x, n, out, [](char const* from, int length, double* to) {
        for (int i = 0; i < length; ++i) to[i] = at<float>(from, i);
    });
}

void widen_half(void const* x, int n, double* out) {
    widen<std::uint16_t>(x, n, out, [](char const* from, int length, double* to) {
        int i = 0;
#if STEADFOLD_FUSED
        for (; i + 4 <= length; i += 4) {
            __m128i const four = _mm_loadl_epi64(reinterpret_cast<__m128i const*>(from + 2 * i));
            _mm256_storeu_pd(to + i, _mm256_cvtps_pd(_mm_cvtph_ps(four)));
        }
#endif
        for (; i < length; ++i) to[i] = half_as_double(at<std::uint16_t>(from, i));
    });
}

void widen_bfloat16(void const* x, int n, double* out) {
    widen<std::uint16_t>(x, n, out, [](char const* from, int length, double* to) {
        for (int i = 0; i < length; ++i) {
            std::uint32_t const word = static_cast<std::uint32_t>(at<std::uint16_t>(from, i)) << 16;
            float value;
            __builtin_memcpy(&value, &word, sizeof value);
            to[i] = value;
        }
    });
}

} // namespace
