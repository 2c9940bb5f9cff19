// Exit codes of steadfold-reduce, as --help documents them.
#pragma once

namespace steadfold::inline v0::app {

inline constexpr int exit_ok = 0, exit_failed = 1, exit_usage = 2, exit_interrupted = 130;

} // namespace steadfold::inline v0::app
