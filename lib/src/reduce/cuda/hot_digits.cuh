// Where the blocks of a launch meet: a window of a few 32-bit digits over the limbs of one sum. Warps bring what they
// summed there themselves; the window moves to where a warp was out of its reach.
#pragma once

#include "reduce/cuda/pass.hpp"

namespace steadfold::inline v0::cuda {

/// Words of a launch: the first belongs to the lowest digit, the last to flags.
constexpr int hot_words(bool has_products) {
    return has_products ? most_hot_words : most_hot_words / 2;
}

/// A hot word: a signed digit sum below 2^51 and the number of blocks above it. A block brings less than 2^38: eight
/// warps with up to six parts of a digit each, and a limb.
inline constexpr int arrival_shift = 52;
inline constexpr unsigned most_arrivals = (1u << (64 - arrival_shift)) - 1;

/// True in launches whose blocks meet there, of passes that can.
__device__ inline bool meets_in_hot_words(pass_arguments const& arguments) {
    return arguments.finish.operations != 0 && gridDim.x <= most_arrivals;
}

/// The parts of a warp's folds, a part a lane: part p of the `Parts` times 2^exponent.
struct lane_part {
    std::int64_t value;
    int exponent;
};

/// Limbs that parts of an even number of `Parts` reach, from the lowest fold's on: folds are at most 50 bits apart, and
/// a warp's sums below 2^(44 + 31).
template <int Parts>
inline constexpr int limbs_of_parts = (Parts / 2 - 1) * 50 / 32 + 5;

/// Limb of the lowest bit of all parts: that of the last fold.
template <int Parts>
__device__ int lowest_limb(lane_part const& part, int anchor) {
    return (__shfl_sync(0xffffffffu, part.exponent, Parts - 2) - anchor) >> 5;
}

/// The lane's digit of the sum of all parts, lane 0 being limb `first`.
template <int Parts>
__device__ std::int64_t digit_of_parts(lane_part const& part, int anchor, int first) {
    int const lane = static_cast<int>(threadIdx.x % 32);
    std::int64_t digit = 0;
#pragma unroll
    for (int p = 0; p < Parts; ++p) {
        std::int64_t const value = __shfl_sync(0xffffffffu, part.value, p);
        int const shift = __shfl_sync(0xffffffffu, part.exponent, p) - anchor - 32 * (first + lane);
        std::uint64_t const magnitude =
            value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
        std::uint64_t moved = 0;
        if (shift > -64 && shift < 32) moved = shift >= 0 ? magnitude << shift : magnitude >> -shift;
        auto const own = static_cast<std::int64_t>(moved & 0xffffffffu);
        digit += value < 0 ? -own : own;
    }
    return digit;
}

} // namespace steadfold::inline v0::cuda
