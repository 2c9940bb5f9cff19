/// What --kernel-limits prints: how many blocks of a kernel a chip runs at a time, and why no more.
#pragma once

#include "steadfold/occupancy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace app {

/// THREADS REGISTERS SHARED [CLUSTER], each a number; SHARED also as 20K.
/// @throws argument_error naming the word that is wrong
[[nodiscard]] kernel_needs parse_kernel(std::vector<std::string> const& words);

/// @param blocks  of the grid whose waves are told, if given
[[nodiscard]] std::string kernel_limits_text(kernel_needs const& kernel, chip_limits const& chip,
                                             std::optional<std::int64_t> blocks);
[[nodiscard]] std::string kernel_limits_json(kernel_needs const& kernel, chip_limits const& chip,
                                             std::optional<std::int64_t> blocks);

} // namespace app
} // namespace v0
} // namespace steadfold
