#include "reduce/cuda/pass.hpp"

namespace steadfold::inline v0::cuda {

// Each in a unit of its own, so that they compile side by side: see kernels.cu and CMakeLists.txt.
using finder = kernel_choice(unsigned family);
finder find_float64_sums, find_float64_statistics, find_float64_fast;
finder find_float32_sums, find_float32_statistics, find_float32_fast;
finder find_float16_sums, find_float16_statistics, find_bfloat16_sums, find_bfloat16_statistics;
finder find_complex128_sums, find_complex128_statistics, find_complex128_fast;
finder find_complex64_sums, find_complex64_statistics, find_complex64_fast;
finder find_int64_sums, find_int64_statistics, find_uint64_sums, find_uint64_statistics;

namespace {

struct finders {
    finder *sums, *statistics, *fast; // null: `fast` is exact too
};

finders finders_of(dtype real, int components) {
    switch (real) {
    case dtype::float64:
        if (components == 2) return {find_complex128_sums, find_complex128_statistics, find_complex128_fast};
        return {find_float64_sums, find_float64_statistics, find_float64_fast};
    case dtype::float32:
        if (components == 2) return {find_complex64_sums, find_complex64_statistics, find_complex64_fast};
        return {find_float32_sums, find_float32_statistics, find_float32_fast};
    case dtype::float16:
        return {find_float16_sums, find_float16_statistics, nullptr};
    case dtype::bfloat16:
        return {find_bfloat16_sums, find_bfloat16_statistics, nullptr};
    default: // one kernel serves all widths
        return is_signed_integer(real) ? finders{find_int64_sums, find_int64_statistics, nullptr}
                                       : finders{find_uint64_sums, find_uint64_statistics, nullptr};
    }
}

} // namespace

kernel_choice find_kernel(reduce_detail::plan const& plan, bool fast) {
    using namespace reduce_detail;
    dtype const real = component_type(plan.type);
    int const components = component_count(plan.type);
    finders const of = finders_of(real, components);
    unsigned const family = family_of(fast ? plan.fast_features : plan.features);
    if (fast) return of.fast(family);
    // Complex data and integers have no kernels for magnitudes or squares alone, but take the largest family.
    bool const has_parts = !is_integer(real) && components == 1;
    bool const is_sum = family == family_sum || family == family_pairs ||
                        (has_parts && (family == family_l1 || family == family_squares));
    return is_sum ? of.sums(family) : of.statistics(family);
}

} // namespace steadfold::inline v0::cuda
