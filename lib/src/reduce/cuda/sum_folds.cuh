// What one thread sums of a batch of values, or of their magnitudes, under one window.
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

/// Sum of a warp's digit sums, exactly, in two parts: low + high * 2^44.
struct warp_digits {
    std::int64_t low, high;
};
__device__ inline warp_digits sum_of_warp(std::int64_t digits) {
    constexpr std::uint32_t all = 0xffffffffu, mask = 0x3fffffu;
    auto const bits = static_cast<std::uint64_t>(digits);
    std::uint32_t const low = __reduce_add_sync(all, static_cast<std::uint32_t>(bits) & mask);
    std::uint32_t const middle = __reduce_add_sync(all, static_cast<std::uint32_t>(bits >> 22) & mask);
    int const high = __reduce_add_sync(all, static_cast<int>(digits >> 44));
    return {static_cast<std::int64_t>(low) + (static_cast<std::int64_t>(middle) << 22), high};
}

/// Exponent of part p of a warp's digits: low and high part of one fold after the other.
template <class Window>
__device__ int part_exponent(int top, int floor, int p) {
    return Window::exponent(top, floor, p / 2) + (p % 2 != 0 ? 44 : 0);
}

/// Sums the warp's digits, a part a lane. Every lane has the same window.
template <int Folds>
__device__ std::int64_t warp_part(std::int64_t const (&digits)[Folds]) {
    std::int64_t mine = 0;
    unsigned const lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < Folds; ++i) {
        warp_digits const sum = sum_of_warp(digits[i]);
        if (lane == 2u * i) mine = sum.low;
        if (lane == 2u * i + 1) mine = sum.high;
    }
    return mine;
}

/// Digit sums of one quantity of one component.
template <class Window>
class thread_digits : public Window::digits_type {
  public:
    static constexpr int folds = Window::folds;

    template <class Target>
    __device__ void flush(Window const& window, int top, int floor, std::uint32_t values, Target& target) {
#pragma unroll
        for (int i = 0; i < folds; ++i) {
            exact::deposit(target.limb, Target::anchor, this->digits(i, window, values),
                           Window::exponent(top, floor, i), shared_add{});
            this->sum[i] = 0;
        }
    }

    /// Of all lanes together, a part a lane; every lane has the same window.
    __device__ std::int64_t part(Window const& window, std::uint32_t values) const {
        std::int64_t digits[folds];
#pragma unroll
        for (int i = 0; i < folds; ++i) digits[i] = this->digits(i, window, values);
        return warp_part(digits);
    }
};

} // namespace steadfold::inline v0::cuda
