#include "io/missing_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace steadfold::inline v0::io_detail {

namespace {
double to_double(double x) {
    return x;
}
double to_double(float x) {
    return x;
}
double to_double(bfloat16 x) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}
double to_double(half x) {
    int const exponent = x.bits >> 10 & 31, mantissa = x.bits & 1023;
    double magnitude = std::ldexp(exponent == 0 ? mantissa : mantissa + 1024, std::max(exponent, 1) - 25);
    if (exponent == 31)
        magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return (x.bits & 0x8000) != 0 ? -magnitude : magnitude;
}
template <class Integer>
requires std::is_integral_v<Integer>
double to_double(Integer x) {
    return static_cast<double>(x);
}

double missing_as(double) {
    return std::numeric_limits<double>::quiet_NaN();
}
float missing_as(float) {
    return std::numeric_limits<float>::quiet_NaN();
}
half missing_as(half) {
    return {0x7e00};
}
bfloat16 missing_as(bfloat16) {
    return {0x7fc0};
}

/// Calls `work` with a value of the C++ type that `type` names; complex types are not real.
template <class Work>
auto with_real_type(dtype type, Work const& work) {
    switch (type) {
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
    case dtype::uint8:
        return work(std::uint8_t{});
    case dtype::uint16:
        return work(std::uint16_t{});
    case dtype::uint32:
        return work(std::uint32_t{});
    case dtype::uint64:
        return work(std::uint64_t{});
    default:
        return work(double{});
    }
}

template <class T>
T load(std::byte const* at) noexcept {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class T>
bool is_marked(missing_markers const& markers, T value) noexcept {
    if constexpr (std::is_integral_v<T>)
        return std::ranges::any_of(markers.integer, [&](auto m) { return static_cast<std::int64_t>(value) == m; });
    else
        return std::ranges::any_of(markers.real, [&](double m) { return to_double(value) == m; });
}
} // namespace

double load_as_double(dtype type, std::byte const* element) noexcept {
    return with_real_type(type, [&](auto zero) { return to_double(load<decltype(zero)>(element)); });
}

void unify_missing(dtype type, missing_markers const& markers, std::byte* data, std::int64_t count) noexcept {
    with_real_type(type, [&](auto zero) {
        using value = decltype(zero);
        // one pass per marker, and a store for every element: compilers turn this into SIMD selects
        auto const replace = [&](value replacement, auto const& is_marker) {
            for (std::int64_t i = 0; i < count; ++i) {
                std::byte* const at = data + i * static_cast<std::int64_t>(sizeof(value));
                auto element = load<value>(at);
                if (is_marker(element)) element = replacement;
                std::memcpy(at, &element, sizeof element);
            }
        };
        if constexpr (std::is_integral_v<value>) {
            for (std::size_t m = 1; m < markers.integer.size(); ++m)
                replace(static_cast<value>(markers.integer[0]),
                        [marker = static_cast<value>(markers.integer[m])](value x) { return x == marker; });
        } else if constexpr (std::is_floating_point_v<value>) {
            for (double const m : markers.real)
                replace(missing_as(zero), [marker = static_cast<value>(m)](value x) { return x == marker; });
        } else {
            for (double const m : markers.real) replace(missing_as(zero), [m](value x) { return to_double(x) == m; });
        }
    });
}

void unpack_in_place(dtype type, missing_markers const& markers, packing const& rule, std::byte* data,
                     std::int64_t count) noexcept {
    with_real_type(type, [&](auto zero) {
        using value = decltype(zero);
        constexpr auto stored = static_cast<std::int64_t>(sizeof(value)), wide = std::int64_t{sizeof(double)};
        std::byte const* const from = data + count * (wide - stored);
        for (std::int64_t i = 0; i < count; ++i) { // ascending: a write never reaches an element not yet read
            auto const packed = load<value>(from + i * stored);
            double result = to_double(packed);
            if (rule.scale) result *= *rule.scale;
            if (rule.offset) result += *rule.offset;
            if (is_marked(markers, packed)) result = std::numeric_limits<double>::quiet_NaN();
            std::memcpy(data + i * wide, &result, sizeof result);
        }
    });
}

} // namespace steadfold::inline v0::io_detail
