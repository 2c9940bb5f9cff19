// Elements of every type read and written, one at a time and without the library's help.
#pragma once

#include "steadfold/dtype.hpp"

#include <cstddef>
#include <cstdint>

namespace oracle {

namespace sf = steadfold;

/// A binary interchange format; normal numbers are in [2^min_exponent, 2^(max_exponent+1)).
struct float_shape {
    int precision, min_exponent, max_exponent, bytes;
    std::uint64_t canonical_nan;
};

[[nodiscard]] float_shape shape_of(sf::dtype real_floating);

/// Value of the floating-point bits, as a double; exact.
[[nodiscard]] double decode(std::uint64_t bits, sf::dtype real_floating);
/// Bits of `value` in the format; rounds to nearest, to infinity above the range.
[[nodiscard]] std::uint64_t encode(double value, sf::dtype real_floating);

[[nodiscard]] std::uint64_t read_bits(std::byte const* at, std::size_t bytes);
void write_bits(std::byte* at, std::size_t bytes, std::uint64_t bits);

/// Value of an integer element.
[[nodiscard]] __int128 read_integer(std::byte const* at, sf::dtype integer);

} // namespace oracle
