// Which GPU each rank has, known to all of them.
#pragma once

#include "steadfold/communicator.hpp"

#include <string>

namespace steadfold {
inline namespace v0 {
namespace nccl::detail {

/// Empty if every rank has a usable device of its own, else what is wrong, the same words on every rank. Collective.
[[nodiscard]] std::string device_conflict(communicator const& bootstrap, int device);

} // namespace nccl::detail
} // namespace v0
} // namespace steadfold
