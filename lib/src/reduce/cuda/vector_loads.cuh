// How a pass gets its vectors: aligned ones in one load, others element by element.
#pragma once

#include "reduce/cuda/element.cuh"
#include "reduce/cuda/pass.hpp"

namespace steadfold::inline v0::cuda {

__device__ inline vector16 load_aligned(void const* address) {
    uint4 const whole = __ldcs(static_cast<uint4 const*>(address)); // read once: do not keep it in the cache
    return {{whole.x, whole.y, whole.z, whole.w}};
}

/// A vector of which only the elements are aligned: the second array of a pair that is out of step with the first.
template <class Word>
__device__ vector16 load_by(void const* address) {
    vector16 v{};
    constexpr int per_word = 4 / static_cast<int>(sizeof(Word)); // 0 for 8-byte elements
    auto const* words = static_cast<Word const*>(address);
#pragma unroll
    for (int i = 0; i < 16 / static_cast<int>(sizeof(Word)); ++i) {
        if constexpr (per_word == 0) {
            v.word[2 * i] = static_cast<std::uint32_t>(words[i]);
            v.word[2 * i + 1] = static_cast<std::uint32_t>(words[i] >> 32);
        } else {
            v.word[i / per_word] |= static_cast<std::uint32_t>(words[i]) << (8 * sizeof(Word) * (i % per_word));
        }
    }
    return v;
}

__device__ inline vector16 load_elements(void const* address, int element_bytes) {
    switch (element_bytes) {
    case 1:
        return load_by<std::uint8_t>(address);
    case 2:
        return load_by<std::uint16_t>(address);
    case 4:
        return load_by<std::uint32_t>(address);
    default:
        return load_by<std::uint64_t>(address);
    }
}

/// The arrays of a pass, by vector number.
template <class Pass>
class vector_source {
  public:
    __device__ explicit vector_source(pass_arguments const& arguments)
        : arguments_{arguments}, bytes_{Pass::element_bytes != 0 ? Pass::element_bytes : arguments.integer_bytes},
          x_{static_cast<char const*>(arguments.x) + arguments.head * bytes_},
          y_{static_cast<char const*>(arguments.y) +
             (Pass::has_pairs && arguments.y != nullptr ? arguments.head * bytes_ : 0)} {}

    // Vectors of complex data begin with a real part: data that is out of step with 16 bytes is read by elements.
    [[nodiscard]] __device__ vector16 x(std::int64_t i) const {
        if (Pass::components == 1 || arguments_.x_aligned) return load_aligned(x_ + i * 16);
        return load_elements(x_ + i * 16, bytes_);
    }
    /// Of pairs; `own` is x(i), for pairs of x with itself.
    [[nodiscard]] __device__ vector16 y(std::int64_t i, vector16 const& own) const {
        if (!Pass::has_pairs || arguments_.y == nullptr) return own;
        return arguments_.y_aligned ? load_aligned(y_ + i * 16) : load_elements(y_ + i * 16, bytes_);
    }

    [[nodiscard]] __device__ int width() const { return 16 / bytes_; }

    /// The components before the first vector (end 0) or after the last (end 1) as one padded vector.
    __device__ void read_end(int end, vector16& x, vector16& y, std::int64_t& first, int& count) const {
        first = end == 0 ? 0 : arguments_.head + arguments_.vectors * width();
        count = static_cast<int>(end == 0 ? arguments_.head : arguments_.length - first);
        x = gather(arguments_.x, first, count, Pass::padding_x);
        y = Pass::has_pairs && arguments_.y != nullptr ? gather(arguments_.y, first, count, Pass::padding_y) : x;
        if (Pass::has_pairs && arguments_.y == nullptr) y = gather(arguments_.x, first, count, Pass::padding_y);
    }

  private:
    __device__ vector16 gather(void const* data, std::int64_t first, int count, std::uint64_t padding) const {
        vector16 v{};
        auto const* from = static_cast<unsigned char const*>(data) + first * bytes_;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            int const at = i / bytes_;
            std::uint32_t const byte =
                at < count ? from[i] : static_cast<std::uint32_t>(padding >> (8 * (i - at * bytes_))) & 0xffu;
            v.word[i / 4] |= byte << (8 * (i % 4));
        }
        return v;
    }

    pass_arguments const& arguments_;
    int bytes_;
    char const* x_;
    char const* y_;
};

} // namespace steadfold::inline v0::cuda
