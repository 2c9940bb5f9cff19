/// The levels an index space is cut over, shared by `topology` (which counts them) and `partition` (which cuts).
#pragma once

namespace steadfold {
inline namespace v0 {

/// The number that stands for the host CPU where a device is named; GPUs are named by their CUDA ordinal, 0 or more.
inline constexpr int host_device = -1;

/// How many parts there are at each level. All at least 1.
struct level_counts {
    int ranks = 1;
    int devices_per_rank = 1;
    int domains_per_device = 1;
    [[nodiscard]] friend constexpr bool operator==(level_counts const&, level_counts const&) noexcept = default;
};

} // namespace v0
} // namespace steadfold
