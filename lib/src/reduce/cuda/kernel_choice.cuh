// A pass as an entry of the table of kernels.
#pragma once

#include "reduce/cuda/reduce_kernel.cuh"

namespace steadfold::inline v0::cuda {

template <class Pass>
kernel_choice choice_of() {
    return {reduce_kernel<Pass>, sizeof(shared_memory<Pass>), Pass::vectors_in_flight, Pass::compares || Pass::is_fast};
}

} // namespace steadfold::inline v0::cuda
