#include "histogram/host/decode.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>

namespace steadfold::inline v0::histogram_detail {

namespace {

template <class Stored>
Stored load(std::byte const* data, int i) {
    Stored value;
    std::memcpy(&value, data + static_cast<std::size_t>(i) * sizeof value, sizeof value);
    return value;
}

double widen_half(std::uint16_t bits) {
    std::uint32_t const magnitude = bits & 0x7fffu;
    // Shifted in place the exponent is 112 too small; a multiplication corrects subnormal numbers too.
    float const value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    std::uint32_t const special = magnitude >= 0x7c00u ? 0x7f800000u : 0; // Inf and NaN
    std::uint32_t const sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    return static_cast<double>(std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | special | sign));
}

double widen_bfloat16(std::uint16_t bits) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

/// Largest double that is not above x.
template <std::integral Integer>
double round_down(Integer x) {
    auto const nearest = static_cast<double>(x);
    if constexpr (sizeof(Integer) < 8) return nearest;
    constexpr double beyond = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64; // does not convert back
    bool const is_above = nearest >= beyond || static_cast<Integer>(nearest) > x;
    std::uint64_t const step = nearest > 0 ? 1 : ~std::uint64_t{0};
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(nearest) - (is_above ? step : 0));
}

template <std::integral Integer>
void widen_integers(std::byte const* data, int n, decoder const& how, double* out) {
    double const top = how.top;
    for (int i = 0; i < n; ++i) {
        auto const x = load<Integer>(data, i);
        double key = round_down(x);
        if constexpr (sizeof(Integer) == 8)
            if (key == top && static_cast<Integer>(key) != x) key = std::numeric_limits<double>::infinity();
        out[i] = key;
    }
    if (!how.missing) return;
    std::int64_t const missing = *how.missing;
    for (int i = 0; i < n; ++i)
        if (static_cast<std::int64_t>(load<Integer>(data, i)) == missing)
            out[i] = std::numeric_limits<double>::quiet_NaN();
}

} // namespace

double const* decoder::operator()(void const* data, int n, double* out) const {
    auto const* bytes = static_cast<std::byte const*>(data);
    switch (type) {
    case dtype::float32:
        for (int i = 0; i < n; ++i) out[i] = static_cast<double>(load<float>(bytes, i));
        return out;
    case dtype::float16:
        for (int i = 0; i < n; ++i) out[i] = widen_half(load<std::uint16_t>(bytes, i));
        return out;
    case dtype::bfloat16:
        for (int i = 0; i < n; ++i) out[i] = widen_bfloat16(load<std::uint16_t>(bytes, i));
        return out;
    case dtype::int8:
        return widen_integers<std::int8_t>(bytes, n, *this, out), out;
    case dtype::int16:
        return widen_integers<std::int16_t>(bytes, n, *this, out), out;
    case dtype::int32:
        return widen_integers<std::int32_t>(bytes, n, *this, out), out;
    case dtype::int64:
        return widen_integers<std::int64_t>(bytes, n, *this, out), out;
    case dtype::uint8:
        return widen_integers<std::uint8_t>(bytes, n, *this, out), out;
    case dtype::uint16:
        return widen_integers<std::uint16_t>(bytes, n, *this, out), out;
    case dtype::uint32:
        return widen_integers<std::uint32_t>(bytes, n, *this, out), out;
    case dtype::uint64:
        return widen_integers<std::uint64_t>(bytes, n, *this, out), out;
    default:
        return static_cast<double const*>(data);
    }
}

} // namespace steadfold::inline v0::histogram_detail
