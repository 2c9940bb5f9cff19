// Limits of a GPU that is there, and of a function compiled for it.
#include "base/cuda_check.hpp"
#include "base/cuda_device.hpp"
#include "base/current_device.hpp"
#include "steadfold/error.hpp"
#include "steadfold/occupancy.hpp"

#include <algorithm>
#include <cuda_runtime_api.h>

namespace steadfold {
inline namespace v0 {

using detail::check;

chip_limits chip_of_device(int device) {
    detail::require_device(device);
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "asking for the properties of a device");
    chip_limits limits;
    try { // for the units and the settings of shared memory, which the device does not tell
        limits = chip_by_name("cc=" + std::to_string(properties.major) + "." + std::to_string(properties.minor));
    } catch (argument_error const&) { // newer than this library
        limits = chip_by_name("cc=9.0");
        limits.compute_major = properties.major;
        limits.compute_minor = properties.minor;
        limits.unified_bytes = 0;
    }
    limits.name = properties.name;
    limits.multiprocessors = properties.multiProcessorCount;
    limits.threads_per_block = properties.maxThreadsPerBlock;
    limits.threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
    limits.blocks_per_multiprocessor = properties.maxBlocksPerMultiProcessor;
    limits.registers_per_block = properties.regsPerBlock;
    limits.registers_per_multiprocessor = properties.regsPerMultiprocessor;
    auto const most_shared = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
    std::erase_if(limits.carve_outs, [&](std::int64_t each) { return each >= most_shared; });
    limits.carve_outs.push_back(most_shared);
    limits.shared_bytes_per_block = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
    limits.reserved_shared_bytes = static_cast<std::int64_t>(properties.reservedSharedMemPerBlock);
    return limits;
}

kernel_needs needs_of(void const* function, int threads_per_block, std::int64_t dynamic_shared_bytes, int device) {
    detail::require_device(device);
    detail::current_device const on{device};
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, function), "asking for the attributes of a kernel");
    return {.threads_per_block = threads_per_block,
            .registers_per_thread = attributes.numRegs,
            .shared_bytes_per_block = static_cast<std::int64_t>(attributes.sharedSizeBytes) + dynamic_shared_bytes,
            .blocks_per_cluster = 1,
            .spilled_bytes_per_thread = static_cast<std::int64_t>(attributes.localSizeBytes)};
}

} // namespace v0
} // namespace steadfold
