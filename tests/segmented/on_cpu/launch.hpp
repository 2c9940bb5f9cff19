// Segmented reductions by the GPU's kernels, which run on the CPU.
#pragma once

#include "segmented/settings.hpp"

#include <cstdint>

namespace on_cpu {

struct launch_result {
    bool bad_offsets = false;
    bool records_empty = true; // as the next call needs them
};

/// All pointers of `problem` are read and written here and now, by warps in a random order. `resident_warps` is what
/// the work is cut for.
[[nodiscard]] launch_result launch(steadfold::segmented::settings const& settings,
                                   steadfold::segmented::problem const& problem, std::int64_t resident_warps,
                                   std::uint64_t seed);

} // namespace on_cpu
