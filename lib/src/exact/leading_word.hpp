// A sum of a few shifted integers and its leading 64 bits, in registers: what rounds the usual sums on a device.
#pragma once

#include "steadfold/bits.hpp"

#include <cstdint>

namespace steadfold::inline v0::exact {

/// An integer of 64 * Words bits in two's complement, lowest word first.
template <int Words>
struct wide_integer {
    std::uint64_t word[Words] = {};

    /// Adds value * 2^Shift. What leaves the highest word is lost.
    template <int Shift>
    STEADFOLD_HOST_DEVICE void add(std::int64_t value) {
        constexpr int first = Shift / 64, bits = Shift % 64;
        auto const low = static_cast<std::uint64_t>(value) << bits;
        auto high = static_cast<std::uint64_t>(bits == 0 ? value >> 63 : value >> (bits == 0 ? 0 : 64 - bits));
        auto const above = static_cast<std::uint64_t>(value >> 63);
#ifdef __CUDA_ARCH__
        if constexpr (first == 0 && Words == 4) { // the compiler finds carries by comparing
            asm("add.cc.u64 %0, %0, %4; addc.cc.u64 %1, %1, %5; addc.cc.u64 %2, %2, %6; addc.u64 %3, %3, %6;"
                : "+l"(word[0]), "+l"(word[1]), "+l"(word[2]), "+l"(word[3])
                : "l"(low), "l"(high), "l"(above));
            return;
        } else if constexpr (first + 3 == Words) {
            asm("add.cc.u64 %0, %0, %3; addc.cc.u64 %1, %1, %4; addc.u64 %2, %2, %5;"
                : "+l"(word[first]), "+l"(word[first + 1]), "+l"(word[first + 2])
                : "l"(low), "l"(high), "l"(above));
            return;
        } else if constexpr (first + 2 == Words) {
            asm("add.cc.u64 %0, %0, %2; addc.u64 %1, %1, %3;"
                : "+l"(word[first]), "+l"(word[first + 1])
                : "l"(low), "l"(high));
            return;
        }
#endif
        word[first] += low;
        std::uint64_t carry = word[first] < low ? 1 : 0;
        for (int i = first + 1; i < Words; ++i) {
            std::uint64_t const sum = word[i] + high, total = sum + carry;
            carry = (sum < high ? 1 : 0) + (total < sum ? 1 : 0);
            word[i] = total;
            high = above;
        }
    }

    [[nodiscard]] STEADFOLD_HOST_DEVICE bool is_negative() const {
        return word[Words - 1] >> 63 != 0;
    }

    STEADFOLD_HOST_DEVICE void negate() {
        std::uint64_t carry = 1;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (std::uint64_t& each : word) {
            each = ~each + carry;
            if (each != 0) carry = 0;
        }
    }
};

/// (negative ? -1 : 1) * (top + something in [0, 1) that is not 0 iff sticky) * 2^exponent; the highest bit of top is
/// set, or the value is 0.
struct leading_word {
    std::uint64_t top = 0;
    int exponent = 0;
    bool negative = false, sticky = false;
};

/// Of x * 2^exponent. Unrolled and without arrays that need an address.
template <int Words>
[[nodiscard]] STEADFOLD_HOST_DEVICE leading_word leading_word_of(wide_integer<Words> x, int exponent) {
    leading_word result;
    result.negative = x.is_negative();
    if (result.negative) x.negate();
    std::uint64_t high = x.word[0], low = 0, below = 0, passed = 0;
    int top = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 1; i < Words; ++i) {
        if (x.word[i] != 0) {
            top = i;
            high = x.word[i];
            low = x.word[i - 1];
            below = passed;
        }
        passed |= x.word[i - 1];
    }
    if (high == 0) return {};
    int const shift = bits::leading_zeros(high);
    result.top = shift == 0 ? high : (high << shift) | (low >> (64 - shift));
    result.sticky = ((low << shift) | below) != 0;
    result.exponent = exponent + 64 * top - shift;
    return result;
}

} // namespace steadfold::inline v0::exact
