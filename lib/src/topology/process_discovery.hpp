/// What this process sees: the host's and the GPUs' facts together.
#pragma once

#include "steadfold/topology.hpp"

namespace steadfold {
inline namespace v0 {
namespace detail {

[[nodiscard]] process_facts discover_process(bool probe_clusters);

} // namespace detail
} // namespace v0
} // namespace steadfold
