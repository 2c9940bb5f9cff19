// Stands in for the library's header of this name where kernels run on the CPU.
#pragma once

#include "steadfold/dtype.hpp"
#include "support/number_formats.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace steadfold::inline v0::cuda {

inline double widen(float x) {
    return static_cast<double>(x);
}
inline float narrow(double x) {
    return static_cast<float>(x);
}
inline float widen_low_half(std::uint32_t word) {
    return static_cast<float>(oracle::decode(word & 0xffffu, dtype::float16));
}
inline float widen_high_half(std::uint32_t word) {
    return static_cast<float>(oracle::decode(word >> 16, dtype::float16));
}

inline float max_magnitude(float a, std::uint32_t b) {
    float const magnitude = std::fabs(std::bit_cast<float>(b));
    return std::isnan(a) || std::isnan(magnitude) ? std::bit_cast<float>(0x7fffffffu) : std::fmax(a, magnitude);
}
inline float min_magnitude(float a, std::uint32_t b) {
    return std::fmin(a, std::fabs(std::bit_cast<float>(b)));
}

/// Magnitudes of 16-bit floating-point numbers are ordered like their bits, NaN behind Inf.
inline std::uint32_t max_magnitude_of_halves(std::uint32_t a, std::uint32_t b) {
    std::uint32_t const low = std::max(a & 0xffffu, b & 0x7fffu), high = std::max(a >> 16, (b >> 16) & 0x7fffu);
    return (high << 16) | low;
}
inline std::uint32_t max_magnitude_of_bfloat16s(std::uint32_t a, std::uint32_t b) {
    return max_magnitude_of_halves(a, b);
}

inline std::int64_t add_product(std::int64_t sum, std::int32_t a, std::int32_t b) {
    return sum + std::int64_t{a} * b;
}
inline std::int64_t add_product(std::int64_t sum, std::uint32_t a, std::uint32_t b) {
    return sum + static_cast<std::int64_t>(std::uint64_t{a} * b);
}

inline std::uint32_t byte_signs(std::uint32_t word, unsigned selector) {
    std::uint32_t result = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned const digit = selector >> (4 * i) & 15u, byte = word >> (8 * (digit & 3u)) & 255u;
        result |= (digit < 8 ? byte : byte >= 128 ? 255u : 0u) << (8 * i);
    }
    return result;
}
inline constexpr unsigned signs_of_bytes = 0xba98, signs_of_halves = 0xbb99, signs_of_words = 0xbbbb,
                          signs_of_halves_as_bytes = 0xb9;

template <class Value>
void keep(Value&) {}
template <class Value>
void load_early(Value const&) {}

inline float smaller(float a, float b) {
    return std::isnan(a) || std::isnan(b) ? std::bit_cast<float>(0x7fffffffu) : std::fmin(a, b);
}
inline float larger(float a, float b) {
    return std::isnan(a) || std::isnan(b) ? std::bit_cast<float>(0x7fffffffu) : std::fmax(a, b);
}

inline void let_next_kernel_prepare() {}
inline void wait_for_kernel_before() {}

} // namespace steadfold::inline v0::cuda
