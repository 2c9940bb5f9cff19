#include "array/device_memory.hpp"
#include "steadfold/error.hpp"

#include <string>

namespace steadfold {
inline namespace v0 {
namespace detail {

memory_location ask_driver(void const*) {
    return {};
}

void require_gpu(int device) {
    throw argument_error("there is no device " + std::to_string(device) +
                         ": this steadfold was built without CUDA and knows only the host CPU, number " +
                         std::to_string(host_device));
}

// Not reached: require_gpu has thrown before.
void* allocate_on_gpu(int device, std::size_t) {
    require_gpu(device);
    return nullptr;
}
void free_on_gpu(void*) noexcept {}
void copy_with_gpu(int device, void*, void const*, std::size_t, stream_ref) {
    require_gpu(device);
}
void wait_for_default_stream(int device) {
    require_gpu(device);
}

} // namespace detail
} // namespace v0
} // namespace steadfold
