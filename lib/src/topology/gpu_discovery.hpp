/// Facts about GPUs, from the CUDA runtime, the kernel and NVML; with a version for builds without CUDA.
#pragma once

#include "steadfold/topology.hpp"

#include <vector>

namespace steadfold {
inline namespace v0 {
namespace detail {

struct gpu_discovery {
    cuda_facts cuda;
    std::vector<gpu_facts> gpus;
    std::vector<peer_link> peers;
    std::vector<locality_domain> domains;
};

/// Never fails for want of a GPU: `cuda.unavailable` says why there is none.
/// @throws library_error  if CUDA counts GPUs but then does not describe them
[[nodiscard]] gpu_discovery discover_gpus(bool probe_clusters);

} // namespace detail
} // namespace v0
} // namespace steadfold
