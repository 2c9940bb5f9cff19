// How many machine instructions a kernel of this program has.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace steadfold::inline v0::app::ladder {

struct machine_code {
    std::map<void const*, int> instructions; // by kernel; empty if they could not be counted
    std::string why_not;
};

/// Asks cuobjdump of the CUDA toolkit, from PATH, CUDA_HOME or /usr/local/cuda, to disassemble this program. Counts
/// what is in the code, not what is executed: a loop that is not unrolled has few instructions and executes many.
/// @param binary_version  e.g. 90: which of several chips' code
[[nodiscard]] machine_code count_instructions(std::vector<void const*> const& kernels, int binary_version);

/// By mangled name. Without the padding behind the last instruction: a branch to itself, and NOPs.
[[nodiscard]] std::map<std::string, int> parse_disassembly(std::string const& text);

} // namespace steadfold::inline v0::app::ladder
