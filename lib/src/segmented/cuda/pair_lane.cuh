// Short sums of float64 and float32 values as pairs of float64 numbers: what usual data takes, and a few instructions
// an element and a segment. What does not fit goes to the folds.
#pragma once

#include "reduce/cuda/peak.cuh"
#include "segmented/cuda/fold_lane.cuh"
#include "segmented/cuda/lane_group.cuh"
#include "segmented/cuda/unit.cuh"
#include "segmented/cuda/write_result.cuh"

namespace steadfold::inline v0::segmented {

/// Adds values to M1 and what the rounding leaves of them to M2, with M = 1.5 * 2^(52+k): while they stay next to M,
/// sums are multiples of 2^k, and exact (EXACT.md, "Folds"). Values are below 2^top and at most 2^bits of them, so
/// k1 = top + bits - 51 keeps the sums in reach, of lanes and of groups; rests are at most 2^(k1-1), which gives k2.
template <dtype Real>
class pair_lane {
  public:
    using unit = float_unit<Real, 1, false>;
    static constexpr int rounds_ahead = 4;

    struct outcome {
        double high = 0, low = 0; // the sum is that of both
        bool exact = false;
    };

    [[nodiscard]] __device__ static bool takes(call const& c) {
        return c.op == operation::sum && (c.result == dtype::float64 || c.result == dtype::float32);
    }

    __device__ explicit pair_lane(call const&) {}

    /// Adds the values of a step. The whole warp, one output a group.
    template <int Count, class Group>
    __device__ void step(unit const (&units)[Count], Group const& group, step_place const& place) {
        float largest = 0;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int i = 0; i < unit::values; ++i) {
                largest = cuda::max_magnitude(largest, units[u].upper_word(i));
                signs_ &= units[u].upper_word(i);
            }
        std::uint32_t const peak = __float_as_uint(largest);
        if (steps_++ == 0)
            aim(group.max(peak), place.continues ? bits_for(place.end) : group.shift() + bits_for(Count * unit::values),
                place.continues);
        else
            inexact_ = inexact_ || peak >= limit_;
        peaks_ |= peak;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int i = 0; i < unit::values; ++i) add(units[u].value(i, false));
    }

    /// In every lane of the group.
    template <int Steps = 0, class Group>
    [[nodiscard]] __device__ outcome finish(Group const& group) const {
        outcome result;
        // Zeros alone: -0 if all are, which makes no difference to the other lanes' sums.
        int const zero = peaks_ == 0 ? static_cast<int>(signs_ & 0x80000000u) : 0;
        result.high = group.exact_sum(with_sign(__dsub_rn(high_, magic_[0]), zero));
        result.low = group.exact_sum(with_sign(__dsub_rn(low_, magic_[1]), zero));
        result.exact = !group.any(inexact_);
        return result;
    }

    /// Rounds and writes what one lane knows of an output of `elements` elements. False if it is not the sum.
    [[nodiscard]] __device__ static bool write(call const& c, std::int64_t output, std::int64_t elements,
                                               outcome const& known) {
        if (elements == 0) {
            write_result(c, output, c.empty);
            return true;
        }
        if (!known.exact) return false;
        double const sum = __dadd_rn(known.high, known.low);
        // What the rounding took away, exactly (Knuth).
        double const low = __dsub_rn(sum, known.high);
        double const error = __dadd_rn(__dsub_rn(known.high, __dsub_rn(sum, low)), __dsub_rn(known.low, low));
        if (c.result == dtype::float64) {
            write_result(c, output, cuda::bits_of(sum), 0, error != 0 ? status_flags::inexact : status_flags::none);
            return true;
        }
        double const odd = rounded_to_odd(sum, error);
        float const narrow = cuda::narrow(odd);
        status_flags status = error != 0 || cuda::widen(narrow) != odd ? status_flags::inexact : status_flags::none;
        std::uint32_t const bits = __float_as_uint(narrow);
        if ((bits & 0x7fffffffu) == 0x7f800000u) status = status_flags::overflow | status_flags::inexact;
        write_result(c, output, bits, 0, status);
        return true;
    }

  private:
    using format = cuda::peak_format<Real>;
    static constexpr int slack = 4; // where more steps follow, in bits: their values may be larger
    static constexpr std::uint32_t exponent_step = 1u << format::fraction;
    static constexpr std::uint32_t lowest_peak =
        Real == dtype::float64 ? (1023u - 960u) << format::fraction : 0u; // M2 must be a normal number
    static constexpr std::uint32_t highest_peak =
        Real == dtype::float64 ? (1023u + 980u) << format::fraction : cuda::limit_of_infinity<Real>; // M1 as well

    /// Binary logarithm of a number of elements, rounded up.
    __device__ static int bits_for(int elements) {
        return 32 - __clz(elements - 1);
    }

    __device__ void aim(std::uint32_t peak, int bits, bool continues) {
        inexact_ = peak >= highest_peak;
        int const spare = continues ? slack : 0;
        std::uint32_t const within = ::min(::max(peak, lowest_peak), highest_peak);
        int const field = static_cast<int>(within >> format::fraction) + 1 + spare;
        limit_ = ::min(static_cast<std::uint32_t>(field) << format::fraction, highest_peak);
        int const top = field - format::bias;
        int const high = ((top + bits + 1 + 1023) << 20) | 0x80000;
        magic_[0] = high_ = __hiloint2double(high, 0);
        magic_[1] = low_ = __hiloint2double(high + ((bits - 52) << 20), 0);
    }

    __device__ void add(double x) {
        double const high = __dadd_rn(high_, x);
        double const rest = __dsub_rn(x, __dsub_rn(high, high_));
        double const low = __dadd_rn(low_, rest);
        inexact_ = inexact_ || __dsub_rn(low, low_) != rest;
        high_ = high;
        low_ = low;
    }

    __device__ static double with_sign(double x, int sign) {
        return __hiloint2double(__double2hiint(x) | sign, __double2loint(x));
    }

    /// The float64 number next to sum + error, on the side where the last bit is 1, if the error is not 0: it rounds to
    /// a narrower type as the exact value does. The sum is not 0 then.
    __device__ static double rounded_to_odd(double sum, double error) {
        std::uint64_t const bits = cuda::bits_of(sum);
        if (error == 0 || (bits & 1) != 0) return sum;
        bool const outwards = (error < 0) == (sum < 0);
        return __longlong_as_double(static_cast<long long>(outwards ? bits + 1 : bits - 1));
    }

    double high_ = 0, low_ = 0, magic_[2] = {};
    std::uint32_t limit_ = 0, peaks_ = 0, signs_ = 0xffffffffu;
    int steps_ = 0;
    bool inexact_ = false;
};

/// The lane for a quicker attempt at what a lane does, where there is one.
template <class Lane>
struct quicker {
    static constexpr bool exists = false;
};
template <dtype Real>
requires(Real == dtype::float64 || Real == dtype::float32) struct quicker<fold_lane<Real, 1, false, false>> {
    static constexpr bool exists = true;
    using lane = pair_lane<Real>;
};

} // namespace steadfold::inline v0::segmented
