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

/// Every element, padding left out, to the extremes.
template <dtype Real, class Batch>
__device__ void offer_all(thread_extremes& extremes, std::int64_t first_index, Batch const& batch) {
    for_each_vector(batch, [&](vector16 const& x, vector16 const&, int u) {
#pragma unroll
        for (int j = 0; j < per_vector<Real>; ++j)
            if (std::int64_t const i = batch.component(u, j); i >= 0)
                extremes.offer(element<Real>::at(x, j), first_index + i);
    });
}

/// True if some element is smaller or larger than all the thread has been offered. Padding may be.
template <dtype Real, class Batch>
__device__ bool any_better(thread_extremes const& extremes, Batch const& batch) {
    bool better = false;
    for_each_vector(batch, [&](vector16 const& x, vector16 const&, int) {
#pragma unroll
        for (int j = 0; j < per_vector<Real>; ++j) better = better || extremes.is_better(element<Real>::at(x, j));
    });
    return better;
}

} // namespace steadfold::inline v0::cuda
