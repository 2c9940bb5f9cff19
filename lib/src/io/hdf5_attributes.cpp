#include "io/hdf5_attributes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace steadfold::inline v0::io_detail {

namespace {
constexpr std::size_t max_values = 1024; ///< of one attribute; a longer one is no marker

struct attribute {
    hdf5_handle id, type;
    H5T_class_t kind = H5T_NO_CLASS;
    std::size_t count = 0;
};

/// An attribute with values, or one without an id.
attribute open_attribute(hid_t dataset, char const* name) {
    attribute found;
    if (check(H5Aexists(dataset, name), "look for an attribute") == 0) return found;
    hdf5_handle id(H5Aopen(dataset, name, H5P_DEFAULT), H5Aclose, "open an attribute");
    hdf5_handle const space(H5Aget_space(id.get()), H5Sclose, "read the shape of an attribute");
    auto const points = check(H5Sget_simple_extent_npoints(space.get()), "read the shape of an attribute");
    found.type = hdf5_handle(H5Aget_type(id.get()), H5Tclose, "read the type of an attribute");
    found.kind = H5Tget_class(found.type.get());
    found.count = static_cast<std::size_t>(points);
    if (points > 0 && found.count <= max_values) found.id = std::move(id);
    return found;
}

bool is_numeric(attribute const& a) {
    return a.id && (a.kind == H5T_INTEGER || a.kind == H5T_FLOAT);
}

template <class T>
std::vector<T> read_values(attribute const& a, hid_t memory) {
    std::vector<T> values(a.count);
    check(H5Aread(a.id.get(), memory, values.data()), "read an attribute");
    return values;
}

/// Values converted to the element type and from there to double; those that leave its range mark nothing.
void add_real(attribute const& a, dtype type, hid_t memory, missing_markers& markers) {
    auto const wide = read_values<double>(a, H5T_NATIVE_DOUBLE);
    auto const bytes = size_bytes(type);
    std::vector<std::byte> narrow(a.count * std::max(bytes, H5Tget_size(memory)));
    check(H5Aread(a.id.get(), memory, narrow.data()), "read an attribute");
    for (std::size_t i = 0; i < a.count; ++i) {
        double const value = load_as_double(type, narrow.data() + i * bytes);
        if (std::isinf(value) && !std::isinf(wide[i])) continue;
        if (std::ranges::find(markers.real, value) == markers.real.end()) markers.real.push_back(value);
    }
}

bool fits(dtype type, std::int64_t value) {
    auto const bits = static_cast<int>(8 * size_bytes(type));
    if (!is_signed_integer(type)) return value >= 0 && (bits == 64 || value >> bits == 0);
    return bits == 64 || (value >= -(std::int64_t{1} << (bits - 1)) && value < std::int64_t{1} << (bits - 1));
}

void add_integer_value(dtype type, std::int64_t value, bool is_large_unsigned, missing_markers& markers) {
    bool const possible = is_large_unsigned ? type == dtype::uint64 : fits(type, value);
    if (possible && std::ranges::find(markers.integer, value) == markers.integer.end())
        markers.integer.push_back(value);
}

/// A floating-point attribute on integer data counts where it is a whole number of the type's range.
void add_integer(attribute const& a, dtype type, missing_markers& markers) {
    if (a.kind == H5T_FLOAT) {
        for (double const value : read_values<double>(a, H5T_NATIVE_DOUBLE)) {
            if (value != std::trunc(value)) continue;
            if (value >= -0x1p63 && value < 0x1p63)
                add_integer_value(type, static_cast<std::int64_t>(value), false, markers);
            else if (value >= 0x1p63 && value < 0x1p64)
                add_integer_value(type, static_cast<std::int64_t>(static_cast<std::uint64_t>(value)), true, markers);
        }
    } else if (H5Tget_sign(a.type.get()) == H5T_SGN_NONE) {
        for (auto const value : read_values<std::uint64_t>(a, H5T_NATIVE_UINT64))
            add_integer_value(type, static_cast<std::int64_t>(value), value >> 63 != 0, markers);
    } else {
        for (auto const value : read_values<std::int64_t>(a, H5T_NATIVE_INT64))
            add_integer_value(type, value, false, markers);
    }
}

std::optional<double> read_number(hid_t dataset, char const* name) {
    auto const a = open_attribute(dataset, name);
    if (!is_numeric(a) || a.count != 1) return {};
    return read_values<double>(a, H5T_NATIVE_DOUBLE).front();
}
} // namespace

missing_markers read_missing_markers(hid_t dataset, dtype type, hid_t memory) {
    missing_markers markers;
    if (is_complex(type)) return markers;
    for (char const* name : {"_FillValue", "missing_value"}) {
        auto const a = open_attribute(dataset, name);
        if (!is_numeric(a)) continue;
        if (is_integer(type))
            add_integer(a, type, markers);
        else
            add_real(a, type, memory, markers);
    }
    return markers;
}

packing read_packing(hid_t dataset) {
    return {read_number(dataset, "scale_factor"), read_number(dataset, "add_offset")};
}

std::string read_text_attribute(hid_t dataset, char const* name) {
    auto const a = open_attribute(dataset, name);
    if (!a.id || a.kind != H5T_STRING || a.count != 1) return {};
    if (H5Tis_variable_str(a.type.get()) > 0) {
        char* text = nullptr;
        check(H5Aread(a.id.get(), a.type.get(), static_cast<void*>(&text)), "read an attribute");
        if (text == nullptr) return {};
        std::string copy(text);
        H5free_memory(text);
        return copy;
    }
    auto const bytes = H5Tget_size(a.type.get());
    if (bytes > 65536) return {};
    std::string text(bytes, '\0');
    check(H5Aread(a.id.get(), a.type.get(), text.data()), "read an attribute");
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
}

} // namespace steadfold::inline v0::io_detail
