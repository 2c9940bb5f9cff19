#include "segmented/cuda/call.hpp"

namespace steadfold::inline v0::segmented {

// Each in a unit of its own, so that they compile side by side; see kernels.cu.
kernel find_float64_kernel(operation op);
kernel find_float32_kernel(operation op);
kernel find_half_kernel(operation op);
kernel find_complex128_kernel(operation op);
kernel find_complex64_kernel(operation op);
kernel find_integer_kernel(operation op);

kernel find_quick_kernel(operation op, dtype type) noexcept {
    switch (type) {
    case dtype::float64:
        return find_float64_kernel(op);
    case dtype::float32:
        return find_float32_kernel(op);
    case dtype::float16:
    case dtype::bfloat16:
        return find_half_kernel(op);
    case dtype::complex128:
        return find_complex128_kernel(op);
    case dtype::complex64:
        return find_complex64_kernel(op);
    default:
        return find_integer_kernel(op);
    }
}

} // namespace steadfold::inline v0::segmented
