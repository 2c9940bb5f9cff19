/// Element types known at run time, and the storage types C++20 lacks.
///
///     static_assert(sf::dtype_of<double> == sf::dtype::float64);
///     std::puts(std::string(sf::name(sf::parse_dtype("f4"))).c_str());   // float32
#pragma once

#include "steadfold/bits.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace steadfold {
inline namespace v0 {

/// IEEE binary16, storage only; the layout of CUDA's `__half`.
struct half {
    std::uint16_t bits;
};

/// bfloat16, storage only; the layout of CUDA's `__nv_bfloat16`.
struct bfloat16 {
    std::uint16_t bits;
};

enum class dtype : std::uint8_t {
    float64,
    float32,
    float16,
    bfloat16,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    complex64,
    complex128,
};

/// Number of enumerators of `dtype`.
inline constexpr int dtype_count = 14;

/// Canonical name, e.g. "float64".
[[nodiscard]] std::string_view name(dtype type) noexcept;

/// Reads a name ("float64", "double", "f8", "int32", "i4", "bf16", "c16", ...; NumPy's short forms count bytes).
/// @throws argument_error naming the text and the accepted names
[[nodiscard]] dtype parse_dtype(std::string_view text);

/// Bytes of one element; both parts of a complex one.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::size_t size_bytes(dtype type) noexcept {
    switch (type) {
    case dtype::int8:
    case dtype::uint8:
        return 1;
    case dtype::float16:
    case dtype::bfloat16:
    case dtype::int16:
    case dtype::uint16:
        return 2;
    case dtype::float32:
    case dtype::int32:
    case dtype::uint32:
        return 4;
    case dtype::complex128:
        return 16;
    default:
        return 8;
    }
}

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr bool is_complex(dtype type) noexcept {
    return type == dtype::complex64 || type == dtype::complex128;
}

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr bool is_integer(dtype type) noexcept {
    return type >= dtype::int8 && type <= dtype::uint64;
}

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr bool is_signed_integer(dtype type) noexcept {
    return type >= dtype::int8 && type <= dtype::int64;
}

/// float16, bfloat16, float32 and float64.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr bool is_real_floating(dtype type) noexcept {
    return type <= dtype::bfloat16;
}

/// 2 for complex types, else 1.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int component_count(dtype type) noexcept {
    return is_complex(type) ? 2 : 1;
}

/// The type of one part of a complex type; any other type is its own component.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr dtype component_type(dtype type) noexcept {
    if (type == dtype::complex64) return dtype::float32;
    return type == dtype::complex128 ? dtype::float64 : type;
}

namespace detail {
template <class T>
consteval dtype dtype_for() {
    if constexpr (std::is_same_v<T, double>)
        return dtype::float64;
    else if constexpr (std::is_same_v<T, float>)
        return dtype::float32;
    else if constexpr (std::is_same_v<T, half>)
        return dtype::float16;
    else if constexpr (std::is_same_v<T, bfloat16>)
        return dtype::bfloat16;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        return dtype::complex64;
    else if constexpr (std::is_same_v<T, std::complex<double>>)
        return dtype::complex128;
    else {
        static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>, "not an element type steadfold knows");
        constexpr int step = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return static_cast<dtype>(static_cast<int>(std::is_signed_v<T> ? dtype::int8 : dtype::uint8) + step);
    }
}
} // namespace detail

/// The `dtype` of a C++ type; ill-formed for types steadfold does not reduce.
template <class T>
inline constexpr dtype dtype_of = detail::dtype_for<std::remove_cv_t<T>>();

} // namespace v0
} // namespace steadfold
