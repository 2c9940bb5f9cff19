// The quick way from the digits of a sum to its result, by one warp. It covers finite results in the normal range of
// float64 and float32; everything else is evaluated by reduce/evaluate.hpp, which gives the same bits.
#pragma once

#include "exact/leading_word.hpp"
#include "reduce/cuda/pass.hpp"
#include "steadfold/status.hpp"

namespace steadfold::inline v0::cuda {

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

/// value * 2^exponent as bits of `type`; false if it is not a normal number there.
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
    return field > 0 && field < 255;
}

/// `value`, known to float64 and sure there, is so in `type` too, unless it sits in the middle of two numbers.
__device__ inline bool survives_narrowing(double value, dtype type) {
    return type == dtype::float64 ||
           (static_cast<std::uint32_t>(__double_as_longlong(value)) & 0x1fffffffu) != 0x10000000u;
}

/// False if this result needs the long way.
__device__ inline bool quick_result(operation op, exact::leading_word const& x, finish_request const& finish,
                                    bool negative_zero, result_value& result) {
    bool const is_mean = op == operation::mean, is_root = op == operation::l2;
    dtype const real = finish.quick_type;
    std::uint64_t bits = 0;
    bool exact = true;
    if (x.top != 0) {
        int exponent = x.exponent;
        double value;
        if (!is_mean && !is_root) [[likely]] {
            // Rounded once from the integer: 64 bits leave room for the sticky one.
            std::uint64_t const whole = x.top | (x.sticky ? 1 : 0);
            int const lost = real == dtype::float64 ? 11 : 40;
            exact = (whole << (64 - lost)) == 0;
            value = real == dtype::float64 ? __ull2double_rn(whole) : static_cast<double>(__ull2float_rn(whole));
        } else {
            if (is_mean && finish.elements >> 52 != 0) return false;
            double top = __ull2double_rn(x.top),
                   rest = top == 0x1p64 ? -static_cast<double>(0 - x.top)
                                        : static_cast<double>(static_cast<std::int64_t>(x.top - __double2ull_rz(top)));
            double sticky = x.sticky ? 1 : 0;
            int const odd = is_root ? exponent & 1 : 0;
            if (odd != 0) top *= 2, rest *= 2, sticky *= 2;
            auto const n = static_cast<double>(finish.elements);
            if (!is_sure(is_mean ? quotient(top, rest, sticky, n) : root(top, rest, sticky), value)) return false;
            if (!survives_narrowing(value, real)) return false;
            // Residuals of a rounded quotient (n < 2^52) or root are float64 numbers: zero means exact.
            double const left = __dadd_rn(__fma_rn(-value, is_mean ? n : value, top), rest);
            if (left < 0 && left > -sticky) return false; // what is below top may make up for it
            exact = left == 0 && !x.sticky &&
                    (real == dtype::float64 || static_cast<double>(__double2float_rn(value)) == value);
            if (is_root) exponent = (exponent - odd) / 2;
        }
        if (!scaled_bits(value, exponent, real, bits)) return false;
        if (x.negative) bits |= real == dtype::float64 ? std::uint64_t{1} << 63 : std::uint64_t{1} << 31;
    } else if (negative_zero && (op == operation::sum || is_mean || op == operation::dot)) {
        bits = real == dtype::float64 ? std::uint64_t{1} << 63 : std::uint64_t{1} << 31;
    }
    result.type = real;
    auto* const words = reinterpret_cast<std::uint64_t*>(&result.bits);
    words[0] = bits;
    words[1] = 0;
    result.status = exact ? status_flags::none : status_flags::inexact;
    return true;
}

} // namespace steadfold::inline v0::cuda
