// What is rarely asked about a batch reads its vectors again: that keeps the usual way short and in few registers.
#pragma once

#include "reduce/cuda/extremes.cuh"
#include "reduce/cuda/float_block.cuh"
#include "reduce/cuda/product_folds.cuh"
#include "reduce/cuda/vector_loads.cuh"

namespace steadfold::inline v0::cuda {

/// f(x, y, u) for every vector u of a batch_vectors.
template <class Batch, class Function>
__device__ void for_each_vector(Batch const& batch, Function const& f) {
#pragma unroll 1
    for (int u = 0; u < Batch::count; ++u) {
        vector16 x, y;
        batch.read(u, x, y);
        f(x, y, u);
    }
}

template <dtype Real, class Batch>
__device__ bool any_tiny_product(Batch const& batch) {
    bool tiny = false;
    for_each_vector(batch, [&](vector16 const& x, vector16 const& y, int) {
#pragma unroll
        for (int j = 0; j < per_vector<Real>; ++j) {
            double const a = element<Real>::at(x, j), b = element<Real>::at(y, j);
            tiny = tiny || is_tiny_product(a, b, __dmul_rn(a, b));
        }
    });
    return tiny;
}

/// Bit c: component c of some element, or product of some pair, is not -0.
template <dtype Real, int Components, bool Pairs, class Batch>
__device__ int not_negative_zero(Batch const& batch) {
    int seen = 0;
    for_each_vector(batch, [&](vector16 const& x, vector16 const& y, int) {
#pragma unroll
        for (int j = 0; j < per_vector<Real>; ++j) {
            std::uint64_t const bits = bits_of(element<Real>::at(x, j));
            bool const other = Pairs ? !is_negative_zero_product(bits, bits_of(element<Real>::at(y, j)))
                                     : bits != exact::negative_zero_bits;
            if (other) seen |= 1 << (j & (Components - 1));
        }
    });
    return seen;
}

/// Elements that are 0, padding left out.
template <dtype Real, int Components, class Batch>
__device__ std::int64_t zeros_among(Batch const& batch) {
    std::int64_t zeros = 0;
    for_each_vector(batch, [&](vector16 const& x, vector16 const&, int u) {
#pragma unroll
        for (int j = 0; j < per_vector<Real>; j += Components) {
            bool const zero = exact::is_zero_bits(bits_of(element<Real>::at(x, j))) &&
                              exact::is_zero_bits(bits_of(element<Real>::at(x, j + Components - 1)));
            if (zero && batch.component(u, j) >= 0) ++zeros;
        }
    });
    return zeros;
}

/// The best of the thread's elements at one end of the range; padding and NaN left out.
template <dtype Real, class Batch>
__device__ ranked best_of_batch(Batch const& batch, std::int64_t first_index, end_of_range end) {
    ranked best;
    for_each_vector(batch, [&](vector16 const& x, vector16 const&, int u) {
#pragma unroll
        for (int j = 0; j < per_vector<Real>; ++j) {
            std::uint64_t const bits = bits_of(element<Real>::at(x, j));
            ranked mine = ranked::of_key(exact::ordered_key(bits), INT64_MAX, end);
            if (mine.rank < best.rank || exact::is_nan_bits(bits)) continue;
            std::int64_t const i = batch.component(u, j);
            mine.before = static_cast<std::uint64_t>(INT64_MAX - first_index - i);
            if (i >= 0 && mine.beats(best)) best = mine;
        }
    });
    return best;
}

/// The whole warp, with a batch that may improve on what the block knows. Elements of a warp come in the order of their
/// indices, but for those at the ends of the array, which are always looked at.
template <dtype Real, class Batch>
__device__ void look_for_extremes(block_extremes& extremes, word_range const& range, std::int64_t first_index,
                                  Batch const& batch) {
    constexpr unsigned all = 0xffffffffu;
    bool const hidden = range.low != range.low; // by a NaN, or a word that looks like one
    bool const at_both = __any_sync(all, hidden || batch.has_ends());
    block_extremes::limits const known = extremes.of_this_warp();
#pragma unroll 1
    for (int k = 0; k < 2; ++k) {
        end_of_range const end = k == 0 ? end_of_range::low : end_of_range::high;
        bool const improves = rank_of_word(range, end) > (k == 0 ? known.low : known.high);
        if (!at_both && !__any_sync(all, improves)) continue;
        ranked const found = best_of_warp(best_of_batch<Real>(batch, first_index, end));
        if (found.rank != 0) extremes.offer<Real>(found, end);
    }
}

} // namespace steadfold::inline v0::cuda
