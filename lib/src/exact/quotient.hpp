// Quotients of leading bits by 64-bit integers, without a division by hardware or 128-bit types.
#pragma once

#include "exact/leading.hpp"
#include "steadfold/bits.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// floor((2^128 - 1) / divisor) - 2^64 of a divisor whose highest bit is set. Möller and Granlund, "Improved division
/// by invariant integers", IEEE Trans. Comput. 60 (2011), algorithm 2.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::uint64_t reciprocal(std::uint64_t divisor) noexcept {
    std::uint64_t const odd = divisor & 1, half = (divisor >> 1) + odd, high40 = (divisor >> 24) + 1;
    std::uint64_t const v0 = 0x7fd00u / static_cast<std::uint32_t>(divisor >> 55);
    std::uint64_t const v1 = (v0 << 11) - ((v0 * v0 * high40) >> 40) - 1;
    std::uint64_t const v2 = (v1 << 13) + ((v1 * ((std::uint64_t{1} << 60) - v1 * high40)) >> 47);
    std::uint64_t const error = ((v2 >> 1) & (0 - odd)) - v2 * half;
    std::uint64_t const v3 = (v2 << 31) + (bits::multiply(v2, error).high >> 1);
    bits::product128 const last = bits::multiply(v3, divisor);
    return v3 - (last.high + (last.low + divisor < divisor ? 1 : 0)) - divisor;
}

/// floor((remainder, next) / divisor) with remainder < divisor, which becomes the new remainder; algorithm 4 there.
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::uint64_t
divide_step(std::uint64_t& remainder, std::uint64_t next, std::uint64_t divisor, std::uint64_t inverse) noexcept {
    bits::product128 const estimate = bits::multiply(inverse, remainder);
    std::uint64_t const low = estimate.low + next;
    std::uint64_t quotient = estimate.high + remainder + (low < next ? 1 : 0) + 1;
    std::uint64_t rest = next - quotient * divisor;
    if (rest > low) {
        --quotient;
        rest += divisor;
    }
    if (rest >= divisor) {
        ++quotient;
        rest -= divisor;
    }
    remainder = rest;
    return quotient;
}

/// value / divisor rounded down, 0 < divisor < 2^63. Not normalised, so that it can be divided again:
/// floor(floor(a / n) / m) = floor(a / (n m)). From 256 bits, two divisors leave 130 or more.
STEADFOLD_HOST_DEVICE inline void divide(leading_bits& value, std::uint64_t divisor) noexcept {
    int const shift = bits::leading_zeros(divisor);
    if ((divisor & (divisor - 1)) == 0) {
        value.exponent -= 63 - shift;
        return;
    }
    std::uint64_t const scaled = divisor << shift, inverse = reciprocal(scaled);
    std::uint64_t(&w)[4] = value.word;
    std::uint64_t remainder = w[3] >> (64 - shift);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 3; k >= 0; --k)
        w[k] = divide_step(remainder, shifted_in(w[k], k > 0 ? w[k - 1] : 0, shift), scaled, inverse);
    value.sticky = value.sticky || remainder != 0;
}

} // namespace steadfold::inline v0::exact
