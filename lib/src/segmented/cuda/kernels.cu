// The quick kernels, compiled once for each element type: STEADFOLD_TYPE names it, STEADFOLD_COMPONENTS is 2 for
// complex data, STEADFOLD_TYPE_NAME is the suffix of the function find_kernels.cpp calls. Integers of all widths share
// one unit.
#include "segmented/cuda/columns_kernel.cuh"
#include "segmented/cuda/extreme_lane.cuh"
#include "segmented/cuda/integer_lane.cuh"
#include "segmented/cuda/rows_kernel.cuh"

#define STEADFOLD_JOIN2(name) find_##name##_kernel
#define STEADFOLD_JOIN(name) STEADFOLD_JOIN2(name)

namespace steadfold::inline v0::segmented {

namespace {

constexpr dtype real = dtype::STEADFOLD_TYPE;
constexpr int components = STEADFOLD_COMPONENTS;

template <class Rows, class Columns>
kernel either(kernel_family family) {
    switch (family) {
    case kernel_family::rows:
        return rows_kernel<Rows, warp_group>;
    case kernel_family::short_rows:
        return rows_kernel<Rows, lane_group>;
    default:
        return columns_kernel<Columns>;
    }
}

} // namespace

kernel STEADFOLD_JOIN(STEADFOLD_TYPE_NAME)(operation op, kernel_family family) {
    switch (op) {
    case operation::sum:
    case operation::mean:
    case operation::l1:
        if constexpr (is_integer(real))
            return either<integer_lane<false>, integer_lane<true>>(family);
        else
            return either<fold_lane<real, components, false, false>, fold_lane<real, components, false, true>>(family);
    case operation::sum_of_squares:
    case operation::l2:
        if constexpr (real == dtype::float64 || real == dtype::float32)
            return either<fold_lane<real, components, true, false>, fold_lane<real, components, true, true>>(family);
        else
            return nullptr;
    case operation::min:
    case operation::max:
    case operation::argmin:
    case operation::argmax:
    case operation::linf:
        if constexpr (is_integer(real))
            return either<extreme_lane<integer_unit<false>>, extreme_lane<integer_unit<true>>>(family);
        else if constexpr (components == 1)
            return either<extreme_lane<float_unit<real, 1, false>>, extreme_lane<float_unit<real, 1, true>>>(family);
        else
            return nullptr;
    default:
        return nullptr;
    }
}

} // namespace steadfold::inline v0::segmented
