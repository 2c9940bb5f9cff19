#include "steadfold/view.hpp"

#include "array/device_memory.hpp"
#include "steadfold/error.hpp"

#include <cstdio>
#include <limits>

namespace steadfold {
inline namespace v0 {

std::string_view name(memory_kind kind) noexcept {
    switch (kind) {
    case memory_kind::pinned:
        return "pinned";
    case memory_kind::device:
        return "device";
    case memory_kind::managed:
        return "managed";
    default:
        return "host";
    }
}

memory_location locate(void const* pointer) {
    return pointer == nullptr ? memory_location{} : detail::ask_driver(pointer);
}

namespace detail {

void require_view(std::uintptr_t address, std::int64_t count, std::size_t alignment, dtype type) {
    if (address == 0 && count > 0) {
        throw argument_error("a view of " + std::to_string(count) + " " + std::string(steadfold::name(type)) +
                             " elements has a null pointer");
    }
    if (address % alignment == 0) return;
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    throw argument_error("the pointer " + std::string(text) + " of a view of " + std::string(steadfold::name(type)) +
                         " elements is not a multiple of " + std::to_string(alignment) + " bytes");
}

void throw_bad_count(std::string const& count) {
    throw argument_error("a view cannot have " + count + " elements: the count must be from 0 to 2^63 - 1");
}

void throw_bad_stride(std::string const& stride) {
    throw argument_error("a view cannot have a stride of " + stride + " elements: it must be less than 2^63");
}

void require_strides(std::string_view what, std::uintptr_t address, std::int64_t count, std::int64_t stride,
                     dtype type) {
    if (count <= 1) return;
    auto const bytes = static_cast<std::int64_t>(size_bytes(type));
    std::int64_t last = 0; // offset of the last element
    bool fits = !__builtin_mul_overflow(count - 1, stride, &last) && !__builtin_mul_overflow(last, bytes, &last);
    if (fits && last < 0)
        fits = address > static_cast<std::uintptr_t>(-(last + 1)) + 1; // nothing lies at 0
    else if (fits)
        fits = address <= std::numeric_limits<std::uintptr_t>::max() - static_cast<std::uintptr_t>(last) -
                              static_cast<std::uintptr_t>(bytes - 1);
    if (fits) return;
    throw argument_error(std::string(what) + " of " + std::to_string(count) + " " + std::string(steadfold::name(type)) +
                         " elements with a stride of " + std::to_string(stride) + " would leave the address space" +
                         (stride == 1 ? "" : ": strides are in elements, not in bytes"));
}

} // namespace detail
} // namespace v0
} // namespace steadfold
