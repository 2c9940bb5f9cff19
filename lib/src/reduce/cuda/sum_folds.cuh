// What one thread sums of batches of values, or of their magnitudes, under one window.
#pragma once

#include "reduce/cuda/bins.cuh"
#include "reduce/cuda/window_folds.cuh"

#include <type_traits>

namespace steadfold::inline v0::cuda {

/// Where a block gathers one quantity.
template <int Limbs, int Anchor>
struct block_sum {
    static constexpr int limbs = Limbs, anchor = Anchor;
    std::uint64_t limb[Limbs];
};

/// A digit sum in three pieces, the highest of them signed: sums of them over a warp need 32 bits.
inline constexpr int piece_bits = 22;

/// Exponent of piece p of the digits of a window's folds, three a fold.
template <class Window>
__device__ int piece_exponent(int top, int floor, int p) {
    return Window::exponent(top, floor, p / 3) + piece_bits * (p % 3);
}

/// Sums the warp's digits, a piece a lane. Every lane has the same window.
template <int Folds>
__device__ std::int32_t warp_piece(std::int64_t const (&digits)[Folds]) {
    constexpr std::uint32_t all = 0xffffffffu, mask = (1u << piece_bits) - 1;
    std::int32_t mine = 0;
    unsigned const lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < Folds; ++i) {
        auto const bits = static_cast<std::uint64_t>(digits[i]);
        std::uint32_t const low = __reduce_add_sync(all, static_cast<std::uint32_t>(bits) & mask);
        std::uint32_t const middle = __reduce_add_sync(all, static_cast<std::uint32_t>(bits >> piece_bits) & mask);
        int const high = __reduce_add_sync(all, static_cast<int>(digits[i] >> (2 * piece_bits)));
        if (lane == 3u * i) mine = static_cast<std::int32_t>(low);
        if (lane == 3u * i + 1) mine = static_cast<std::int32_t>(middle);
        if (lane == 3u * i + 2) mine = high;
    }
    return mine;
}

/// Digit sums of one quantity of one component.
template <class Window>
class thread_digits : public float64_digits<Window> {
  public:
    static constexpr int folds = Window::folds;

    template <class Target>
    __device__ void flush(Window const& window, int top, int floor, std::uint32_t runs, Target& target) {
#pragma unroll
        for (int i = 0; i < folds; ++i) {
            exact::deposit(target.limb, Target::anchor, this->digits(i, window, runs), Window::exponent(top, floor, i),
                           shared_add{});
            this->sum[i] = 0;
        }
    }

    /// Of all lanes together, a piece a lane; every lane has the same window.
    __device__ std::int32_t piece(Window const& window, std::uint32_t runs) const {
        std::int64_t digits[folds];
#pragma unroll
        for (int i = 0; i < folds; ++i) digits[i] = this->digits(i, window, runs);
        return warp_piece(digits);
    }
};

} // namespace steadfold::inline v0::cuda
