/// Facts about the host, from the operating system.
#pragma once

#include "steadfold/topology.hpp"
#include "topology/sysfs.hpp"

namespace steadfold {
inline namespace v0 {
namespace detail {

[[nodiscard]] host_facts discover_host(system_roots const& roots = {});

} // namespace detail
} // namespace v0
} // namespace steadfold
