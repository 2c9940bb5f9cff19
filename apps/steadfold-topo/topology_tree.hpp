/// The topology as a person wants to read it.
#pragma once

#include "steadfold/topology.hpp"
#include "tree.hpp"

#include <string>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace app {

/// The job, its hosts, and of each host the CPU with its NUMA nodes, the GPUs with their domains, and the ranks with
/// the devices they use. A GPU that several ranks see is shown once.
[[nodiscard]] tree topology_tree(topology const& all);

/// "0-3,8": the short form of ascending numbers; "none" if there are none.
[[nodiscard]] std::string compact(std::vector<int> const& numbers);

} // namespace app
} // namespace v0
} // namespace steadfold
