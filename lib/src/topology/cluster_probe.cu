// The driver answers for a kernel, not for a device: this asks about the smallest kernel there is.
#include "topology/cluster_probe.hpp"

#include <cuda_runtime.h>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

__global__ void nothing() {}

} // namespace

int probe_cluster_size() noexcept {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(64);
    config.blockDim = dim3(32);
    int blocks = 0;
    bool const answered =
        cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess &&
        cudaOccupancyMaxPotentialClusterSize(&blocks, nothing, &config) == cudaSuccess;
    if (!answered) static_cast<void>(cudaGetLastError());
    return answered ? blocks : 0;
}

} // namespace detail
} // namespace v0
} // namespace steadfold
