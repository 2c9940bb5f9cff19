// The quick way to the results of several operations of real data, a lane each; covers what rounded_sum.cuh does,
// spreads and extrema. Everything else is evaluated by reduce/evaluate.hpp, which gives the same bits.
#pragma once

#include "reduce/cuda/rounded_sum.cuh"
#include "reduce/cuda/warp_number.cuh"

namespace steadfold::inline v0::cuda {

/// Where the number of a variance is, behind those of sums, magnitudes and products.
inline constexpr int spread_number = 3, warp_numbers = 4;

__device__ inline bool is_spread(operation op) {
    return op == operation::variance || op == operation::stddev;
}

/// What a magnitude is divided by, in two parts.
struct divisor_pair {
    double high, low;
};

/// n m of a spread, n of a mean, 1 of a norm. False if float64 does not hold n.
__device__ inline bool divisor_of(operation op, std::int64_t n, std::int64_t m, divisor_pair& divisor) {
    if (n >> 52 != 0) return false;
    double const a = op == operation::l2 ? 1 : static_cast<double>(n), b = static_cast<double>(m);
    divisor.high = __dmul_rn(a, b);
    divisor.low = __fma_rn(a, b, -divisor.high);
    return true;
}

__device__ inline rounded_sum rounded(leading_word const& x) {
    double const value = __ull2double_rn(x.top | (x.sticky ? 1 : 0));
    double const left = value == 0x1p64
                            ? -static_cast<double>(0 - x.top)
                            : static_cast<double>(static_cast<std::int64_t>(x.top - __double2ull_rz(value)));
    double const sign = x.negative ? -1 : 1;
    return {sign * value, sign * left, x.sticky ? sign : 0, x.exponent};
}

/// x / divisor or its root, one piece of code for all operations: steps of Newton with residuals as in rounded_sum.cuh.
/// False if the rounding, or whether there is one, is not sure.
__device__ inline bool quick_ratio(rounded_sum const& x, divisor_pair const& divisor, bool is_root, dtype real,
                                   std::uint64_t& bits, bool& exact) {
    int const odd = is_root ? x.exponent & 1 : 0;
    double const scale = odd != 0 ? 2 : 1, signed_scale = x.value < 0 ? -scale : scale;
    double const top = x.value * signed_scale, rest = x.left * signed_scale, unsure = fabs(x.unsure) * scale;
    double const inverse = __ddiv_rn(1, divisor.high);
    double head = __ddiv_rn(top, divisor.high);
    double const left = __dadd_rn(__fma_rn(-head, divisor.high, top), __fma_rn(-head, divisor.low, rest));
    double tail = __dmul_rn(left, inverse);
    // The tail is a sum of terms as large as an ulp of the head, each rounded.
    double slack = __fma_rn(unsure, 2 * inverse, head * 0x1p-98);
    if (is_root) {
        double const root = __dsqrt_rn(head), half = __ddiv_rn(0.5, root);
        tail = __dmul_rn(__dadd_rn(__fma_rn(-root, root, head), tail), half);
        slack = __fma_rn(slack, 2 * half, root * 0x1p-98);
        head = root;
    }
    double value;
    if (!is_sure({head, tail, slack}, value) || !survives_narrowing(value, real)) return false;
    exact = false;
    if (fabs(__dadd_rn(__dsub_rn(head, value), tail)) <= 4 * slack) { // perhaps exact
        if (x.unsure != 0 || divisor.low != 0 || divisor.high >= (is_root ? 2 : 0x1p52)) return false;
        // Residuals of a rounded quotient or root are float64 numbers: zero means exact.
        exact = __dadd_rn(__fma_rn(-value, is_root ? value : divisor.high, top), rest) == 0 &&
                (real == dtype::float64 || static_cast<double>(__double2float_rn(value)) == value);
    }
    return scaled_bits(value, is_root ? (x.exponent - odd) / 2 : x.exponent, real, bits);
}

/// Smallest, largest or of the largest magnitude. False where the result is not a normal number, or is rounded.
__device__ inline bool quick_extreme(operation op, exact::extrema_state const& extrema, dtype real,
                                     std::uint64_t& bits) {
    std::uint64_t const low = exact::bits_of_key(extrema.min_key), high = exact::bits_of_key(extrema.max_key);
    constexpr std::uint64_t mask = exact::float64_magnitude_mask;
    bits = op == operation::min ? low : op == operation::max ? high : ::max(low & mask, high & mask);
    if (real == dtype::float64) return true;
    double const value = __longlong_as_double(static_cast<long long>(bits));
    float const narrow = __double2float_rn(value);
    bits = __float_as_uint(narrow);
    return static_cast<double>(narrow) == value && fabs(narrow) >= 0x1p-126f && fabs(narrow) <= 0x1.fffffep127f;
}

/// Of finite elements without NaN.
__device__ inline quick_value quick_statistic(operation op, warp_number const (&numbers)[warp_numbers],
                                              exact::extrema_state const& extrema, finish_request const& finish,
                                              bool negative_zero) {
    dtype const real = finish.quick_type;
    quick_value result{0, true, false};
    if (op == operation::min || op == operation::max || op == operation::linf) {
        result.known = quick_extreme(op, extrema, real, result.bits);
        return result;
    }
    bool const of_sum = op == operation::sum || op == operation::mean, of_magnitudes = op == operation::l1;
    bool const is_root = op == operation::l2 || op == operation::stddev;
    if (!of_sum && !of_magnitudes && !is_root && op != operation::variance && op != operation::sum_of_squares)
        return result;
    warp_number const& number = numbers[is_spread(op) ? spread_number : of_sum ? 0 : of_magnitudes ? 1 : 2];
    std::int64_t const m = is_spread(op) ? finish.elements - finish.options.ddof : 1;
    if (!number.known || m <= 0) return result;
    rounded_sum const x = rounded(number.leading);
    if (op == operation::sum || of_magnitudes || op == operation::sum_of_squares || x.value == 0)
        return quick_result(operation::sum, x, finish, negative_zero && of_sum && x.value == 0);
    divisor_pair divisor;
    if (!divisor_of(op, finish.elements, m, divisor)) return result;
    result.known = quick_ratio(x, divisor, is_root, real, result.bits, result.exact);
    if (x.value < 0) result.bits |= sign_bit_of(real);
    return result;
}

} // namespace steadfold::inline v0::cuda
