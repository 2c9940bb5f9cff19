// CPUs this process may use, and where its threads stay.
#pragma once

#include "base/kernel_files.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace steadfold::inline v0::base {

using cpu_list = std::vector<int>;

/// Logical CPUs the calling thread may run on, ascending: its affinity mask, so what Slurm, mpirun or taskset gave.
[[nodiscard]] cpu_list allowed_cpus();

/// Threads worth starting: the allowed CPUs, or fewer if control groups allow less CPU time than that; at least 1. The
/// affinity is looked up at every call, the control groups at the first one.
[[nodiscard]] int allowed_cpu_count();

inline constexpr std::int64_t no_quota = std::numeric_limits<std::int64_t>::max();

/// How many CPUs' time the control groups of this process may spend, rounded up (versions 1 and 2; the strictest of
/// them and those above them); `no_quota` if none is set.
[[nodiscard]] std::int64_t cpu_quota(system_roots const& roots = {});

/// CPUs of every NUMA node that has some, by the node's number; empty if the kernel knows none.
[[nodiscard]] std::vector<cpu_list> node_cpus(system_roots const& roots = {});

/// One entry for every allowed CPU, node after node: the allowed CPUs of its node. Threads that stay there find memory
/// near that they touched first in an earlier job, and the kernel may still move them about within the node. Empty if
/// a single node has them all.
[[nodiscard]] std::vector<cpu_list> thread_homes(cpu_list const& allowed, std::vector<cpu_list> const& nodes);

/// Keeps the calling thread on these CPUs; where the kernel refuses, everything stays as it was.
void stay_on(cpu_list const& cpus) noexcept;

} // namespace steadfold::inline v0::base
