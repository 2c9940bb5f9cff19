/// The facts of one rank as bytes, for the gather over all ranks of one job.
#pragma once

#include "steadfold/topology.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// What one rank tells the others.
struct rank_report {
    process_facts process;
    device_policy policy = device_policy::even;
};

[[nodiscard]] std::vector<std::byte> encode(rank_report report);

/// @throws mismatch_error  if the bytes are not a report of this version of steadfold, or are cut short
[[nodiscard]] rank_report decode(std::span<std::byte const> bytes);

} // namespace detail
} // namespace v0
} // namespace steadfold
