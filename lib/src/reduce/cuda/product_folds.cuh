// Exact products of two values and what one thread sums of them.
#pragma once

#include "exact/element.hpp"
#include "reduce/cuda/peak.cuh"
#include "reduce/cuda/sum_folds.cuh"

namespace steadfold::inline v0::cuda {

/// value = high + low, exactly: low is the rounding error of a float64 product, and 0 for narrower types.
struct exact_product {
    double high, low;
};

template <dtype Real>
__device__ exact_product multiply(vector16 const& x, vector16 const& y, int i) {
    using load = element<Real>;
    if constexpr (Real == dtype::float64) {
        double const a = load::at(x, i), b = load::at(y, i), p = __dmul_rn(a, b);
        return {p, __fma_rn(a, b, -p)};
    } else if constexpr (Real == dtype::float16) { // 22 bits between 2^-48 and 2^32: exact in float32
        return {widen(__fmul_rn(load::template as<float>(x, i), load::template as<float>(y, i))), 0.0};
    } else {
        return {__dmul_rn(load::at(x, i), load::at(y, i)), 0.0};
    }
}

/// Below 2^-968 a float64 product loses bits of its error, and all of itself at the end: those go through integers.
inline constexpr int tiny_product_exponent = -968;

__device__ inline bool is_tiny_product(double x, double y, double product) {
    return magnitude_high(product) < high_of_power(tiny_product_exponent) && !exact::is_zero_bits(bits_of(x)) &&
           !exact::is_zero_bits(bits_of(y));
}

/// True if the batch may have such a product: zeros look like it.
template <int Count>
__device__ bool may_be_tiny(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
    using load = element<dtype::float64>;
    float smallest = __builtin_huge_valf();
#pragma unroll
    for (int u = 0; u < Count; ++u)
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            double const product = __dmul_rn(load::at(x[u], j), load::at(y[u], j));
            smallest = min_magnitude(smallest, static_cast<std::uint32_t>(__double2hiint(product)));
        }
    return __float_as_uint(smallest) < high_of_power(tiny_product_exponent);
}

/// The peak of a batch of pairs: of their products, as float64, but of half the elements: one window takes all of
/// those.
template <dtype Real, int Count>
__device__ std::uint32_t pair_peak(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
    if constexpr (Real == dtype::float16) {
        return ::max(peak_of<Real>(x), peak_of<Real>(y));
    } else {
        float peak = 0;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < per_vector<Real>; ++j) {
                double const product = __dmul_rn(element<Real>::at(x[u], j), element<Real>::at(y[u], j));
                peak = max_magnitude(peak, static_cast<std::uint32_t>(__double2hiint(product)));
            }
        return __float_as_uint(peak);
    }
}

/// Folds of products. Those of float64 have 106 bits: the first fold sees the high parts only, the second both parts,
/// the third the low parts only.
template <dtype Real>
class product_folds {
  public:
    static constexpr bool has_low = Real == dtype::float64;
    static constexpr int folds = has_low ? 3 : 2;
    using window_type = float64_window<folds, 49>; // a bit more reach, for flushes twice as often
    static constexpr int floor = exact::lowest_product_bit(Real);

    /// Products of a run; the second fold sees two parts of each, the other one far below the first.
    static constexpr int most_of_run = window_type::most_of_run - (has_low ? 1 : 0);

    __device__ void aim(int top) { window_.aim(top, floor); }

    /// A few products that follow each other.
    class run {
      public:
        __device__ explicit run(product_folds const& of) : folds_{of.window_} {}

        /// Non-zero if a rest is left.
        __device__ std::uint32_t add(exact_product const& p) {
            exact_product const left = turned_rest(p);
            return rest_bits(left.high) | (has_low ? rest_bits(left.low) : 0);
        }
        /// The same arithmetic, for what add() left.
        __device__ exact_product rest(exact_product const& p) {
            exact_product const left = turned_rest(p);
            return {-left.high, -left.low};
        }

      private:
        friend product_folds;

        __device__ exact_product turned_rest(exact_product const& p) {
            exact_product left{folds_.template add<0, 2>(p.high), 0.0};
            if constexpr (has_low) left.low = folds_.template add<1, 3>(p.low);
            return left;
        }

        digit_run<window_type> folds_;
    };

    __device__ void take(run const& done) { digits_.take(done.folds_); }

    /// Of a part that add() left: a digit more for the last fold, and what is left then.
    __device__ double rest_of_last(double part, std::int64_t& digits) const {
        double const magic = window_.magic[folds - 1], t = __dadd_rn(part, magic);
        digits += static_cast<std::int64_t>(bits_of(t) - bits_of(magic));
        return __dsub_rn(part, __dsub_rn(t, magic));
    }
    __device__ void add_to_last(std::int64_t digits) { digits_.sum[folds - 1] += static_cast<std::uint64_t>(digits); }

    template <class Target>
    __device__ void flush(int top, std::uint32_t runs, Target& target) {
#pragma unroll
        for (int i = 0; i < folds; ++i) {
            exact::deposit(target.limb, Target::anchor, digits_.digits(i, window_, runs),
                           window_type::exponent(top, floor, i), shared_add{});
            digits_.sum[i] = 0;
        }
    }
    /// Of all lanes together, a piece a lane; every lane has the same window.
    __device__ std::int32_t piece(std::uint32_t runs) const {
        std::int64_t digits[folds];
#pragma unroll
        for (int i = 0; i < folds; ++i) digits[i] = digits_.digits(i, window_, runs);
        return warp_piece(digits);
    }

  private:
    window_type window_;
    float64_digits<window_type> digits_;
};

} // namespace steadfold::inline v0::cuda
