/// A topology as JSON text, for programs and run records.
#pragma once

#include "steadfold/topology.hpp"

#include <string>

namespace steadfold {
inline namespace v0 {
namespace app {

/// {"schema": 1, "self": ..., "hosts": [...], "ranks": [{"host", "devices", "process": {"gpus": [...], ...}}]}.
/// Members are named as in topology.hpp; what could not be found out is null. Bytes are bytes.
/// @param indent  blanks a level; -1: one line
[[nodiscard]] std::string to_json(topology const& all, int indent = 2);

} // namespace app
} // namespace v0
} // namespace steadfold
