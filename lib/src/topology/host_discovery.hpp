/// Facts about the host, from the operating system.
#pragma once

#include "steadfold/topology.hpp"
#include "topology/sysfs.hpp"

#include <vector>

namespace steadfold {
inline namespace v0 {
namespace detail {

[[nodiscard]] host_facts discover_host(system_roots const& roots = {});

/// Logical CPUs the calling thread may run on, ascending.
[[nodiscard]] std::vector<int> discover_allowed_cpus();

} // namespace detail
} // namespace v0
} // namespace steadfold
