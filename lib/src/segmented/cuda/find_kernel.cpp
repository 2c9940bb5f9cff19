#include "segmented/cuda/call.hpp"

namespace steadfold::inline v0::segmented {

// Each in a unit of its own, so that they compile side by side; see kernels.cu.
quick_kernels find_float64_kernels(operation op);
quick_kernels find_float32_kernels(operation op);
quick_kernels find_half_kernels(operation op);
quick_kernels find_complex128_kernels(operation op);
quick_kernels find_complex64_kernels(operation op);
quick_kernels find_integer_kernels(operation op);

quick_kernels find_quick_kernels(operation op, dtype type) noexcept {
    switch (type) {
    case dtype::float64:
        return find_float64_kernels(op);
    case dtype::float32:
        return find_float32_kernels(op);
    case dtype::float16:
    case dtype::bfloat16:
        return find_half_kernels(op);
    case dtype::complex128:
        return find_complex128_kernels(op);
    case dtype::complex64:
        return find_complex64_kernels(op);
    default:
        return find_integer_kernels(op);
    }
}

} // namespace steadfold::inline v0::segmented
