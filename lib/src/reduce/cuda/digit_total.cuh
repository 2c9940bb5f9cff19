// The exact sum of four sums of digits, each of them a float64 number, rounded to one: in float64 alone.
#pragma once

#include "reduce/cuda/rounded_sum.cuh"

namespace steadfold::inline v0::cuda {

/// value + left, exactly.
struct two_numbers {
    double value, left;
};

/// Knuth's TwoSum: a + b rounded, and what that leaves.
__device__ inline two_numbers two_sum(double a, double b) {
    double const sum = __dadd_rn(a, b), of_b = __dsub_rn(sum, a);
    return {sum, __dadd_rn(__dsub_rn(a, __dsub_rn(sum, of_b)), __dsub_rn(b, of_b))};
}

/// Dekker's FastTwoSum: the same in half the operations if `a` is a multiple of the last bit of b.
__device__ inline two_numbers quick_two_sum(double a, double b) {
    double const sum = __dadd_rn(a, b);
    return {sum, __dsub_rn(b, __dsub_rn(sum, a))};
}

/// a + b rounded to odd: if that is not exact, to the neighbour whose last bit is set. It then rounds to what a + b
/// rounds to wherever it is added to something much larger (Boldo and Melquiond, "Emulation of a FMA and correctly
/// rounded sums: proved algorithms using rounding to odd", IEEE Trans. Computers 57(4), 2008).
__device__ inline double sum_to_odd(double a, double b) {
    two_numbers const sum = two_sum(a, b);
    std::int64_t const bits = __double_as_longlong(sum.value);
    if (sum.left == 0 || (bits & 1) != 0) return sum.value;
    return __longlong_as_double(bits + ((sum.left < 0) == (sum.value < 0) ? 1 : -1));
}

/// Of digits that are multiples of their fold's unit, below 2^52 of it in magnitude.
class digit_total {
  public:
    /// `magic(i)` is 1.5 * 2^52 of the unit of fold i: it takes off what the sum of fold i + 1 has above that unit.
    template <class Magic>
    __device__ digit_total(double const (&sums)[4], Magic const& magic) {
        double above = 0;
#pragma unroll
        for (int i = 3; i > 0; --i) {
            double const sum = __dadd_rn(sums[i], above);
            above = __dsub_rn(__dadd_rn(sum, magic(i - 1)), magic(i - 1));
            below_[i - 1] = __dsub_rn(sum, above);
        }
        top_ = __dadd_rn(sums[0], above);
    }

    /// Every number is below half the unit of the one before it. The sum takes them in as long as it is exact: what is
    /// left then is below its last bit, and above all that follows.
    [[nodiscard]] __device__ rounded_sum rounded() const {
        two_numbers sum = two_sum(top_, below_[0]);
        double next = below_[1], last = below_[2];
        if (sum.left == 0) {
            sum = two_sum(sum.value, next);
            next = last;
            last = 0;
        }
        if (sum.left == 0) {
            sum = two_sum(sum.value, next);
            next = 0;
        }
        two_numbers const rest = two_sum(sum.left, next);
        rounded_sum total{};
        total.value = __dadd_rn(sum.value, sum_to_odd(sum.left, sum_to_odd(next, last)));
        // Exact: value is sum.value or a neighbour of it, and so far from it only if the rest is about half as much.
        double const off = __dadd_rn(__dsub_rn(sum.value, total.value), rest.value);
        two_numbers const low = two_sum(rest.left, last);
        two_numbers const left = two_sum(off, low.value);
        total.left = left.value;
        total.left_is_rounded = left.left != 0 || low.left != 0;
        return total;
    }

  private:
    double top_, below_[3];
};

} // namespace steadfold::inline v0::cuda
