// The smallest and largest element of a thread. Batches are compared by 32-bit words, two instructions an element; keys
// and indices are looked at only where a batch may improve on what is known.
#pragma once

#include "exact/state.hpp"
#include "reduce/cuda/peak.cuh"

namespace steadfold::inline v0::cuda {

/// Smallest and largest of some float32 patterns: the elements, or the high words of float64 (see peak.cuh). NaN wins.
struct word_range {
    float low = __builtin_huge_valf(), high = -__builtin_huge_valf();

    __device__ void take(float x) {
        low = smaller(low, x);
        high = larger(high, x);
    }
    /// Bits of the larger magnitude.
    [[nodiscard]] __device__ std::uint32_t peak() const {
        return __float_as_uint(max_magnitude(max_magnitude(0.0f, __float_as_uint(low)), __float_as_uint(high)));
    }
};

template <dtype Real>
__device__ float compared_word(vector16 const& v, int i) {
    if constexpr (Real == dtype::float64)
        return __uint_as_float(v.word[2 * i + 1]);
    else if constexpr (Real == dtype::float32)
        return __uint_as_float(v.word[i]);
    else
        return element<Real>::template as<float>(v, i);
}

template <dtype Real, int Count>
__device__ word_range range_of(vector16 const (&x)[Count]) {
    word_range range;
#pragma unroll
    for (int u = 0; u < Count; ++u)
#pragma unroll
        for (int j = 0; j < per_vector<Real>; ++j) range.take(compared_word<Real>(x[u], j));
    return range;
}

/// What a thread knows so far; what a batch must beat to be looked at is known to its warp.
class thread_extremes {
  public:
    /// False if nothing in the range can be smaller or larger than what the warp knows.
    [[nodiscard]] __device__ bool may_improve(word_range const& range) const {
        return !(range.low > low_word_) || !(range.high < high_word_);
    }

    __device__ void offer(double x, std::int64_t index) {
        if (exact::is_nan_bits(bits_of(x))) return;
        std::int64_t const key = exact::ordered_key(bits_of(x));
        state_.offer_min(key, index);
        state_.offer_max(key, index);
    }

    [[nodiscard]] __device__ bool is_better(double x) const {
        if (exact::is_nan_bits(bits_of(x))) return false;
        std::int64_t const key = exact::ordered_key(bits_of(x));
        return key < state_.min_key || key > state_.max_key;
    }

    /// After offers, all lanes of a warp: what its next batches are compared with. One lane's record spares the others
    /// the look: else each of them would have to find a smaller and a larger element of its own, again and again. Words
    /// that are no float32 number never exclude anything.
    template <dtype Real>
    __device__ void agree_on_words() {
        std::int64_t low = state_.min_key, high = state_.max_key;
#pragma unroll 1
        for (int offset = 16; offset > 0; offset /= 2) {
            std::int64_t const other_low = __shfl_xor_sync(0xffffffffu, low, offset);
            std::int64_t const other_high = __shfl_xor_sync(0xffffffffu, high, offset);
            if (other_low < low) low = other_low;
            if (other_high > high) high = other_high;
        }
        low_word_ = word_of<Real>(low);
        high_word_ = word_of<Real>(high);
    }

    [[nodiscard]] __device__ exact::extrema_state const& state() const {
        return state_;
    }

  private:
    template <dtype Real>
    __device__ static float word_of(std::int64_t key) {
        double const x = __longlong_as_double(static_cast<long long>(exact::bits_of_key(key)));
        if constexpr (Real == dtype::float64)
            return __uint_as_float(static_cast<std::uint32_t>(__double2hiint(x)));
        else
            return __double2float_rn(x);
    }

    exact::extrema_state state_;
    float low_word_ = __builtin_huge_valf(), high_word_ = -__builtin_huge_valf();
};

} // namespace steadfold::inline v0::cuda
