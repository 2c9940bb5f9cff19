// `fast` mode: plain float64 adds, in an order fixed by the grid.
#pragma once

#include "reduce/cuda/float_block.cuh"
#include "reduce/cuda/pass.hpp"
#include "reduce/cuda/peak.cuh"
#include "reduce/cuda/vector_loads.cuh"

namespace steadfold::inline v0::cuda {

/// Sums of values (with All also of magnitudes and squares), or of products of pairs. Inf and NaN are counted and left
/// out, as in exact mode.
template <dtype Real, int Components, bool Pairs, bool All>
class fast_pass {
  public:
    using block_type = counts_block<Components>;
    using load = element<Real>;
    static constexpr dtype real = Real;
    static constexpr int components = Components, width = per_vector<Real>;
    static constexpr bool takes_two = Pairs, compares = false, is_fast = true, meets_hot = false;
    static constexpr int element_bytes = sizeof(typename load::storage);
    static constexpr std::uint64_t padding_x = std::uint64_t{1} << (8 * element_bytes - 1),
                                   padding_y = Pairs ? 0 : padding_x;
    static constexpr int min_blocks = 2, vectors_in_flight = 4;
    static constexpr int bulk_stages = most_bulk_stages, most_small_vectors = 0, most_small_elements = 0,
                         small_folds = 2;

    __device__ fast_pass(pass_arguments const& arguments, block_type& block, int)
        : arguments_{arguments}, block_{block} {}

    struct summary {
        std::uint32_t peak;
    };
    template <int Count>
    [[nodiscard]] __device__ static summary summarise(vector16 const (&x)[Count], vector16 const (&y)[Count]) {
        std::uint32_t const of_x = peak_of<Real>(x);
        return {Pairs ? ::max(of_x, peak_of<Real>(y)) : of_x};
    }

    template <int Count, class Batch>
    __device__ void batch(vector16 const (&x)[Count], vector16 const (&y)[Count], summary const& seen,
                          Batch const& where) {
        bool const any_special = seen.peak >= limit_of_infinity<Real>;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
            for (int j = 0; j < width; ++j)
                if (!any_special || belongs(x[u], y[u], j, u, where))
                    add(load::at(x[u], j), Pairs ? load::at(y[u], j) : 0, j & (components - 1));
    }

    __device__ void finish() {
#pragma unroll
        for (int c = 0; c < Components; ++c)
            if (seen_[c]) shared_mark(block_.counts[c].not_negative_zero);
    }

    __device__ void contribute(block_partial& partial) const {
#pragma unroll
        for (int c = 0; c < Components; ++c)
#pragma unroll
            for (int k = 0; k < 3; ++k) partial.fast[c][k] = sums_[c][k];
    }

  private:
    __device__ void add(double x, double y, int c) {
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

    /// False for elements that are not summed; counts them.
    template <class Batch>
    __device__ bool belongs(vector16 const& x, vector16 const& y, int j, int u, Batch const& where) {
        std::uint64_t const bits = bits_of(load::at(x, j)), other = bits_of(load::at(x, j ^ (components - 1)));
        std::uint64_t const partner = Pairs ? bits_of(load::at(y, j)) : other;
        if (exact::is_finite_bits(bits) && exact::is_finite_bits(partner)) return true;
        if (!arguments_.counts_specials) return !Pairs && exact::is_finite_bits(bits) && !exact::is_nan_bits(other);
        if constexpr (Pairs) {
            if (!exact::is_nan_bits(bits) && !exact::is_nan_bits(partner)) seen_[0] = true;
            return count_special_pair(block_, bits, partner);
        } else {
            int const c = j & (components - 1);
            if (!exact::is_nan_bits(bits) && !exact::is_nan_bits(other)) seen_[c] = true;
            return count_special(block_, bits, other, c, arguments_.first_index + where.component(u, j) / Components);
        }
    }

    pass_arguments const& arguments_;
    block_type& block_;
    double sums_[Components][3] = {};
    bool seen_[Components] = {};
};

} // namespace steadfold::inline v0::cuda
