/// Locality domains of devices.
#pragma once

#include "steadfold/topology.hpp"
#include "topology/driver_table.hpp"

#include <vector>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// How many domains the driver says the GPU has. 1 for drivers before CUDA 13.4, which know none, and for any that
/// refuses to tell.
[[nodiscard]] int reported_domain_count(int ordinal, driver_table const& driver);

/// The domains steadfold places shards and work in. Today the whole GPU is one, whatever the driver reports.
[[nodiscard]] std::vector<locality_domain> discover_domains(gpu_facts const& gpu, driver_table const& driver);

/// The host CPU as a device: one domain of all CPUs this process may use.
[[nodiscard]] locality_domain host_domain(host_facts const& host, std::vector<int> const& allowed_cpus);

} // namespace detail
} // namespace v0
} // namespace steadfold
