// The quick way from an exact sum to a result. It covers finite results in the normal range of float64 and float32;
// everything else is evaluated by reduce/evaluate.hpp, which gives the same bits.
#pragma once

#include "reduce/cuda/pass.hpp"
#include "steadfold/status.hpp"

namespace steadfold::inline v0::cuda {

/// (value + left + something from 0 to `unsure`, but not `unsure` itself) * 2^exponent. `value` is what that is rounded
/// to in float64 but for the exponent, `left` is zero or not as it says and right, but for some 2^-52 of itself if it
/// has been rounded; `unsure` is far below an ulp of `value`.
struct rounded_sum {
    double value, left, unsure;
    int exponent;
    bool left_is_rounded = false;
};

/// Of float64 numbers, in integers: a warp alone waits dozens of cycles for a comparison of float64, and few for these.
__device__ inline bool is_zero(double x) {
    return (static_cast<std::uint64_t>(__double_as_longlong(x)) << 1) == 0;
}
__device__ inline bool have_same_sign(double x, double y) {
    return (__double2hiint(x) ^ __double2hiint(y)) >= 0;
}

/// A quotient or root before rounding: head + tail, right to +-slack, |tail| below an ulp of head.
struct nearly_rounded {
    double head, tail, slack;
};

/// True if head + tail surely rounds to `value` in float64.
__device__ inline bool is_sure(nearly_rounded const& x, double& value) {
    value = __dadd_rn(x.head, x.tail);
    return __dadd_rn(x.head, __dadd_rn(x.tail, x.slack)) == value &&
           __dadd_rn(x.head, __dsub_rn(x.tail, x.slack)) == value;
}

/// (top + rest + [0, sticky)) / n and the root of the same: one step of Newton with an exact residual. `rest` is what
/// float64 loses of top; the tail has a relative error of some 2^-50.
__device__ inline nearly_rounded quotient(double top, double rest, double sticky, double n) {
    double const q = __ddiv_rn(top, n), tail = __ddiv_rn(__dadd_rn(__fma_rn(-q, n, top), rest), n);
    return {q, tail, __dadd_rn(fabs(tail) * 0x1p-40, __ddiv_rn(sticky, n))};
}
__device__ inline nearly_rounded root(double top, double rest, double sticky) {
    double const r = __dsqrt_rn(top), tail = __ddiv_rn(__dadd_rn(__fma_rn(-r, r, top), rest), 2 * r);
    return {r, tail, __dadd_rn(fabs(tail) * 0x1p-40, __ddiv_rn(sticky, r))};
}

/// value * 2^exponent as bits of `type`; false if it is not a normal number there, or the lowest of float32: what has
/// been rounded to float64 may have become that on the way.
__device__ inline bool scaled_bits(double value, int exponent, dtype type, std::uint64_t& bits) {
    if (type == dtype::float64) {
        bits = static_cast<std::uint64_t>(__double_as_longlong(value));
        int const field = static_cast<int>(bits >> 52) + exponent;
        bits += static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent)) << 52;
        return field > 0 && field < 2047;
    }
    float const narrow = __double2float_rn(value);
    bits = __float_as_uint(narrow);
    int const field = static_cast<int>(bits >> 23) + exponent;
    bits = static_cast<std::uint32_t>(bits + (static_cast<std::uint32_t>(exponent) << 23));
    return field > 1 && field < 255;
}

/// `value`, known to float64 and sure there, is so in `type` too, unless it sits in the middle of two numbers.
__device__ inline bool survives_narrowing(double value, dtype type) {
    return type == dtype::float64 ||
           (static_cast<std::uint32_t>(__double_as_longlong(value)) & 0x1fffffffu) != 0x10000000u;
}

__device__ inline std::uint64_t sign_bit_of(dtype real) {
    return real == dtype::float64 ? std::uint64_t{1} << 63 : std::uint64_t{1} << 31;
}

/// A result of quick_type, in registers.
struct quick_value {
    std::uint64_t bits = 0;
    bool exact = true;
    bool known = true; // false: it needs the long way
};

/// x / n or the root of x, which is not 0, without the sign. Not inlined: the compiler would divide ahead of the loop
/// over operations, whatever they are.
__device__ __noinline__ inline quick_value quick_mean_or_root(rounded_sum x, bool is_root, std::int64_t elements,
                                                              dtype real) {
    quick_value result{0, false, false};
    if (!is_root && elements >> 52 != 0) return result;
    int const odd = is_root ? x.exponent & 1 : 0;
    double const scale = odd != 0 ? 2 : 1, signed_scale = x.value < 0 ? -scale : scale;
    double const top = x.value * signed_scale, rest = x.left * signed_scale, unsure = fabs(x.unsure) * scale;
    auto const n = static_cast<double>(elements);
    double value;
    if (!is_sure(is_root ? root(top, rest, unsure) : quotient(top, rest, unsure, n), value)) return result;
    if (!survives_narrowing(value, real)) return result;
    // Residuals of a rounded quotient (n < 2^52) or root are float64 numbers: zero means exact, unless there were more
    // than the 106 bits that value * n can have.
    double const left = __dadd_rn(__fma_rn(-value, is_root ? value : n, top), rest);
    if (left != 0 && fabs(left) <= unsure) return result; // what is not known of x may make up for it
    result.exact = left == 0 && unsure == 0 && !x.left_is_rounded &&
                   (real == dtype::float64 || static_cast<double>(__double2float_rn(value)) == value);
    result.known = scaled_bits(value, is_root ? (x.exponent - odd) / 2 : x.exponent, real, result.bits);
    return result;
}

/// Few branches, and none of float64: see is_zero().
__device__ inline quick_value quick_sum(rounded_sum const& x, dtype real) {
    bool const is_exact = is_zero(x.left) && is_zero(x.unsure);
    quick_value result;
    double value = fabs(x.value);
    if (real == dtype::float64) {
        result.exact = is_exact;
    } else {
        constexpr std::uint32_t lost = 0x1fffffff, middle = 0x10000000;
        std::uint32_t const rest = static_cast<std::uint32_t>(__double2loint(value)) & lost;
        result.exact = is_exact && rest == 0;
        // In the middle of two float32 numbers, where the sum is not: to the side of it.
        std::int64_t const aside = have_same_sign(is_zero(x.left) ? x.unsure : x.left, x.value) ? 1 : -1;
        if (rest == middle && !is_exact) value = __longlong_as_double(__double_as_longlong(value) + aside);
    }
    result.known = scaled_bits(value, x.exponent, real, result.bits);
    if (__double2hiint(x.value) < 0) result.bits |= sign_bit_of(real);
    return is_zero(x.value) ? quick_value{} : result;
}

__device__ inline quick_value quick_result(operation op, rounded_sum const& x, finish_request const& finish,
                                           bool negative_zero) {
    bool const is_mean = op == operation::mean, is_root = op == operation::l2;
    dtype const real = finish.quick_type;
    quick_value result = quick_sum(x, real);
    if (x.value != 0 && (is_mean || is_root)) {
        result = quick_mean_or_root(x, is_root, finish.elements, real);
        if (x.value < 0) result.bits |= sign_bit_of(real);
    }
    if (negative_zero && (op == operation::sum || is_mean || op == operation::dot)) result.bits = sign_bit_of(real);
    return result;
}

} // namespace steadfold::inline v0::cuda
