/// Which GPU reaches the memory of which other, as a small table.
#pragma once

#include "steadfold/topology.hpp"

#include <string>

namespace steadfold {
inline namespace v0 {
namespace app {

/// One row for each GPU of the process, with a heading and a legend; empty if there are fewer than two.
[[nodiscard]] std::string peer_table(process_facts const& process);

} // namespace app
} // namespace v0
} // namespace steadfold
