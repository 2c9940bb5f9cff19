/// Who owns which indices: arithmetic only, no memory and no device call. Usable in kernels.
///
///     sf::partition p = sf::block_partition({nx, ny, nz}, {ranks, devices_per_rank, domains_per_device});
///     sf::index_range mine = p.rank_range(rank);               // contiguous in row-major order, may be empty
///     sf::shard_position where = p.locate(global);             // which shard, and where in it
///
/// The index space is cut in row-major order into `ranks` ranges whose sizes differ by at most one; each rank's range
/// is cut the same way over its devices, each device's over its locality domains. Shards are numbered
/// (rank, device, domain), the last fastest.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "steadfold/bits.hpp"

namespace steadfold {
inline namespace v0 {

/// Half-open range of row-major indices.
struct index_range {
    std::int64_t first = 0;
    std::int64_t count = 0;
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t last() const noexcept { return first + count; }
    [[nodiscard]] friend constexpr bool operator==(index_range const&, index_range const&) noexcept = default;
};

/// Part `part` of `count` items cut into `parts` pieces, sizes differing by at most one, larger ones first. O(1).
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr index_range block_range(std::int64_t count, std::int64_t parts,
                                                                      std::int64_t part) noexcept {
    std::int64_t const base = count / parts, extra = count % parts;
    std::int64_t const first = part * base + (part < extra ? part : extra);
    return {first, base + (part < extra ? 1 : 0)};
}

/// The piece of block_range that holds `index`. O(1).
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t block_owner(std::int64_t count, std::int64_t parts,
                                                                       std::int64_t index) noexcept {
    std::int64_t const base = count / parts, extra = count % parts;
    std::int64_t const in_large = extra * (base + 1);
    return index < in_large ? index / (base + 1) : extra + (index - in_large) / base;
}

} // namespace v0
} // namespace steadfold
