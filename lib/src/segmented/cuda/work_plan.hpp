// From a problem to a kernel call: how the work is cut among warps. No CUDA here: tested anywhere.
#pragma once

#include "segmented/cuda/call.hpp"
#include "segmented/settings.hpp"

#include <cstdint>

namespace steadfold::inline v0::segmented {

struct work_plan {
    call arguments;           // but for memory of the back end's own: records and the flag for bad offsets
    std::int64_t records = 0; // needed
};

/// `has_quick` tells whether the operation has a quick kernel for this type; `resident_warps` how many the device runs
/// at a time. Neither changes a result.
[[nodiscard]] work_plan plan_work(settings const& settings, problem const& problem, bool has_quick,
                                  std::int64_t resident_warps);

/// Records that a call of up to so many elements and outputs needs at most.
[[nodiscard]] std::int64_t most_records(std::int64_t elements, std::int64_t outputs, bool has_quick,
                                        std::int64_t resident_warps) noexcept;

} // namespace steadfold::inline v0::segmented
