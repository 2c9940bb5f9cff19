// The kernels of one floating-point component type; each .cu beside this file instantiates it for one type.
#pragma once

#include "reduce/cuda/fast_pass.cuh"
#include "reduce/cuda/float_pass.cuh"
#include "reduce/cuda/kernel_choice.cuh"

namespace steadfold::inline v0::cuda {

template <dtype Real>
kernel_choice find_real_kernel(unsigned family, bool fast) {
    if (fast) {
        if (family == family_pairs) return choice_of<fast_pass<Real, 1, true, false>>();
        if (family == family_sum) return choice_of<fast_pass<Real, 1, false, false>>();
        return choice_of<fast_pass<Real, 1, false, true>>();
    }
    switch (family) {
    case family_sum:
        return choice_of<float_pass<Real, 1, family_sum>>();
    case family_l1:
        return choice_of<float_pass<Real, 1, family_l1>>();
    case family_moments:
        return choice_of<float_pass<Real, 1, family_moments>>();
    case family_extrema:
        return choice_of<float_pass<Real, 1, family_extrema>>();
    case family_pairs:
        return choice_of<float_pass<Real, 1, family_pairs>>();
    default:
        return choice_of<float_pass<Real, 1, family_all>>();
    }
}

/// Complex data has sums only: no order, no pairs here.
template <dtype Real>
kernel_choice find_complex_kernel(unsigned family, bool fast) {
    if (fast) return choice_of<fast_pass<Real, 2, false, true>>();
    if (family == family_sum) return choice_of<float_pass<Real, 2, family_sum>>();
    return choice_of<float_pass<Real, 2, family_all>>();
}

} // namespace steadfold::inline v0::cuda
