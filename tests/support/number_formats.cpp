#include "support/number_formats.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace oracle {

float_shape shape_of(sf::dtype real_floating) {
    switch (real_floating) {
    case sf::dtype::float16:
        return {11, -14, 15, 2, 0x7e00};
    case sf::dtype::bfloat16:
        return {8, -126, 127, 2, 0x7fc0};
    case sf::dtype::float32:
        return {24, -126, 127, 4, 0x7fc00000};
    default:
        return {53, -1022, 1023, 8, 0x7ff8000000000000};
    }
}

double decode(std::uint64_t bits, sf::dtype real_floating) {
    switch (real_floating) {
    case sf::dtype::float64:
        return std::bit_cast<double>(bits);
    case sf::dtype::float32:
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case sf::dtype::bfloat16:
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    default:
        break;
    }
    int const field = static_cast<int>(bits >> 10) & 31;
    int const fraction = static_cast<int>(bits) & 1023;
    double size;
    if (field == 31)
        size = fraction == 0 ? HUGE_VAL : std::nan("");
    else
        size = field == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, field - 25);
    return std::copysign(size, (bits & 0x8000) != 0 ? -1.0 : 1.0);
}

std::uint64_t encode(double value, sf::dtype real_floating) {
    if (real_floating == sf::dtype::float64) return std::bit_cast<std::uint64_t>(value);
    float_shape const shape = shape_of(real_floating);
    if (std::isnan(value)) return shape.canonical_nan;
    int const fraction_bits = shape.precision - 1;
    std::uint64_t const infinity = static_cast<std::uint64_t>(shape.max_exponent - shape.min_exponent + 2)
                                   << fraction_bits;
    std::uint64_t const sign = std::uint64_t{std::signbit(value)} << (8 * shape.bytes - 1);
    if (std::isinf(value)) return sign | infinity;
    int exponent = 0;
    double const fraction = std::frexp(std::fabs(value), &exponent);
    if (fraction == 0) return sign;
    int const leading = exponent - 1 < shape.min_exponent ? shape.min_exponent : exponent - 1;
    if (leading > shape.max_exponent) return sign | infinity;
    double const units = std::nearbyint(std::ldexp(std::fabs(value), fraction_bits - leading));
    // The hidden bit of normal numbers is bit `fraction_bits` of `units` and counts one more in the exponent field.
    std::uint64_t const bits =
        (static_cast<std::uint64_t>(leading - shape.min_exponent) << fraction_bits) + static_cast<std::uint64_t>(units);
    return sign | (bits > infinity ? infinity : bits);
}

std::uint64_t read_bits(std::byte const* at, std::size_t bytes) {
    std::uint64_t bits = 0; // little-endian, as every machine the library runs on
    std::memcpy(&bits, at, bytes);
    return bits;
}

void write_bits(std::byte* at, std::size_t bytes, std::uint64_t bits) {
    std::memcpy(at, &bits, bytes);
}

__int128 read_integer(std::byte const* at, sf::dtype integer) {
    std::uint64_t const bits = read_bits(at, sf::size_bytes(integer));
    switch (integer) {
    case sf::dtype::int8:
        return static_cast<std::int8_t>(bits);
    case sf::dtype::int16:
        return static_cast<std::int16_t>(bits);
    case sf::dtype::int32:
        return static_cast<std::int32_t>(bits);
    case sf::dtype::int64:
        return static_cast<std::int64_t>(bits);
    default:
        return bits;
    }
}

} // namespace oracle
