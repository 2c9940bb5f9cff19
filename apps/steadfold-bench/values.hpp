// Elements of any type as numbers, on the host: for making data and for references, not for what is measured.
#pragma once

#include "steadfold/dtype.hpp"
#include "steadfold/error.hpp"
#include "steadfold/results.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace steadfold::inline v0::app {

template <class T>
inline constexpr bool is_floating_element = !std::is_integral_v<T>;

/// What sums and extrema of T are reported as: float for half and bfloat16, 64 bits for integers.
template <class T>
using sum_type = typename detail::result_types<T>::sum;

/// Exact. Finite numbers only.
[[nodiscard]] inline double to_double(double x) {
    return x;
}
[[nodiscard]] inline double to_double(float x) {
    return x;
}
[[nodiscard]] inline double to_double(bfloat16 x) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}
[[nodiscard]] inline double to_double(half x) {
    std::uint32_t const magnitude = x.bits & 0x7fffu, sign = static_cast<std::uint32_t>(x.bits & 0x8000u) << 16;
    if (magnitude < 0x0400u) { // subnormal
        double const value = magnitude * 0x1p-24;
        return sign != 0 ? -value : value;
    }
    return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
}

/// Nearest, but never beyond the largest finite number; integers towards 0.
template <class T>
[[nodiscard]] T from_double(double x) {
    if constexpr (std::is_same_v<T, bfloat16>) {
        auto const bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
        return {static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
    } else if constexpr (std::is_same_v<T, half>) {
        auto const magnitude = static_cast<float>(std::min(std::fabs(x), 65504.0));
        std::uint32_t const sign = std::signbit(x) ? 0x8000u : 0u, bits = std::bit_cast<std::uint32_t>(magnitude);
        if (magnitude < 0x1p-14f)
            return {static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::lrint(magnitude * 0x1p24f)))};
        std::uint32_t const rebased = bits - (112u << 23);
        return {static_cast<std::uint16_t>(sign | ((rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13))};
    } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
        using limits = std::numeric_limits<T>;
        return static_cast<T>(std::clamp<double>(x, limits::min(), limits::max()));
    } else {
        return static_cast<T>(x);
    }
}

/// Calls work(T{}) for the C++ type of an element that is measured.
/// @throws argument_error for the other types
template <class Work>
auto with_element_type(dtype type, Work const& work) {
    switch (type) {
    case dtype::float64:
        return work(double{});
    case dtype::float32:
        return work(float{});
    case dtype::float16:
        return work(half{});
    case dtype::bfloat16:
        return work(bfloat16{});
    case dtype::int8:
        return work(std::int8_t{});
    case dtype::int16:
        return work(std::int16_t{});
    case dtype::int32:
        return work(std::int32_t{});
    case dtype::int64:
        return work(std::int64_t{});
    default:
        throw argument_error("steadfold-bench does not measure " + std::string(name(type)));
    }
}

} // namespace steadfold::inline v0::app
