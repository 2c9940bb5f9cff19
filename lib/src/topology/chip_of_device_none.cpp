#include "steadfold/error.hpp"
#include "steadfold/occupancy.hpp"

namespace steadfold {
inline namespace v0 {

chip_limits chip_of_device(int) {
    throw argument_error("this build has no CUDA, and knows no devices");
}

kernel_needs needs_of(void const*, int, std::int64_t, int) {
    throw argument_error("this build has no CUDA: there are no kernels to ask");
}

} // namespace v0
} // namespace steadfold
