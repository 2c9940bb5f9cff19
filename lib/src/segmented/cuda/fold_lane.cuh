// Sums of floating-point values by the folds, straight to the rounded result (EXACT.md, "Folds"): no superaccumulator
// where every value fits one window.
#pragma once

#include "exact/window.hpp"
#include "reduce/cuda/peak.cuh"
#include "segmented/cuda/lane_group.cuh"
#include "segmented/cuda/unit.cuh"
#include "segmented/cuda/warp_store.cuh"
#include "segmented/cuda/write_result.cuh"
#include "segmented/wide_sum.hpp"

#include <cstddef>

namespace steadfold::inline v0::segmented {

/// Where more steps follow, the window is this much wider than the first one needs.
inline constexpr int window_slack = 8;

/// Sums of values, of magnitudes (`Squares` false; the call says which) or of squares. `Real` may be either_half.
template <dtype Real, int Components, bool Squares, bool Single>
class fold_lane {
  public:
    using unit = float_unit<Real, Components, Single>;
    static constexpr int rounds_ahead = 2;
    static constexpr bool is_half = Real == either_half;
    static constexpr bool has_errors = Squares && Real == dtype::float64; // narrower squares are exact
    static constexpr int folds = has_errors ? 3 : is_half && !Squares ? 1 : 2;
    static constexpr int sums = Squares ? 1 : Components; // squares of both parts are added together

    /// What is known of an output when all its values are in.
    struct outcome {
        std::int64_t digits[sums][folds] = {};
        int top = 0;
        int nans = 0;
        bool out_of_reach = false; // of the folds: only a superaccumulator can sum it
        bool negative[sums] = {};  // all values have a sign: a sum of zero is -0
    };

    __device__ explicit fold_lane(call const& c)
        : mask_{c.op == operation::l1 ? 0x7fffffffu : 0xffffffffu}, spacing_{c.spacing}, type_{type_of(c)} {
#pragma unroll
        for (int k = 0; k < sums; ++k) signs_[k] = 0xffffffffu;
    }

    /// Adds the values of a step. The whole warp, one output a group.
    template <int Count, class Group>
    __device__ void step(unit const (&units)[Count], Group const& group, step_place const& place) {
        constexpr int count = Count * unit::values;
        double x[count];
        // One branch for all values, not one for each.
        if (type_ == dtype::bfloat16)
            widen<true>(units, x);
        else
            widen<false>(units, x);
        std::uint32_t peak = peak_of(x);
        if (peak >= cuda::high_of_infinity) peak = without_nans(x);
        if (steps_++ == 0)
            aim(group.max(peak), place.continues);
        else
            out_of_reach_ = out_of_reach_ || peak >= limit_;
#pragma unroll
        for (int i = 0; i < count; ++i) add(x[i], i % Components);
        values_ += count / Components;
    }

    /// In every lane of the group. `Steps` is 1 if there was no other.
    template <int Steps = 0, class Group>
    [[nodiscard]] __device__ outcome finish(Group const& group) {
        // 32 lanes with 4 units of values below 2^50 each.
        constexpr bool is_small = Steps == 1 && unit::values * 4 <= 8;

        outcome result;
#pragma unroll
        for (int c = 0; c < sums; ++c) {
#pragma unroll
            for (int i = 0; i < folds; ++i) {
                std::uint32_t const times = (has_errors && i > 0 ? 2u : 1u) * (Components / sums) * values_;
                // The low word of M is 0.
                std::uint32_t const taken = times * static_cast<std::uint32_t>(__double2hiint(magic_[i]));
                std::uint64_t const digits = digits_[c][i] - (static_cast<std::uint64_t>(taken) << 32);
                auto const mine = static_cast<std::int64_t>(digits);
                result.digits[c][i] = is_small ? group.small_sum(mine) : group.sum(mine);
            }
            result.negative[c] = group.all(signs_[c] >> 31 != 0);
        }
        result.top = top_;
        result.out_of_reach = group.any(out_of_reach_ || rests_ != 0);
        if (__any_sync(0xffffffffu, nans_ != 0)) result.nans = static_cast<int>(group.sum(nans_));
        return result;
    }

    /// Rounds and writes what one lane knows of an output of `elements` elements. False if it is out of reach.
    [[nodiscard]] __device__ static __noinline__ bool write(call const& c, std::int64_t output, std::int64_t elements,
                                                            outcome const known) {
        if (known.nans > 0 && !c.finish.ignore_nans) {
            write_result(c, output, c.nan);
            return true;
        }
        std::int64_t const taken = elements - known.nans;
        if (taken == 0) {
            write_result(c, output, c.empty);
            return true;
        }
        if (known.out_of_reach) return false;
        wide_sum const first = sum_of(c, known, 0);
        dtype const part = component_type(c.result);
        if constexpr (sums == 2) {
            wide_sum second = sum_of(c, known, 1);
            if (c.op != operation::l1) {
                exact::rounded const real = rounded(c, first, taken, known.negative[0], part);
                exact::rounded const imaginary = rounded(c, second, taken, known.negative[1], part);
                write_result(c, output, real.bits, imaginary.bits, real.status | imaginary.status);
                return true;
            }
            second.add(first);
            exact::rounded const value = rounded(c, second, taken, false, part);
            write_result(c, output, value.bits, 0, value.status);
        } else {
            exact::rounded const value = rounded(c, first, taken, known.negative[0], part);
            write_result(c, output, value.bits, 0, value.status);
        }
        return true;
    }

    /// Adds what one lane knows to a record. False, and nothing added, if it is out of reach.
    [[nodiscard]] __device__ static bool merge(call const& c, std::uint64_t* record, outcome const& known) {
        if (known.out_of_reach) return false;
        exact::fold_window const w = window(known.top, c.spacing, type_of(c));
        store_shape const& shape = c.shape;
#pragma unroll
        for (int k = 0; k < sums; ++k) {
            std::uint64_t* const limbs =
                Squares ? record + shape.products_at() : record + (shape.magnitudes ? 0 : k) * shape.sum_limbs;
            int const anchor = Squares ? shape.product_anchor : shape.sum_anchor;
#pragma unroll
            for (int i = 0; i < folds; ++i)
                exact::deposit(limbs, anchor, known.digits[k][i], w.exponent[i], record_add{});
            if (!known.negative[k]) counts(c, record, k).not_negative_zero_seen();
        }
        if (known.nans > 0) counts(c, record, 0).add_nans(known.nans);
        return true;
    }

  private:
    /// The counts of a record.
    struct record_counts {
        std::uint64_t* words;
        __device__ void add_nans(int nans) const {
            cuda::device_add(words + offsetof(exact::special_counts, nan) / 8, static_cast<std::uint64_t>(nans));
        }
        __device__ void not_negative_zero_seen() const {
            cuda::device_add(words + offsetof(exact::special_counts, not_negative_zero) / 8, 1);
        }
    };
    __device__ static record_counts counts(call const& c, std::uint64_t* record, int component) {
        return {record + c.shape.counts_at(component)};
    }

    /// `top` bounds what is folded: values, or squares.
    __device__ static exact::fold_window window(int top, int spacing, dtype type) {
        return exact::make_window(top, spacing, Squares ? exact::lowest_product_bit(type) : exact::lowest_bit(type));
    }

    /// Of the components.
    __device__ static dtype type_of(call const& c) {
        if constexpr (is_half)
            return c.type;
        else
            return Real;
    }

    template <bool IsBfloat16, int Count>
    __device__ static void widen(unit const (&units)[Count], double (&x)[Count * unit::values]) {
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int i = 0; i < unit::values; ++i) x[u * unit::values + i] = units[u].value(i, IsBfloat16);
    }

    __device__ void aim(std::uint32_t peak, bool continues) {
        constexpr int times = Squares ? 2 : 1; // squares reach twice as high
        int const needed = static_cast<int>(peak >> 20) - 1022;
        out_of_reach_ = out_of_reach_ || needed > exact::highest_window_top / times;
        exact::fold_window const w = window(times * (needed + (continues ? window_slack : 0)), spacing_, type_);
        top_ = w.top;
        limit_ = cuda::high_of_power(top_ / times);
#pragma unroll
        for (int i = 0; i < folds; ++i) magic_[i] = __longlong_as_double(static_cast<long long>(w.magic_bits[i]));
    }

    template <int Count>
    __device__ static std::uint32_t peak_of(double const (&x)[Count]) {
        float peak = 0;
#pragma unroll
        for (int i = 0; i < Count; ++i)
            peak = cuda::max_magnitude(peak, static_cast<std::uint32_t>(__double2hiint(x[i])));
        return __float_as_uint(peak);
    }

    /// Counts NaNs and takes them out; a complex element with a NaN part goes as a whole. The peak of what is left.
    template <int Count>
    __device__ std::uint32_t without_nans(double (&x)[Count]) {
        auto const is_nan = [](double v) { return exact::is_nan_bits(cuda::bits_of(v)); };
#pragma unroll
        for (int i = 0; i < Count; i += Components) {
            if (!is_nan(x[i]) && !is_nan(x[i + Components - 1])) continue;
            ++nans_;
            x[i] = x[i + Components - 1] = -0.0;
        }
        return peak_of(x);
    }

    __device__ static wide_sum sum_of(call const& c, outcome const& known, int component) {
        exact::fold_window const w = window(known.top, c.spacing, type_of(c));
        wide_sum sum;
        sum.exponent = w.exponent[folds - 1];
#pragma unroll
        for (int i = 0; i < folds; ++i) sum.add(known.digits[component][i], w.exponent[i] - sum.exponent);
        return sum;
    }

    __device__ static __noinline__ exact::rounded rounded(call const& c, wide_sum sum, std::int64_t elements,
                                                          bool negative_zero, dtype type) {
        return round_sum(sum, c.op, static_cast<std::uint64_t>(elements), type, [&] { return negative_zero; });
    }

    __device__ void add(double x, int component) {
        std::uint32_t const high = static_cast<std::uint32_t>(__double2hiint(x)) & mask_;
        int const c = sums == 2 ? component : 0;
        if constexpr (Squares) {
            double p = __dmul_rn(x, x);
            if constexpr (has_errors) {
                // The error of a product below 2^-968 is lost, and that of one that vanished altogether.
                if (static_cast<std::uint32_t>(__double2hiint(p)) < cuda::high_of_power(-968) && x != 0)
                    out_of_reach_ = true;
                fold<1>(__fma_rn(x, x, -p), c);
            }
            fold<0>(p, c);
        } else {
            signs_[c] &= high;
            fold<0>(__hiloint2double(static_cast<int>(high), __double2loint(x)), c);
        }
    }

    template <int First>
    __device__ void fold(double x, int c) {
#pragma unroll
        for (int i = First; i < folds; ++i) {
            double const t = __dadd_rn(x, magic_[i]);
            digits_[c][i] += cuda::bits_of(t);
            double const folded = __dsub_rn(t, magic_[i]);
            // The last rest has its sign turned: that of -0 is +0 then, and a rest is there exactly if it is not 0.
            x = i + 1 < folds ? __dsub_rn(x, folded) : __dsub_rn(folded, x);
        }
        rests_ |= static_cast<std::uint32_t>(__double2loint(x)) | static_cast<std::uint32_t>(__double2hiint(x));
    }

    double magic_[folds] = {};
    std::uint64_t digits_[sums][folds] = {};
    std::uint32_t mask_, limit_ = 0, rests_ = 0, values_ = 0;
    std::uint32_t signs_[sums];
    int spacing_, top_ = 0, steps_ = 0, nans_ = 0;
    bool out_of_reach_ = false;
    dtype type_; // of the components: a constant but for halves
};

} // namespace steadfold::inline v0::segmented
