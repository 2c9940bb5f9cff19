// `fast` mode: plain float64 adds, in an order fixed by the grid.
#pragma once

#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/element.cuh"
#include "reduce/plan.hpp"

namespace steadfold::inline v0::cuda {

/// Sums of values (with All also of magnitudes and squares), or of products of pairs. Inf and NaN are counted and left
/// out, as in exact mode.
template <dtype Real, int Components, bool Pairs, bool All>
class fast_pass {
  public:
    static constexpr dtype real = Real;
    static constexpr int min_blocks = 1;
    static constexpr int components = Components;
    static constexpr bool has_pairs = Pairs, compares = false, is_fast = true;

    using load = element<Real>;
    using storage = typename load::storage;
    static constexpr int width = per_vector<Real>, element_bytes = sizeof(storage);

    __device__ fast_pass(pass_arguments const& arguments, exact::reduction_state& block)
        : arguments_{arguments}, block_{block}, x_{static_cast<storage const*>(arguments.x)},
          y_{static_cast<storage const*>(arguments.y)} {}

    __device__ void start(int) {}
    __device__ int top_at(std::int64_t) const { return 0; }

    template <int Count>
    __device__ void batch(vector16 const (&x)[Count], vector16 const (&y)[Count], std::int64_t first,
                          std::int64_t stride) {
        if (any_special<Real>(x) || (Pairs && any_special<Real>(y))) { // read again by index: see float_pass::batch
#pragma unroll 1
            for (int i = 0; i < Count * width; ++i) single(first + i / width * stride + i % width);
            return;
        }
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j) {
                double const value = load::at(x[u], j);
                add(value, Pairs ? load::at(y[u], j) : value, Components == 2 ? j & 1 : 0);
            }
    }

    /// One component, which may be anything.
    __device__ void single(std::int64_t i) {
        double const x = load::of(x_[i]), y = Pairs ? load::of(y_[i]) : x;
        int const component = Components == 2 ? static_cast<int>(i & 1) : 0;
        double const other = Components == 2 ? load::of(x_[i ^ 1]) : x;
        bool const nan =
            exact::is_nan_bits(bits_of(x)) || exact::is_nan_bits(bits_of(y)) || exact::is_nan_bits(bits_of(other));
        if (!nan && exact::is_finite_bits(bits_of(x)) && exact::is_finite_bits(bits_of(y)))
            add(x, y, component);
        else if (arguments_.counts_specials)
            count(x, y, other, nan, component, arguments_.first_index + i / Components);
    }

    __device__ void finish(block_partial& partial) {
#pragma unroll
        for (int c = 0; c < Components; ++c) {
            if (seen_[c]) shared_mark(block_.component[c].counts.not_negative_zero);
#pragma unroll
            for (int k = 0; k < 3; ++k) partial.fast[c][k] = sums_[c][k];
        }
    }

  private:
    __device__ void add(double x, double y, int component) {
        // Components are told apart by a comparison, so that the sums stay in registers.
#pragma unroll
        for (int c = 0; c < Components; ++c) {
            if (c != component) continue;
            if constexpr (Pairs) {
                sums_[c][2] += x * y;
            } else {
                sums_[c][0] += x;
                if constexpr (All) {
                    sums_[c][1] += fabs(x);
                    sums_[c][2] += x * x;
                }
            }
            if (!seen_[c]) seen_[c] = bits_of(Pairs ? x * y : x) != exact::negative_zero_bits;
        }
    }

    __device__ void count(double x, double y, double other, bool nan, int component, std::int64_t index) {
        exact::special_counts& whole = block_.component[0].counts;
        exact::special_counts& part = block_.component[component].counts;
        bool const infinite = exact::is_infinite_bits(bits_of(x)), first = component == 0;
        if (nan) {
            if (!first) return;
            shared_count(&whole.nan, 1);
            atomicMin_block(reinterpret_cast<long long*>(&block_.component[0].extrema.first_nan),
                            static_cast<long long>(index));
            return;
        }
        shared_mark(part.not_negative_zero);
        if constexpr (Pairs) {
            bool const zero = exact::is_zero_bits(bits_of(x)) || exact::is_zero_bits(bits_of(y));
            bool const negative = ((bits_of(x) ^ bits_of(y)) >> 63) != 0;
            shared_count(zero ? &whole.invalid : negative ? &whole.negative_infinity : &whole.positive_infinity, 1);
        } else {
            // An infinite element is met at each of its infinite parts: the first one counts it.
            if (first || !exact::is_infinite_bits(bits_of(other))) shared_count(&whole.infinite, 1);
            if (infinite) shared_count(x < 0 ? &part.negative_infinity : &part.positive_infinity, 1);
        }
    }

    pass_arguments const& arguments_;
    exact::reduction_state& block_;
    storage const* x_;
    storage const* y_;
    double sums_[Components][3] = {};
    bool seen_[Components] = {};
};

} // namespace steadfold::inline v0::cuda
