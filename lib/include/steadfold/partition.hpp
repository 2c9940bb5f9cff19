/// Who owns which indices: arithmetic only, no memory and no device call. Usable in kernels.
///
///     sf::partition p = sf::block_partition({nx, ny, nz}, {ranks, devices_per_rank, domains_per_device});
///     sf::index_range mine = p.rank_range(rank);               // contiguous in row-major order, may be empty
///     sf::shard_position where = p.locate(global);             // which shard, and where in it
///     sf::coordinates xyz = p.to_coordinates(global);          // xyz[0] < nx, the last axis fastest
///
/// The index space is cut in row-major order into `ranks` ranges whose sizes differ by at most one; each rank's range
/// is cut the same way over its devices, each device's over its locality domains. Shards are numbered
/// (rank, device, domain), the last fastest. More shards than indices is legal: some shards are empty then.
///
/// Every member function is O(1), never throws and may be called from any thread and from kernels. Arguments out of
/// range are the caller's mistake: caught by `assert`, undefined without it.
#pragma once

#include "steadfold/bits.hpp"
#include "steadfold/levels.hpp"

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>

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

/// The piece of block_range that holds `index`, 0 <= index < count. O(1).
[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t block_owner(std::int64_t count, std::int64_t parts,
                                                                       std::int64_t index) noexcept {
    std::int64_t const base = count / parts, extra = count % parts;
    std::int64_t const in_large = extra * (base + 1);
    return index < in_large ? index / (base + 1) : extra + (index - in_large) / base;
}

/// The most axes an index space may have.
inline constexpr int max_dimensions = 4;

/// One index an axis; axes beyond the partition's `dimensions()` are 0.
struct coordinates {
    std::int64_t values[max_dimensions] = {};
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t& operator[](int axis) noexcept { return values[axis]; }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t operator[](int axis) const noexcept {
        return values[axis];
    }
    [[nodiscard]] friend constexpr bool operator==(coordinates const&, coordinates const&) noexcept = default;
};

/// A shard and an index in it.
struct shard_position {
    int rank = 0;
    int device = 0;         ///< place in the rank's list of devices, not a CUDA ordinal
    int domain = 0;         ///< place in the device's list of locality domains
    std::int64_t local = 0; ///< counts from the start of the shard
    [[nodiscard]] friend constexpr bool operator==(shard_position const&, shard_position const&) noexcept = default;
};

/// A checked index space and the counts it is cut by; see the top of this file. A small trivially copyable value.
class partition {
  public:
    /// The empty 1-D index space, one shard.
    constexpr partition() noexcept = default;

    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int dimensions() const noexcept { return dimensions_; }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t extent(int axis) const noexcept {
        assert(axis >= 0 && axis < dimensions_);
        return extents_.values[axis];
    }
    /// Number of indices: the product of the extents.
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t size() const noexcept { return size_; }

    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr level_counts levels() const noexcept { return levels_; }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int rank_count() const noexcept { return levels_.ranks; }
    /// Devices of each rank.
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int device_count() const noexcept { return levels_.devices_per_rank; }
    /// Locality domains of each device.
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int domain_count() const noexcept {
        return levels_.domains_per_device;
    }
    /// Shards of all ranks together.
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t shard_count() const noexcept {
        return std::int64_t{levels_.ranks} * levels_.devices_per_rank * levels_.domains_per_device;
    }

    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr index_range rank_range(int rank) const noexcept {
        assert(rank >= 0 && rank < levels_.ranks);
        return block_range(size_, levels_.ranks, rank);
    }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr index_range device_range(int rank, int device) const noexcept {
        assert(device >= 0 && device < levels_.devices_per_rank);
        return part_of(rank_range(rank), levels_.devices_per_rank, device);
    }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr index_range shard_range(int rank, int device,
                                                                          int domain) const noexcept {
        assert(domain >= 0 && domain < levels_.domains_per_device);
        return part_of(device_range(rank, device), levels_.domains_per_device, domain);
    }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr index_range shard_range(std::int64_t shard) const noexcept {
        shard_position const at = shard_at(shard);
        return shard_range(at.rank, at.device, at.domain);
    }

    /// The number of a shard, 0 <= number < shard_count().
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t shard_number(int rank, int device,
                                                                            int domain) const noexcept {
        return (std::int64_t{rank} * levels_.devices_per_rank + device) * levels_.domains_per_device + domain;
    }
    /// The shard with that number; `local` is 0.
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr shard_position shard_at(std::int64_t number) const noexcept {
        assert(number >= 0 && number < shard_count());
        std::int64_t const device = number / levels_.domains_per_device;
        return {static_cast<int>(device / levels_.devices_per_rank),
                static_cast<int>(device % levels_.devices_per_rank),
                static_cast<int>(number % levels_.domains_per_device), 0};
    }

    /// The shard that owns `global`, 0 <= global < size().
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr shard_position locate(std::int64_t global) const noexcept {
        assert(global >= 0 && global < size_);
        shard_position at;
        at.rank = static_cast<int>(block_owner(size_, levels_.ranks, global));
        index_range const of_rank = rank_range(at.rank);
        at.device = static_cast<int>(block_owner(of_rank.count, levels_.devices_per_rank, global - of_rank.first));
        index_range const of_device = device_range(at.rank, at.device);
        at.domain =
            static_cast<int>(block_owner(of_device.count, levels_.domains_per_device, global - of_device.first));
        at.local = global - shard_range(at.rank, at.device, at.domain).first;
        return at;
    }
    /// The inverse of `locate`.
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t global_index(shard_position at) const noexcept {
        return shard_range(at.rank, at.device, at.domain).first + at.local;
    }
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t global_index(std::int64_t shard,
                                                                            std::int64_t local) const noexcept {
        return shard_range(shard).first + local;
    }

    /// Row-major index to one index an axis, 0 <= global < size().
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr coordinates to_coordinates(std::int64_t global) const noexcept {
        assert(global >= 0 && global < size_);
        coordinates at;
        for (int axis = dimensions_ - 1; axis > 0; --axis) {
            at.values[axis] = global % extents_.values[axis];
            global /= extents_.values[axis];
        }
        at.values[0] = global;
        return at;
    }
    /// The inverse of `to_coordinates`; 0 <= at[axis] < extent(axis).
    [[nodiscard]] STEADFOLD_HOST_DEVICE constexpr std::int64_t to_linear(coordinates const& at) const noexcept {
        std::int64_t global = 0;
        for (int axis = 0; axis < dimensions_; ++axis) {
            assert(at.values[axis] >= 0 && at.values[axis] < extents_.values[axis]);
            global = global * extents_.values[axis] + at.values[axis];
        }
        return global;
    }

    [[nodiscard]] friend constexpr bool operator==(partition const&, partition const&) noexcept = default;

  private:
    friend constexpr partition block_partition(std::span<std::int64_t const> extents, level_counts levels);

    [[nodiscard]] STEADFOLD_HOST_DEVICE static constexpr index_range part_of(index_range whole, int parts,
                                                                             int part) noexcept {
        index_range const piece = block_range(whole.count, parts, part);
        return {whole.first + piece.first, piece.count};
    }

    coordinates extents_;
    std::int64_t size_ = 0;
    level_counts levels_;
    int dimensions_ = 1;
};

namespace detail {
/// Throws the argument_error that says what is wrong with these arguments of block_partition.
[[noreturn]] void throw_bad_partition(std::span<std::int64_t const> extents, level_counts levels);

/// True if every number is at least `lowest` and their product is below 2^63; a zero makes the product 0.
[[nodiscard]] constexpr bool product_fits(std::span<std::int64_t const> numbers, std::int64_t lowest,
                                          std::int64_t& product) noexcept {
    bool any_zero = false;
    for (std::int64_t const number : numbers) {
        if (number < lowest) return false;
        any_zero = any_zero || number == 0;
    }
    product = any_zero ? 0 : 1;
    if (any_zero) return true;
    for (std::int64_t const number : numbers) {
        bits::product128 const next =
            bits::multiply(static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(number));
        if (next.high != 0 || next.low > static_cast<std::uint64_t>(INT64_MAX)) return false;
        product = static_cast<std::int64_t>(next.low);
    }
    return true;
}
} // namespace detail

/// Cuts an index space of 1 to 4 extents (the last axis fastest) into near-equal contiguous blocks. Host only.
///
/// @param extents  each >= 0, their product below 2^63; any zero makes the space empty
/// @param levels   each >= 1, their product below 2^63
/// @throws argument_error  naming the extents or the counts
[[nodiscard]] constexpr partition block_partition(std::span<std::int64_t const> extents, level_counts levels = {}) {
    partition result;
    std::int64_t const counts[] = {levels.ranks, levels.devices_per_rank, levels.domains_per_device};
    std::int64_t shards = 0;
    if (extents.empty() || extents.size() > max_dimensions || !detail::product_fits(extents, 0, result.size_) ||
        !detail::product_fits(counts, 1, shards)) {
        detail::throw_bad_partition(extents, levels);
    }
    result.dimensions_ = static_cast<int>(extents.size());
    for (int axis = 0; axis < result.dimensions_; ++axis) {
        result.extents_[axis] = extents[static_cast<std::size_t>(axis)];
    }
    result.levels_ = levels;
    return result;
}

[[nodiscard]] constexpr partition block_partition(std::initializer_list<std::int64_t> extents,
                                                  level_counts levels = {}) {
    return block_partition(std::span<std::int64_t const>(extents.begin(), extents.size()), levels);
}

} // namespace v0
} // namespace steadfold
