#include "reduce/cuda/pass.hpp"

namespace steadfold::inline v0::cuda {

// Each in a unit of its own, so that they compile side by side.
kernel_choice find_float64_kernel(unsigned family, bool fast);
kernel_choice find_float32_kernel(unsigned family, bool fast);
kernel_choice find_float16_kernel(unsigned family, bool fast);
kernel_choice find_bfloat16_kernel(unsigned family, bool fast);
kernel_choice find_complex64_kernel(unsigned family, bool fast);
kernel_choice find_complex128_kernel(unsigned family, bool fast);
kernel_choice find_integer_kernel(bool is_signed, unsigned family);

kernel_choice find_kernel(dtype real, int components, unsigned family, bool fast) {
    if (components == 2)
        return real == dtype::float64 ? find_complex128_kernel(family, fast) : find_complex64_kernel(family, fast);
    switch (real) {
    case dtype::float64:
        return find_float64_kernel(family, fast);
    case dtype::float32:
        return find_float32_kernel(family, fast);
    case dtype::float16:
        return find_float16_kernel(family, fast);
    case dtype::bfloat16:
        return find_bfloat16_kernel(family, fast);
    default:
        return find_integer_kernel(is_signed_integer(real), family);
    }
}

} // namespace steadfold::inline v0::cuda
