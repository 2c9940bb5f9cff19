// Integers inside 16-byte vectors, many in one instruction: what the loops over whole vectors are made of, by a width
// known when they are compiled, and what is rare, by one known at run time.
#pragma once

#include "reduce/cuda/element.cuh"

#include <cstdint>
#include <type_traits>

namespace steadfold::inline v0::cuda {

template <int Bytes>
using width_constant = std::integral_constant<int, Bytes>;

/// f(width_constant) for the width of a launch: one branch, which all threads take alike.
template <class Function>
__device__ void with_width(int bytes, Function const& f) {
    if (bytes == 1)
        f(width_constant<1>{});
    else if (bytes == 2)
        f(width_constant<2>{});
    else if (bytes == 4)
        f(width_constant<4>{});
    else
        f(width_constant<8>{});
}

__device__ inline std::uint64_t long_word(vector16 const& v, int half) {
    return (static_cast<std::uint64_t>(v.word[2 * half + 1]) << 32) | v.word[2 * half];
}

/// The element in the lowest bits of a word, as one of 64 bits.
template <bool Signed>
__device__ std::int64_t lowest_element(std::uint64_t word, int bytes) {
    int const spare = 64 - 8 * bytes;
    if constexpr (Signed)
        return static_cast<std::int64_t>(word << spare) >> spare;
    else
        return static_cast<std::int64_t>((word << spare) >> spare);
}

/// Elements of 16 bits in the halves of words.
template <bool Signed>
__device__ std::uint32_t smaller_halves(std::uint32_t a, std::uint32_t b) {
    return Signed ? __vmins2(a, b) : __vminu2(a, b);
}
template <bool Signed>
__device__ std::uint32_t larger_halves(std::uint32_t a, std::uint32_t b) {
    return Signed ? __vmaxs2(a, b) : __vmaxu2(a, b);
}

/// Smallest and largest of some elements.
template <bool Signed>
struct integer_range {
    using value_type = std::conditional_t<Signed, std::int64_t, std::uint64_t>;
    value_type low, high;
};

/// Bytes are compared as the upper halves of 16-bit numbers: what is below them decides between equal ones only.
template <bool Signed, int Bytes, int Count>
__device__ integer_range<Signed> range_of_halves(vector16 const (&x)[Count]) {
    using half = std::conditional_t<Signed, std::int16_t, std::uint16_t>;
    std::uint32_t low = x[0].word[0], high = low;
#pragma unroll
    for (int u = 0; u < Count; ++u)
#pragma unroll
        for (int w = 0; w < 4; ++w)
#pragma unroll
            for (int shift = 0; shift < 16; shift += 8 * Bytes) {
                low = smaller_halves<Signed>(low, x[u].word[w] << shift);
                high = larger_halves<Signed>(high, x[u].word[w] << shift);
            }
    constexpr int below = 16 - 8 * Bytes;
    auto const lowest = ::min(static_cast<half>(low), static_cast<half>(low >> 16));
    auto const highest = ::max(static_cast<half>(high), static_cast<half>(high >> 16));
    return {static_cast<half>(lowest >> below), static_cast<half>(highest >> below)};
}

template <bool Signed, int Bytes, int Count>
__device__ integer_range<Signed> range_of_integers(vector16 const (&x)[Count]) {
    if constexpr (Bytes <= 2) {
        return range_of_halves<Signed, Bytes>(x);
    } else if constexpr (Bytes == 4) {
        using word = std::conditional_t<Signed, std::int32_t, std::uint32_t>;
        auto low = static_cast<word>(x[0].word[0]), high = low;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                low = ::min(low, static_cast<word>(x[u].word[w]));
                high = ::max(high, static_cast<word>(x[u].word[w]));
            }
        return {low, high};
    } else {
        using word = typename integer_range<Signed>::value_type;
        auto low = static_cast<word>(long_word(x[0], 0)), high = low;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                low = ::min(low, static_cast<word>(long_word(x[u], half)));
                high = ::max(high, static_cast<word>(long_word(x[u], half)));
            }
        return {low, high};
    }
}

/// One value in every element of a vector: finds those that equal it.
class repeated_integer {
  public:
    __device__ repeated_integer(std::int64_t value, int bytes)
        : bytes_{bytes}, others_{bytes == 1   ? 0x7f7f7f7fu
                                 : bytes == 2 ? 0x7fff7fffu
                                              : 0x7fffffffu} {
        auto const bits = static_cast<std::uint64_t>(value);
        std::uint64_t const word = bytes == 1   ? (bits & 0xffu) * 0x0101010101010101u
                                   : bytes == 2 ? (bits & 0xffffu) * 0x0001000100010001u
                                   : bytes == 4 ? (bits & 0xffffffffu) * 0x0000000100000001u
                                                : bits;
        words_[0] = static_cast<std::uint32_t>(word);
        words_[1] = static_cast<std::uint32_t>(word >> 32);
    }

    [[nodiscard]] __device__ unsigned count(vector16 const& v) const {
        vector16 const found = marks(v);
        int const marked =
            __popc(found.word[0]) + __popc(found.word[1]) + __popc(found.word[2]) + __popc(found.word[3]);
        return static_cast<unsigned>(bytes_ == 8 ? marked / 2 : marked);
    }

    /// `v` with `other` in the place of this value.
    __device__ void replace(vector16& v, repeated_integer const& other) const {
        vector16 const found = marks(v);
        unsigned const whole = bytes_ == 1 ? signs_of_bytes : bytes_ == 2 ? signs_of_halves : signs_of_words;
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            std::uint32_t const mask = byte_signs(found.word[w], whole);
            v.word[w] = (v.word[w] & ~mask) | (other.words_[w & 1] & mask);
        }
    }

  private:
    /// The highest bit of every element that is equal, in both words of one of 8 bytes.
    [[nodiscard]] __device__ vector16 marks(vector16 const& v) const {
        vector16 found;
#pragma unroll
        for (int w = 0; w < 4; ++w) found.word[w] = v.word[w] ^ words_[w & 1];
        if (bytes_ == 8) {
            found.word[0] = found.word[1] = found.word[0] | found.word[1];
            found.word[2] = found.word[3] = found.word[2] | found.word[3];
        }
#pragma unroll
        for (int w = 0; w < 4; ++w) { // no carry leaves an element
            std::uint32_t const different = found.word[w];
            found.word[w] = ~(((different & others_) + others_) | different | others_);
        }
        return found;
    }

    int bytes_;
    std::uint32_t others_; // all bits of elements but the highest
    std::uint32_t words_[2];
};

} // namespace steadfold::inline v0::cuda
