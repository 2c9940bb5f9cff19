// Products of many numbers: 128 leading bits of the magnitude and an exponent apart from it, so that nothing overflows
// or underflows on the way.
//
//     exact::product_state product;
//     product.multiply(significand, exponent);        // a term significand * 2^exponent, significand > 0
//     product.merge(other);
//     exact::leading_bits const value = product.leading();
//
// A product of at most 128 significant bits is exact, in any order: no part of it has more. Of any other one the bits
// below are dropped at every step, in every order at least once; the magnitude is too small by less than n 2^-126 of
// itself after n terms.
#pragma once

#include "exact/leading.hpp"
#include "steadfold/bits.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// Terms are finite and not 0; zeros, infinities and NaN are counted elsewhere. `negative` is the sign of all factors,
/// zeros and infinities included. Up to 2^52 terms: then the exponent of float64 ones could overflow.
struct product_state {
    std::uint64_t high = std::uint64_t{1} << 63, low = 0; // magnitude = (high * 2^64 + low) * 2^exponent, high bit set
    std::int64_t exponent = -127;
    bool negative = false;
    bool inexact = false; // bits were dropped

    STEADFOLD_HOST_DEVICE void multiply(std::uint64_t significand, std::int64_t exponent_of_significand) noexcept {
        int const shift = bits::leading_zeros(significand);
        std::uint64_t const factor = significand << shift;
        bits::product128 const upper = bits::multiply(high, factor), lower = bits::multiply(low, factor);
        std::uint64_t const middle = upper.low + lower.high;
        exponent += exponent_of_significand - shift + 64;
        keep(upper.high + (middle < lower.high ? 1 : 0), middle, lower.low, false);
    }

    STEADFOLD_HOST_DEVICE void merge(product_state const& other) noexcept {
        bits::product128 const hh = bits::multiply(high, other.high), hl = bits::multiply(high, other.low);
        bits::product128 const lh = bits::multiply(low, other.high), ll = bits::multiply(low, other.low);
        std::uint64_t third = hl.low + lh.low;
        std::uint64_t carry = third < hl.low ? 1 : 0;
        third += ll.high;
        carry += third < ll.high ? 1 : 0;
        std::uint64_t second = hh.low + hl.high, top = hh.high;
        top += second < hl.high ? 1 : 0;
        second += lh.high;
        top += second < lh.high ? 1 : 0;
        second += carry;
        top += second < carry ? 1 : 0;
        exponent += other.exponent + 128;
        negative = negative != other.negative;
        keep(top, second, third, other.inexact || ll.low != 0);
    }

    /// The product, normalised; the sticky bit says that bits were dropped.
    [[nodiscard]] STEADFOLD_HOST_DEVICE leading_bits leading() const noexcept {
        constexpr std::int64_t far = 1 << 20; // beyond every format
        std::int64_t const held = exponent > far ? far : exponent < -far ? -far : exponent;
        leading_bits value;
        value.word[3] = high;
        value.word[2] = low;
        value.exponent = static_cast<int>(held) - 128;
        value.negative = negative;
        value.sticky = inexact;
        return value;
    }

  private:
    /// Of a product whose highest bit is 191 or 190 the upper 128 bits; its unit is 2^(exponent - 64).
    STEADFOLD_HOST_DEVICE void keep(std::uint64_t top, std::uint64_t next, std::uint64_t rest, bool more) noexcept {
        int const shift = top >> 63 != 0 ? 0 : 1;
        high = shifted_in(top, next, shift);
        low = shifted_in(next, rest, shift);
        exponent -= shift;
        inexact = inexact || more || rest << shift != 0;
    }
};

/// Bits of all elements together.
struct bit_state {
    std::uint64_t all = ~std::uint64_t{0}; // and
    std::uint64_t any = 0;                 // or
    std::uint64_t odd = 0;                 // xor

    STEADFOLD_HOST_DEVICE void add(std::uint64_t bits) noexcept {
        all &= bits;
        any |= bits;
        odd ^= bits;
    }
    STEADFOLD_HOST_DEVICE void merge(bit_state const& other) noexcept {
        all &= other.all;
        any |= other.any;
        odd ^= other.odd;
    }
};

} // namespace steadfold::inline v0::exact
