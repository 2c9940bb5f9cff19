/// From what every rank saw to the topology of the job. Pure: no system is asked.
#pragma once

#include "topology/wire.hpp"

#include <vector>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// @param reports  by rank
[[nodiscard]] topology assemble(std::vector<rank_report> reports, int self);

} // namespace detail
} // namespace v0
} // namespace steadfold
