#include "reduce/strided.hpp"

#include <cstddef>
#include <cstring>

namespace steadfold::inline v0::reduce_detail {

namespace {

std::byte const* address_of(array_view const& x, std::int64_t element) {
    return static_cast<std::byte const*>(x.data) + element * x.stride * static_cast<std::int64_t>(size_bytes(x.type));
}

/// A constant size makes one load and one store of each copy.
template <std::size_t Bytes>
void gather(std::byte const* from, std::int64_t step_bytes, std::int64_t count, std::byte* to) {
    for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(to + i * static_cast<std::int64_t>(Bytes), from + i * step_bytes, Bytes);
}

} // namespace

array_view part_of(array_view const& x, std::int64_t first, std::int64_t count) noexcept {
    return {first == 0 ? x.data : address_of(x, first), count, x.type, x.stride};
}

void const* contiguous_part(array_view const& x, std::int64_t first, std::int64_t count, void* room) noexcept {
    array_view const part = part_of(x, first, count);
    if (part.contiguous()) return part.data;
    auto const* from = static_cast<std::byte const*>(part.data);
    auto* const to = static_cast<std::byte*>(room);
    std::int64_t const step_bytes = x.stride * static_cast<std::int64_t>(size_bytes(x.type));
    switch (size_bytes(x.type)) {
    case 1:
        gather<1>(from, step_bytes, count, to);
        break;
    case 2:
        gather<2>(from, step_bytes, count, to);
        break;
    case 4:
        gather<4>(from, step_bytes, count, to);
        break;
    case 8:
        gather<8>(from, step_bytes, count, to);
        break;
    default:
        gather<16>(from, step_bytes, count, to);
    }
    return room;
}

bool overlaps(array_view const& x, void const* first, std::size_t bytes) noexcept {
    if (x.count == 0 || bytes == 0) return false;
    auto const element_bytes = static_cast<std::int64_t>(size_bytes(x.type));
    std::int64_t step = x.count > 1 ? x.stride * element_bytes : 0;
    auto start = reinterpret_cast<std::uintptr_t>(x.data); // of the lowest element
    if (step < 0) {
        start += static_cast<std::uintptr_t>((x.count - 1) * step); // modulo 2^64
        step = -step;
    }
    auto const low = reinterpret_cast<std::uintptr_t>(first), high = low + bytes;
    if (start >= high) return false;
    // The last element that starts below `high` is the only one that need be looked at.
    std::uintptr_t const last = step == 0 ? 0 : (high - 1 - start) / static_cast<std::uintptr_t>(step);
    std::uintptr_t const most = static_cast<std::uintptr_t>(x.count - 1);
    std::uintptr_t const nearest = start + (last < most ? last : most) * static_cast<std::uintptr_t>(step);
    return nearest + static_cast<std::uintptr_t>(element_bytes) > low;
}

} // namespace steadfold::inline v0::reduce_detail
