// The quick kernels, compiled once for each element type: STEADFOLD_TYPE names it, STEADFOLD_COMPONENTS is 2 for
// complex data, STEADFOLD_TYPE_NAME is the suffix of the function find_kernel.cpp calls. Integers of all widths share
// one unit, and so do both 16-bit floating-point formats.
#include "segmented/cuda/extreme_lane.cuh"
#include "segmented/cuda/integer_lane.cuh"
#include "segmented/cuda/quick_kernel.cuh"

#define STEADFOLD_JOIN2(name) find_##name##_kernels
#define STEADFOLD_JOIN(name) STEADFOLD_JOIN2(name)

namespace steadfold::inline v0::segmented {

namespace {

constexpr dtype real = dtype::STEADFOLD_TYPE;
constexpr int components = STEADFOLD_COMPONENTS;

template <class RowLane, class ColumnLane>
quick_kernels choose() {
    return {row_kernel<RowLane>, column_kernel<ColumnLane>};
}

constexpr bool has_squares = real == dtype::float64 || real == dtype::float32;

} // namespace

quick_kernels STEADFOLD_JOIN(STEADFOLD_TYPE_NAME)(operation op) {
    switch (op) {
    case operation::sum:
    case operation::mean:
    case operation::l1:
        if constexpr (is_integer(real))
            return choose<integer_lane<false>, integer_lane<true>>();
        else
            return choose<fold_lane<real, components, false, false>, fold_lane<real, components, false, true>>();
    case operation::sum_of_squares:
    case operation::l2:
        if constexpr (has_squares)
            return choose<fold_lane<real, components, true, false>, fold_lane<real, components, true, true>>();
        else
            return {};
    case operation::min:
    case operation::max:
    case operation::argmin:
    case operation::argmax:
    case operation::linf:
        if constexpr (is_integer(real))
            return choose<extreme_lane<integer_unit<false>>, extreme_lane<integer_unit<true>>>();
        else if constexpr (components == 1)
            return choose<extreme_lane<float_unit<real, 1, false>>, extreme_lane<float_unit<real, 1, true>>>();
        else
            return {};
    default:
        return {};
    }
}

} // namespace steadfold::inline v0::segmented
