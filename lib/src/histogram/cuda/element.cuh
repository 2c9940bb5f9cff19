// Elements as the kernels see them: words of a 16-byte vector, and the keys they are compared by.
#pragma once

#include "histogram/cuda/pass.hpp"
#include "steadfold/dtype.hpp"

#include <cstdint>
#include <type_traits>

namespace steadfold::inline v0::histogram_detail::cuda {

/// Word i of a vector; i is known when compiling, so the vector stays in registers.
template <class Word>
__device__ Word word_at(uint4 const& vector, int i) {
    std::uint32_t const part[4] = {vector.x, vector.y, vector.z, vector.w};
    if constexpr (sizeof(Word) == 8)
        return (static_cast<Word>(part[2 * i + 1]) << 32) | part[2 * i];
    else
        return static_cast<Word>(part[i * sizeof(Word) / 4] >> (8 * (i * sizeof(Word) % 4)));
}

/// `word`: how an element is stored; `key`: the type of its comparisons (fits_float); of(): the key of an element.
template <dtype Type>
struct element;

template <>
struct element<dtype::float64> {
    using word = std::uint64_t;
    using key = double;
    __device__ static key of(word x, pass_arguments const&) { return __longlong_as_double(static_cast<long long>(x)); }
};

template <>
struct element<dtype::float32> {
    using word = std::uint32_t;
    using key = float;
    __device__ static key of(word x, pass_arguments const&) { return __uint_as_float(x); }
};

template <>
struct element<dtype::float16> {
    using word = std::uint16_t;
    using key = float;
    __device__ static key of(word x, pass_arguments const&) {
        float wide;
        asm("{ .reg .b16 h; mov.b16 h, %1; cvt.f32.f16 %0, h; }" : "=f"(wide) : "h"(x));
        return wide;
    }
};

template <>
struct element<dtype::bfloat16> {
    using word = std::uint16_t;
    using key = float;
    __device__ static key of(word x, pass_arguments const&) {
        return __uint_as_float(static_cast<std::uint32_t>(x) << 16);
    }
};

/// Integers; those of 64 bits round down, see the host's decoder.
template <class Integer>
struct integer_element {
    using word = std::make_unsigned_t<Integer>;
    using key = std::conditional_t<(sizeof(Integer) < 4), float, double>;

    __device__ static key of(word x, pass_arguments const& arguments) {
        auto const value = static_cast<Integer>(x);
        bool const missing = arguments.has_missing && static_cast<std::int64_t>(value) == arguments.missing;
        return missing ? static_cast<key>(__int_as_float(0x7fffffff)) : key_of(value, arguments.top);
    }

  private:
    __device__ static key key_of(Integer x, double top) {
        if constexpr (sizeof(Integer) < 8) {
            return static_cast<key>(x);
        } else {
            double const down = std::is_signed_v<Integer> ? __ll2double_rd(static_cast<long long>(x))
                                                          : __ull2double_rd(static_cast<unsigned long long>(x));
            double const up = std::is_signed_v<Integer> ? __ll2double_ru(static_cast<long long>(x))
                                                        : __ull2double_ru(static_cast<unsigned long long>(x));
            return down == top && up != top ? __longlong_as_double(0x7ff0000000000000) : down;
        }
    }
};

template <>
struct element<dtype::int8> : integer_element<std::int8_t> {};
template <>
struct element<dtype::int16> : integer_element<std::int16_t> {};
template <>
struct element<dtype::int32> : integer_element<std::int32_t> {};
template <>
struct element<dtype::int64> : integer_element<std::int64_t> {};
template <>
struct element<dtype::uint8> : integer_element<std::uint8_t> {};
template <>
struct element<dtype::uint16> : integer_element<std::uint16_t> {};
template <>
struct element<dtype::uint32> : integer_element<std::uint32_t> {};
template <>
struct element<dtype::uint64> : integer_element<std::uint64_t> {};

} // namespace steadfold::inline v0::histogram_detail::cuda
