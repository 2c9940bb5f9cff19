// Where the blocks of a launch meet. Warps whose folds have the one window that the device memory names, which is that
// of the launch before, bring the digit sums of their folds as they are, in pieces of 22 bits: they have the same
// places in all of them, so they are summed without a look at exponents. Warps with another window use limbs, and the
// last block makes theirs the window of the next launch.
#pragma once

#include "reduce/cuda/pass.hpp"
#include "reduce/cuda/sum_folds.cuh"

namespace steadfold::inline v0::cuda {

/// A hot word: a signed sum of pieces below 2^51 and the number of blocks above it. Pieces of a warp are below 2^28, of
/// which a block has up to 2^5.
inline constexpr int arrival_shift = 52;
inline constexpr unsigned most_arrivals = (1u << (64 - arrival_shift)) - 1;
inline constexpr int hot_bias = 1 << 16;

/// True in launches whose blocks meet there, of passes that can.
__device__ inline bool meets_in_hot_words(pass_arguments const& arguments) {
    return arguments.finish.operations != 0 && gridDim.x <= most_arrivals;
}

/// What the folds of one quantity bring, `Folds` of them whose units are 2^Spacing apart, and three pieces below the
/// last fold, for the rests of a few values: see near_rests.cuh.
template <int Folds, int Spacing>
struct hot_pieces {
    static constexpr int folds = Folds, spacing = Spacing;
    static constexpr int pieces = 3 * Folds, all_pieces = pieces + 3;
    static constexpr int words = all_pieces + 1; // the last is for flags
    static_assert(words <= most_hot_words);
    static constexpr int slots = all_pieces <= 8 ? 8 : 16; // of a warp in shared memory
    static constexpr int below_unit = 3 * piece_bits;      // bits of the three pieces

    /// Of piece p, above the lowest one's.
    __host__ __device__ static constexpr int shift(int p) {
        int const fold = p / 3, bits = piece_bits * (p % 3);
        return fold == Folds ? bits : below_unit + (Folds - 1 - fold) * Spacing + bits;
    }
};

} // namespace steadfold::inline v0::cuda
