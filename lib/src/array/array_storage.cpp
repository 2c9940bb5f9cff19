#include "array/device_memory.hpp"
#include "array/host_memory.hpp"
#include "steadfold/array.hpp"
#include "steadfold/error.hpp"

#include <cstring>
#include <string>
#include <utility>

namespace steadfold {
inline namespace v0 {
namespace detail {

namespace {

std::size_t checked_bytes(std::int64_t count, std::size_t element_bytes) {
    bits::product128 const bytes = bits::multiply(static_cast<std::uint64_t>(count), element_bytes);
    if (bytes.high != 0 || bytes.low > static_cast<std::uint64_t>(INT64_MAX)) {
        throw argument_error("a shard of " + std::to_string(count) + " elements of " + std::to_string(element_bytes) +
                             " bytes does not fit in 63 bits of address space");
    }
    return bytes.low;
}

std::unique_ptr<void, memory_release> allocate(memory_location where, std::int64_t count, std::size_t element_bytes) {
    std::size_t const bytes = checked_bytes(count, element_bytes);
    if (bytes == 0) return {nullptr, memory_release{where}};
    void* const pointer = where.kind == memory_kind::device ? allocate_on_gpu(where.device, bytes)
                                                            : allocate_on_host(count, element_bytes);
    return {pointer, memory_release{where}};
}

void require_arguments(partition const& layout, int rank, std::span<int const> devices) {
    if (rank < 0 || rank >= layout.rank_count()) {
        throw argument_error("rank " + std::to_string(rank) + " is not among the " +
                             std::to_string(layout.rank_count()) + " rank(s) of the partition");
    }
    if (!devices.empty() && devices.size() != static_cast<std::size_t>(layout.device_count())) {
        throw argument_error("the partition has " + std::to_string(layout.device_count()) +
                             " device(s) per rank, but " + std::to_string(devices.size()) + " were named");
    }
    for (int const device : devices) {
        if (device != host_device) require_gpu(device);
    }
}

} // namespace

void memory_release::operator()(void* pointer) const noexcept {
    location.kind == memory_kind::device ? free_on_gpu(pointer) : free_on_host(pointer);
}

array_storage::array_storage(partition const& layout, int rank, std::span<int const> devices, std::size_t element_bytes)
    : layout_(layout), rank_(rank), element_bytes_(element_bytes) {
    require_arguments(layout, rank, devices);
    for (int device = 0; device < layout.device_count(); ++device) {
        int const target = devices.empty() ? host_device : devices[static_cast<std::size_t>(device)];
        memory_location const where{target == host_device ? memory_kind::host : memory_kind::device, target};
        for (int domain = 0; domain < layout.domain_count(); ++domain) {
            index_range const range = layout.shard_range(rank, device, domain);
            pieces_.push_back({range, device, domain, allocate(where, range.count, element_bytes)});
        }
    }
}

array_storage::array_storage(array_storage&& other) noexcept
    : layout_(std::exchange(other.layout_, {})), rank_(std::exchange(other.rank_, 0)),
      element_bytes_(other.element_bytes_), pieces_(std::exchange(other.pieces_, {})) {}

array_storage& array_storage::operator=(array_storage&& other) noexcept {
    layout_ = std::exchange(other.layout_, {});
    rank_ = std::exchange(other.rank_, 0);
    element_bytes_ = other.element_bytes_;
    pieces_ = std::exchange(other.pieces_, {});
    return *this;
}

void array_storage::require_local_count(std::int64_t count) const {
    std::int64_t const local = layout_.rank_range(rank_).count;
    if (count == local) return;
    throw argument_error("this rank's part of the array has " + std::to_string(local) +
                         " elements, but the host memory to copy has " + std::to_string(count));
}

namespace {

/// Calls `copy_bytes(piece, host address, bytes)` for every piece that holds something, then waits where no stream
/// was given: all devices copy at the same time.
template <class Byte, class Copy>
void for_each_piece(std::span<array_storage::piece const> pieces, Byte* host, std::size_t element_bytes,
                    stream_ref stream, Copy copy_bytes) {
    for (array_storage::piece const& piece : pieces) {
        if (piece.range.count == 0) continue;
        std::size_t const first = static_cast<std::size_t>(piece.range.first - pieces.front().range.first);
        copy_bytes(piece, host + first * element_bytes, static_cast<std::size_t>(piece.range.count) * element_bytes);
    }
    if (stream) return;
    for (array_storage::piece const& piece : pieces) {
        if (piece.memory && piece.location().kind == memory_kind::device) {
            wait_for_default_stream(piece.location().device);
        }
    }
}

/// `bytes` of elements of `element_bytes`.
void copy(memory_location where, void* to, void const* from, std::size_t bytes, std::size_t element_bytes,
          stream_ref stream) {
    if (where.kind == memory_kind::device) {
        copy_with_gpu(where.device, to, from, bytes, stream);
        return;
    }
    on_reducing_threads(static_cast<std::int64_t>(bytes / element_bytes), element_bytes, [=](index_range range) {
        std::size_t const first = static_cast<std::size_t>(range.first) * element_bytes;
        std::memcpy(static_cast<std::byte*>(to) + first, static_cast<std::byte const*>(from) + first,
                    static_cast<std::size_t>(range.count) * element_bytes);
    });
}

} // namespace

void array_storage::copy_from_host(void const* values, std::int64_t count, stream_ref stream) {
    require_local_count(count);
    for_each_piece(pieces_, static_cast<std::byte const*>(values), element_bytes_, stream,
                   [this, stream](piece const& to, std::byte const* from, std::size_t bytes) {
                       copy(to.location(), to.memory.get(), from, bytes, element_bytes_, stream);
                   });
}

void array_storage::copy_to_host(void* values, std::int64_t count, stream_ref stream) const {
    require_local_count(count);
    for_each_piece(pieces_, static_cast<std::byte*>(values), element_bytes_, stream,
                   [this, stream](piece const& from, std::byte* to, std::size_t bytes) {
                       copy(from.location(), to, from.memory.get(), bytes, element_bytes_, stream);
                   });
}

} // namespace detail
} // namespace v0
} // namespace steadfold
