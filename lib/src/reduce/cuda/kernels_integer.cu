#include "reduce/cuda/integer_pass.cuh"
#include "reduce/cuda/kernel_choice.cuh"

namespace steadfold::inline v0::cuda {

namespace {
template <bool Signed>
kernel_choice find(unsigned family) {
    using namespace reduce_detail;
    switch (family) {
    case family_sum:
        return choice_of<integer_pass<Signed, family_sum>>();
    case family_pairs:
        return choice_of<integer_pass<Signed, family_pairs>>();
    default:
        return choice_of<integer_pass<Signed, family_all>>();
    }
}
} // namespace

kernel_choice find_integer_kernel(bool is_signed, unsigned family) {
    return is_signed ? find<true>(family) : find<false>(family);
}

} // namespace steadfold::inline v0::cuda
