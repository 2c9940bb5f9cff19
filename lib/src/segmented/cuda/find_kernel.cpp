#include "segmented/cuda/call.hpp"

namespace steadfold::inline v0::segmented {

// Each in a unit of its own, so that they compile side by side; see kernels.cu.
kernel find_float64_kernel(operation op, kernel_family family);
kernel find_float32_kernel(operation op, kernel_family family);
kernel find_float16_kernel(operation op, kernel_family family);
kernel find_bfloat16_kernel(operation op, kernel_family family);
kernel find_complex128_kernel(operation op, kernel_family family);
kernel find_complex64_kernel(operation op, kernel_family family);
kernel find_integer_kernel(operation op, kernel_family family);

kernel find_kernel(operation op, dtype type, kernel_family family) noexcept {
    if (family == kernel_family::general) return find_general_kernel();
    switch (type) {
    case dtype::float64:
        return find_float64_kernel(op, family);
    case dtype::float32:
        return find_float32_kernel(op, family);
    case dtype::float16:
        return find_float16_kernel(op, family);
    case dtype::bfloat16:
        return find_bfloat16_kernel(op, family);
    case dtype::complex128:
        return find_complex128_kernel(op, family);
    case dtype::complex64:
        return find_complex64_kernel(op, family);
    default:
        return find_integer_kernel(op, family);
    }
}

} // namespace steadfold::inline v0::segmented
