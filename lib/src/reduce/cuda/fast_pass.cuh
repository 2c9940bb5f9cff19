// `fast` mode: plain float64 adds, in an order fixed by the grid.
#pragma once

#include "reduce/cuda/block_state.cuh"
#include "reduce/cuda/element.cuh"
#include "reduce/plan.hpp"

namespace steadfold::inline v0::cuda {

/// Sums, magnitudes and squares of values, or products of pairs. Inf and NaN are counted and left out, as in exact
/// mode.
template <dtype Real, int Components, bool Pairs>
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
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j)
                take(load::at(x[u], j), Pairs ? load::at(y[u], j) : 0.0, first + u * stride + j);
    }

    __device__ void single(std::int64_t i) {
        take(load::of(x_[i]), Pairs ? load::of(y_[i]) : 0.0, i);
    }

    __device__ void finish(block_partial& partial) {
        for (int c = 0; c < Components; ++c) {
            if (seen_[c]) shared_mark(block_.component[c].counts.not_negative_zero);
            for (int k = 0; k < 3; ++k) partial.fast[c][k] = sums_[c][k];
        }
    }

  private:
    __device__ void take(double x, double y, std::int64_t i) {
        int const component = Components == 2 ? static_cast<int>(i & 1) : 0;
        double const other = Components == 2 ? load::of(x_[i ^ 1]) : x;
        bool const finite = exact::is_finite_bits(bits_of(x)) && !exact::is_nan_bits(bits_of(other)) &&
                            (!Pairs || exact::is_finite_bits(bits_of(y)));
        if (!finite) {
            if (!arguments_.counts_specials) return;
            if constexpr (Pairs)
                count_pair(bits_of(x), bits_of(y));
            else
                count_value(bits_of(x), bits_of(other), component, i);
            return;
        }
#pragma unroll
        for (int c = 0; c < Components; ++c) {
            if (c != component) continue;
            if constexpr (Pairs) {
                sums_[c][2] += x * y;
                seen_[c] = seen_[c] || bits_of(x * y) != exact::negative_zero_bits;
            } else {
                sums_[c][0] += x;
                sums_[c][1] += fabs(x);
                sums_[c][2] += x * x;
                seen_[c] = seen_[c] || bits_of(x) != exact::negative_zero_bits;
            }
        }
    }

    __device__ void count_value(std::uint64_t x, std::uint64_t other, int component, std::int64_t i) {
        exact::special_counts& whole = block_.component[0].counts;
        if (exact::is_nan_bits(x) || exact::is_nan_bits(other)) {
            if (component != 0) return;
            shared_count(&whole.nan, 1);
            atomicMin_block(reinterpret_cast<long long*>(&block_.component[0].extrema.first_nan),
                            static_cast<long long>(arguments_.first_index + i / Components));
            return;
        }
        // Every infinite element is met at its infinite parts: the first of them counts it.
        if (component == 0 || !exact::is_infinite_bits(other)) shared_count(&whole.infinite, 1);
        exact::special_counts& part = block_.component[component].counts;
        shared_mark(part.not_negative_zero);
        shared_count(x >> 63 ? &part.negative_infinity : &part.positive_infinity, 1);
    }

    __device__ void count_pair(std::uint64_t x, std::uint64_t y) {
        exact::special_counts& counts = block_.component[0].counts;
        shared_mark(counts.not_negative_zero);
        if (exact::is_nan_bits(x) || exact::is_nan_bits(y))
            shared_count(&counts.nan, 1);
        else if (exact::is_zero_bits(x) || exact::is_zero_bits(y))
            shared_count(&counts.invalid, 1);
        else
            shared_count((x ^ y) >> 63 ? &counts.negative_infinity : &counts.positive_infinity, 1);
    }

    pass_arguments const& arguments_;
    exact::reduction_state& block_;
    storage const* x_;
    storage const* y_;
    double sums_[Components][3] = {};
    bool seen_[Components] = {};
};

} // namespace steadfold::inline v0::cuda
