/// The facts about one GPU and one pair of GPUs. For units built with CUDA only.
#pragma once

#include "steadfold/topology.hpp"
#include "topology/nvml.hpp"

namespace steadfold {
inline namespace v0 {
namespace detail {

[[nodiscard]] gpu_facts describe_gpu(int ordinal, nvml const& management);
[[nodiscard]] peer_link describe_peers(gpu_facts const& from, gpu_facts const& to, nvml const& management);

} // namespace detail
} // namespace v0
} // namespace steadfold
