// The kernels of one floating-point component type; each .cu beside this file instantiates it for one type.
#pragma once

#include "reduce/cuda/fast_pass.cuh"
#include "reduce/cuda/float_pass.cuh"
#include "reduce/cuda/reduce_kernel.cuh"

namespace steadfold::inline v0::cuda {

template <dtype Real, unsigned Family>
kernel real_kernel() {
    return reduce_kernel<float_pass<Real, 1, Family>>;
}

template <dtype Real>
kernel find_real_kernel(unsigned family, bool fast) {
    if (fast) {
        if (family == family_pairs) return reduce_kernel<fast_pass<Real, 1, true, false>>;
        if (family == family_sum) return reduce_kernel<fast_pass<Real, 1, false, false>>;
        return reduce_kernel<fast_pass<Real, 1, false, true>>;
    }
    switch (family) {
    case family_sum:
        return real_kernel<Real, family_sum>();
    case family_l1:
        return real_kernel<Real, family_l1>();
    case family_moments:
        return real_kernel<Real, family_moments>();
    case family_extrema:
        return real_kernel<Real, family_extrema>();
    case family_pairs:
        return real_kernel<Real, family_pairs>();
    default:
        return real_kernel<Real, family_all>();
    }
}

/// Complex data has sums only: no order, no pairs here.
template <dtype Real>
kernel find_complex_kernel(unsigned family, bool fast) {
    if (fast) return reduce_kernel<fast_pass<Real, 2, false, true>>;
    if (family == family_sum) return reduce_kernel<float_pass<Real, 2, family_sum>>;
    return reduce_kernel<float_pass<Real, 2, family_all>>;
}

} // namespace steadfold::inline v0::cuda
