// What a lane loads at a time: the elements of an aligned 8-byte word (16 bytes of complex128), or, for columns, one
// element.
#pragma once

#include "reduce/cuda/element.cuh"
#include "segmented/cuda/call.hpp"
#include "steadfold/dtype.hpp"

#include <cstdint>

namespace steadfold::inline v0::segmented {

/// Which elements a lane has in a step: its unit u begins with element first + u * stride, and only those in
/// [begin, end) are the output's own.
struct step_place {
    int first = 0, stride = 0;
    int begin = 0, end = 0;
    std::int64_t index = 0; // place of element `begin` in the output
    bool continues = false; // more steps may follow
};

/// `Real` of kernels for both 16-bit formats: which one it is only the call says.
inline constexpr dtype either_half = dtype::float16;

/// Floating-point elements, kept as they were loaded. Elements that are not the output's own read as -0, which changes
/// no sum and no sign of one.
template <dtype Real, int Components, bool Single>
class float_unit {
  public:
    using storage = typename cuda::element<Real>::storage;
    static constexpr int bytes = static_cast<int>(sizeof(storage)) * Components; // of an element
    static constexpr int elements = Components == 2 || Single ? 1 : 8 / bytes;
    static constexpr int values = elements * Components;
    static constexpr int word_bytes = elements * bytes;

    [[nodiscard]] __device__ static constexpr int size() { return elements; }
    [[nodiscard]] __device__ static constexpr int element_bytes() { return bytes; }

    __device__ explicit float_unit(call const&) {}

    /// The unit at an aligned word, whose elements are all wanted.
    __device__ void load(char const* word) { load_whole(reinterpret_cast<storage const*>(word)); }

    /// Of whose elements, numbered from `first` on, only [begin, end) are wanted.
    __device__ void load(char const* word, int first, int begin, int end) {
        auto const* const from = reinterpret_cast<storage const*>(word);
        if (first >= begin && first + elements <= end) {
            load_whole(from);
            return;
        }
        load_nothing();
        if constexpr (elements > 1)
#pragma unroll
            for (int i = 0; i < elements; ++i)
                if (first + i >= begin && first + i < end) set(i, __ldg(from + i));
    }

    /// `is_bfloat16` tells 16-bit formats apart.
    [[nodiscard]] __device__ double value(int i, bool is_bfloat16) const {
        if constexpr (sizeof(storage) == 8) {
            return __hiloint2double(static_cast<int>(word_[2 * i + 1]), static_cast<int>(word_[2 * i]));
        } else if constexpr (sizeof(storage) == 4) {
            return cuda::widen(__uint_as_float(word_[i]));
        } else {
            auto const half = static_cast<storage>(word_[i / 2] >> (16 * (i % 2)));
            return is_bfloat16 ? cuda::element<dtype::bfloat16>::of(half) : cuda::element<dtype::float16>::of(half);
        }
    }

    /// Sign, exponent and the first bits of value i; of 32- and 64-bit formats.
    [[nodiscard]] __device__ std::uint32_t upper_word(int i) const {
        return word_[sizeof(storage) == 8 ? 2 * i + 1 : i];
    }

  private:
    static constexpr int words = (elements * bytes + 3) / 4;

    __device__ void load_nothing() {
#pragma unroll
        for (int w = 0; w < words; ++w) word_[w] = neutral(w);
    }

    __device__ void load_whole(storage const* from) {
        if constexpr (sizeof(storage) == 8) { // complex data is aligned to its parts alone
#pragma unroll
            for (int i = 0; i < values; ++i) {
                double const x = __ldg(from + i);
                word_[2 * i] = static_cast<std::uint32_t>(__double2loint(x));
                word_[2 * i + 1] = static_cast<std::uint32_t>(__double2hiint(x));
            }
        } else if constexpr (elements > 1) {
            uint2 const both = __ldg(reinterpret_cast<uint2 const*>(from));
            word_[0] = both.x;
            word_[1] = both.y;
        } else {
#pragma unroll
            for (int i = 0; i < values; ++i) set(i, __ldg(from + i));
        }
    }

    __device__ static std::uint32_t neutral(int word) {
        if constexpr (sizeof(storage) == 8)
            return word % 2 == 0 ? 0u : 0x80000000u;
        else
            return sizeof(storage) == 4 ? 0x80000000u : 0x80008000u;
    }

    __device__ void set(int i, storage x) {
        if constexpr (sizeof(storage) == 4) {
            word_[i] = __float_as_uint(x);
        } else if constexpr (values == 1) {
            word_[0] = x;
        } else if constexpr (sizeof(storage) == 2) {
            int const shift = 16 * (i % 2);
            word_[i / 2] = (word_[i / 2] & ~(0xffffu << shift)) | (static_cast<std::uint32_t>(x) << shift);
        }
    }

    std::uint32_t word_[words];
};

/// Integer elements of any width: as many as fit 8 bytes, or one. What is not the output's own reads as 0.
template <bool Single>
class integer_unit {
  public:
    static constexpr int word_bytes = 8;

    __device__ explicit integer_unit(call const& c)
        : bytes_{static_cast<int>(size_bytes(c.type))}, is_signed_{is_signed_integer(c.type)} {}

    [[nodiscard]] __device__ int size() const { return Single ? 1 : 8 / bytes_; }
    [[nodiscard]] __device__ int element_bytes() const { return bytes_; }

    __device__ void load(char const* word) {
        if constexpr (Single)
            word_ = element_of(word, 0);
        else
            word_ = __ldg(reinterpret_cast<unsigned long long const*>(word));
    }

    __device__ void load(char const* word, int first, int begin, int end) {
        if (first >= begin && first + size() <= end) {
            load(word);
            return;
        }
        word_ = 0;
        for (int i = 0; i < size(); ++i)
            if (first + i >= begin && first + i < end) word_ |= element_of(word, i) << (8 * bytes_ * i);
    }

    /// Element i, extended to 64 bits.
    [[nodiscard]] __device__ std::int64_t value(int i) const {
        int const spare = 64 - 8 * bytes_;
        std::uint64_t const top = word_ >> (8 * bytes_ * i) << spare;
        return is_signed_ ? static_cast<std::int64_t>(top) >> spare : static_cast<std::int64_t>(top >> spare);
    }

  private:
    __device__ std::uint64_t element_of(void const* data, std::int64_t i) const {
        switch (bytes_) {
        case 1:
            return __ldg(static_cast<unsigned char const*>(data) + i);
        case 2:
            return __ldg(static_cast<unsigned short const*>(data) + i);
        case 4:
            return __ldg(static_cast<unsigned int const*>(data) + i);
        default:
            return __ldg(static_cast<unsigned long long const*>(data) + i);
        }
    }

    int bytes_;
    bool is_signed_;
    std::uint64_t word_ = 0;
};

} // namespace steadfold::inline v0::segmented
