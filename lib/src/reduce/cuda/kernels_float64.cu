#include "reduce/cuda/float_kernels.cuh"

namespace steadfold::inline v0::cuda {

kernel_choice find_float64_kernel(unsigned family, bool fast) {
    return find_real_kernel<dtype::float64>(family, fast);
}

} // namespace steadfold::inline v0::cuda
