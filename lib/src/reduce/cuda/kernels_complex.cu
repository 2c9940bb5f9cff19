#include "reduce/cuda/float_kernels.cuh"

namespace steadfold::inline v0::cuda {

kernel_choice find_complex64_kernel(unsigned family, bool fast) {
    return find_complex_kernel<dtype::float32>(family, fast);
}
kernel_choice find_complex128_kernel(unsigned family, bool fast) {
    return find_complex_kernel<dtype::float64>(family, fast);
}

} // namespace steadfold::inline v0::cuda
