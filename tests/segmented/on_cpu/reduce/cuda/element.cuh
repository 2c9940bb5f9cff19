// Stands in for the library's header of this name, which has PTX in it, where kernels run on the CPU.
#pragma once

#include "exact/element.hpp"
#include "steadfold/dtype.hpp"
#include "support/number_formats.hpp"

#include <bit>
#include <cstdint>

namespace steadfold::inline v0::cuda {

inline double widen(float x) {
    return static_cast<double>(x);
}

template <dtype Real>
struct element {
    using storage = std::uint16_t;
    static double of(storage x) { return oracle::decode(x, Real); }
};
template <>
struct element<dtype::float64> {
    using storage = double;
};
template <>
struct element<dtype::float32> {
    using storage = float;
};

inline std::uint64_t bits_of(double x) {
    return std::bit_cast<std::uint64_t>(x);
}
constexpr std::uint32_t high_of_power(int exponent) {
    return static_cast<std::uint32_t>(exponent + 1023) << 20;
}
inline constexpr std::uint32_t high_of_infinity = 0x7ff00000u;

} // namespace steadfold::inline v0::cuda
