// What a thread's folds leave of numbers, as one more digit sum below them: for the few that reach a little further
// down than the window. What is left of that goes to the bins.
#pragma once

#include "reduce/cuda/hot_digits.cuh"

namespace steadfold::inline v0::cuda {

/// One more fold, `reach` bits below the unit of the last one, of which a rest is at most half.
class near_fold {
  public:
    static constexpr int reach = 2 * piece_bits;

    /// `unit` is the exponent of the last fold's, `anchor` that of the lowest limb.
    __device__ near_fold(int unit, int anchor) {
        int const field = unit - reach + 52 + 1023;
        if (field > 0 && unit - reach >= anchor) magic_ = __hiloint2double((field << 20) | (1 << 19), 0);
    }
    /// False below the normal numbers or the limbs: then there is no such fold.
    [[nodiscard]] __device__ bool exists() const { return magic_ != 0; }
    /// Adds a rest; non-zero if something is left of it.
    __device__ std::uint32_t add(double rest, std::int64_t& digits) const {
        double const t = __dadd_rn(rest, magic_);
        digits += static_cast<std::int64_t>(bits_of(t) - bits_of(magic_));
        return rest_bits(__dsub_rn(__dsub_rn(t, magic_), rest));
    }

  private:
    double magic_ = 0;
};

/// Sums the warp's digits: what each lane adds to its piece of the folds'.
template <class Hot>
__device__ std::int32_t near_piece(std::int64_t digits) {
    std::int64_t const one[1] = {digits};
    std::int32_t const three = warp_piece(one);
    int const lane = static_cast<int>(threadIdx.x % 32);
    bool const is_unit = lane == 3 * (Hot::folds - 1), is_below = lane == Hot::pieces + 1 || lane == Hot::pieces + 2;
    std::int32_t const mine = __shfl_sync(0xffffffffu, three, is_unit ? 2 : lane - Hot::pieces - 1);
    return is_unit || is_below ? mine : 0;
}

} // namespace steadfold::inline v0::cuda
