/// Memory for one rank's part of a partitioned array: one shard for every device and locality domain of the rank.
///
///     sf::partition layout = sf::block_partition({nx, ny, nz}, here.domains());
///     sf::array<double> p{layout, here.self, here.here().devices};      // GPU memory, or host memory without GPUs
///     p.copy_from_host(my_values);                                      // this rank's range, contiguous
///     for (auto const& shard : p.shards()) work(shard.range, shard.data, shard.location);
///
/// The elements are not initialised, but the pages of large host shards have been touched by threads, each in the range
/// it gets in a reduction, so that they lie on its NUMA node. An array is move-only and frees its memory without
/// throwing; moved from, it is empty. One thread at a time may use an array; different arrays are independent. Every
/// call leaves the caller's current device as it was.
#pragma once

#include "steadfold/partition.hpp"
#include "steadfold/stream.hpp"
#include "steadfold/view.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace steadfold {
inline namespace v0 {

/// One shard of an array. Trivially copyable.
template <class T>
struct shard {
    index_range range;        ///< the global row-major indices it holds
    view<T> data;             ///< range.count elements; null pointer if there are none
    memory_location location; ///< host (aligned to 64 bytes) or device memory
    int device = 0;           ///< place in the rank's list of devices
    int domain = 0;           ///< place in the device's list of domains
};

namespace detail {

/// Gives back what it was allocated by; never throws.
struct memory_release {
    memory_location location;
    void operator()(void* pointer) const noexcept;
};

/// An array without its element type.
class array_storage {
  public:
    struct piece {
        index_range range;
        int device = 0, domain = 0;
        std::unique_ptr<void, memory_release> memory; ///< null if the range is empty
        [[nodiscard]] memory_location location() const noexcept { return memory.get_deleter().location; }
    };

    array_storage() = default;
    array_storage(partition const& layout, int rank, std::span<int const> devices, std::size_t element_bytes);
    array_storage(array_storage&& other) noexcept;
    array_storage& operator=(array_storage&& other) noexcept;

    [[nodiscard]] partition const& layout() const noexcept { return layout_; }
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] std::span<piece const> pieces() const noexcept { return pieces_; }
    void copy_from_host(void const* values, std::int64_t count, stream_ref stream);
    void copy_to_host(void* values, std::int64_t count, stream_ref stream) const;

  private:
    void require_local_count(std::int64_t count) const;

    partition layout_;
    int rank_ = 0;
    std::size_t element_bytes_ = 1;
    std::vector<piece> pieces_;
};

} // namespace detail

/// An owning array of `T`, a type `dtype_of` knows; see the top of this file.
template <class T>
class array {
  public:
    using value_type = T;

    /// No elements, no shards.
    array() = default;

    /// Allocates this rank's shards.
    ///
    /// @param rank     0 <= rank < layout.rank_count()
    /// @param devices  where the shards of device 0, 1, ... of the rank live: CUDA ordinals or `host_device`;
    ///                 as many as layout.device_count(). None at all: everything in host memory.
    /// @throws argument_error  naming a wrong rank, number of devices or device
    /// @throws library_error   if there is not enough memory; nothing stays allocated
    explicit array(partition const& layout, int rank = 0, std::span<int const> devices = {})
        : storage_(layout, rank, devices, sizeof(T)) {
        for (detail::array_storage::piece const& piece : storage_.pieces()) {
            view<T> const data(static_cast<T*>(piece.memory.get()), piece.range.count);
            shards_.push_back({piece.range, data, piece.location(), piece.device, piece.domain});
            const_shards_.push_back({piece.range, data, piece.location(), piece.device, piece.domain});
        }
    }
    array(partition const& layout, int rank, std::initializer_list<int> devices)
        : array(layout, rank, std::span<int const>(devices.begin(), devices.size())) {}

    /// The partition it was made from; the empty one after a move.
    [[nodiscard]] partition const& layout() const noexcept { return storage_.layout(); }
    [[nodiscard]] int rank() const noexcept { return storage_.rank(); }
    /// The global indices this rank holds.
    [[nodiscard]] index_range range() const noexcept { return layout().rank_range(rank()); }
    /// Elements of this rank.
    [[nodiscard]] std::int64_t local_size() const noexcept { return range().count; }

    /// Device after device, domain after domain: in the order of their global indices. Empty shards are among them.
    [[nodiscard]] std::span<shard<T> const> shards() noexcept { return shards_; }
    [[nodiscard]] std::span<shard<T const> const> shards() const noexcept { return const_shards_; }

    /// Copies this rank's elements, in global order, from contiguous host memory (ordinary or pinned).
    ///
    /// Shards in host memory are copied at once. For device shards the copies are enqueued on `stream` and `values`
    /// must stay as it is until they are done; without a stream the call returns when everything has arrived.
    /// @param values  local_size() elements
    /// @throws argument_error  naming both counts, if they differ
    void copy_from_host(view<T const> values, stream_ref stream = {}) {
        storage_.copy_from_host(values.data(), values.size(), stream);
    }
    /// The reverse of `copy_from_host`, under the same rules.
    void copy_to_host(view<T> values, stream_ref stream = {}) const {
        storage_.copy_to_host(values.data(), values.size(), stream);
    }

  private:
    detail::array_storage storage_;
    std::vector<shard<T>> shards_;
    std::vector<shard<T const>> const_shards_;
};

} // namespace v0
} // namespace steadfold
