// Compiled once for each element type and group of families, so that no unit takes long: STEADFOLD_TYPE and
// STEADFOLD_GROUP name them, STEADFOLD_COMPONENTS is 2 for complex data. find_kernel.cpp declares what these units
// define.
#include "reduce/cuda/fast_pass.cuh"
#include "reduce/cuda/float_pass.cuh"
#include "reduce/cuda/integer_pass.cuh"
#include "reduce/cuda/reduce_kernel.cuh"

#define STEADFOLD_JOIN2(type, group) find_##type##_##group
#define STEADFOLD_JOIN(type, group) STEADFOLD_JOIN2(type, group)

namespace steadfold::inline v0::cuda {

namespace {

constexpr dtype type = dtype::STEADFOLD_TYPE;
constexpr int components = STEADFOLD_COMPONENTS;

enum class group { sums, statistics, fast };

template <class Pass>
kernel_choice choice_of() {
    return {reduce_kernel<Pass>,
            sizeof(shared_memory<Pass>),
            Pass::vectors_in_flight,
            Pass::bulk_stages,
            Pass::most_small_vectors,
            Pass::small_folds,
            Pass::most_small_elements,
            true,
            Pass::compares || Pass::is_fast};
}

template <unsigned Family>
kernel_choice exact_choice() {
    if constexpr (is_integer(type))
        return choice_of<integer_pass<is_signed_integer(type), Family>>();
    else
        return choice_of<float_pass<type, components, Family>>();
}

template <group Group>
kernel_choice find(unsigned family) {
    if constexpr (Group == group::fast) {
        if constexpr (components == 1) {
            if (family == family_pairs || family == family_squares)
                return choice_of<fast_pass<type, components, true, false>>();
            if (family == family_sum) return choice_of<fast_pass<type, components, false, false>>();
        }
        return choice_of<fast_pass<type, components, false, true>>();
    } else if constexpr (Group == group::sums) {
        if constexpr (components == 2)
            return exact_choice<family_sum>();
        else if constexpr (is_integer(type))
            return family == family_sum ? exact_choice<family_sum>() : exact_choice<family_pairs>();
        else
            return family == family_sum       ? exact_choice<family_sum>()
                   : family == family_l1      ? exact_choice<family_l1>()
                   : family == family_squares ? exact_choice<family_squares>()
                                              : exact_choice<family_pairs>();
    } else {
        if constexpr (components == 2 || is_integer(type))
            return exact_choice<family_all>();
        else
            return family == family_moments   ? exact_choice<family_moments>()
                   : family == family_extrema ? exact_choice<family_extrema>()
                                              : exact_choice<family_all>();
    }
}

} // namespace

kernel_choice STEADFOLD_JOIN(STEADFOLD_TYPE_NAME, STEADFOLD_GROUP)(unsigned family) {
    return find<group::STEADFOLD_GROUP>(family);
}

} // namespace steadfold::inline v0::cuda
