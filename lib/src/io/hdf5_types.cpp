#include "io/hdf5_types.hpp"

#include <bit>
#include <vector>

namespace steadfold::inline v0::io_detail {

namespace {
std::string order_text(hid_t type) {
    if (H5Tget_size(type) == 1) return "";
    switch (H5Tget_order(type)) {
    case H5T_ORDER_LE:
        return "little-endian ";
    case H5T_ORDER_BE:
        return "big-endian ";
    default:
        return "mixed-endian ";
    }
}

hid_t native_integer(dtype type) {
    switch (type) {
    case dtype::int8:
        return H5T_NATIVE_INT8;
    case dtype::int16:
        return H5T_NATIVE_INT16;
    case dtype::int32:
        return H5T_NATIVE_INT32;
    case dtype::int64:
        return H5T_NATIVE_INT64;
    case dtype::uint8:
        return H5T_NATIVE_UINT8;
    case dtype::uint16:
        return H5T_NATIVE_UINT16;
    case dtype::uint32:
        return H5T_NATIVE_UINT32;
    default:
        return H5T_NATIVE_UINT64;
    }
}

hdf5_handle copy_of(hid_t type) {
    return {H5Tcopy(type), H5Tclose, "copy a type"};
}

element_mapping map_integer(hid_t stored) {
    auto const bytes = H5Tget_size(stored);
    bool const is_signed = H5Tget_sign(stored) == H5T_SGN_2;
    element_mapping mapping;
    mapping.stored = order_text(stored) + (is_signed ? "int" : "uint") + std::to_string(8 * bytes);
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return mapping;
    auto const width = static_cast<int>(std::countr_zero(bytes));
    mapping.type = static_cast<dtype>(static_cast<int>(is_signed ? dtype::int8 : dtype::uint8) + width);
    mapping.memory = copy_of(native_integer(*mapping.type));
    return mapping;
}

struct float_layout {
    std::size_t sign = 0, exponent_at = 0, exponent_bits = 0, mantissa_at = 0, mantissa_bits = 0;
    bool operator==(float_layout const&) const = default;
};

std::optional<dtype> known_float(hid_t stored) {
    float_layout found;
    check(H5Tget_fields(stored, &found.sign, &found.exponent_at, &found.exponent_bits, &found.mantissa_at,
                        &found.mantissa_bits),
          "read the layout of a floating-point type");
    auto const order = H5Tget_order(stored);
    auto const bits = 8 * H5Tget_size(stored);
    if (H5Tget_offset(stored) != 0 || H5Tget_precision(stored) != bits || H5Tget_norm(stored) != H5T_NORM_IMPLIED ||
        (order != H5T_ORDER_LE && order != H5T_ORDER_BE))
        return {};
    auto const bias = H5Tget_ebias(stored);
    if (bits == 64 && bias == 1023 && found == float_layout{63, 52, 11, 0, 52}) return dtype::float64;
    if (bits == 32 && bias == 127 && found == float_layout{31, 23, 8, 0, 23}) return dtype::float32;
    if (bits == 16 && bias == 15 && found == float_layout{15, 10, 5, 0, 10}) return dtype::float16;
    if (bits == 16 && bias == 127 && found == float_layout{15, 7, 8, 0, 7}) return dtype::bfloat16;
    return {};
}

element_mapping map_float(hid_t stored) {
    element_mapping mapping;
    mapping.type = known_float(stored);
    if (!mapping.type) {
        mapping.stored = order_text(stored) + std::to_string(H5Tget_precision(stored)) + "-bit floating point";
        return mapping;
    }
    mapping.stored = order_text(stored) + std::string(name(*mapping.type));
    // a copy that differs in byte order only: HDF5 then moves bytes and never touches a NaN's payload
    mapping.memory = copy_of(stored);
    auto const native = std::endian::native == std::endian::little ? H5T_ORDER_LE : H5T_ORDER_BE;
    check(H5Tset_order(mapping.memory.get(), native), "set a byte order");
    return mapping;
}

std::string member_name(hid_t stored, unsigned index) {
    char* const text = H5Tget_member_name(stored, index);
    if (text == nullptr) return "?";
    std::string copy(text);
    H5free_memory(text);
    return copy;
}

/// Only what h5py writes for complex numbers can be delivered: {r, i} of two equal floating-point types.
element_mapping map_compound(hid_t stored) {
    element_mapping mapping;
    int const members = H5Tget_nmembers(stored);
    std::vector<element_mapping> parts;
    mapping.stored = "compound {";
    for (int i = 0; i < members && i < 8; ++i) {
        hdf5_handle const member(H5Tget_member_type(stored, static_cast<unsigned>(i)), H5Tclose,
                                 "read a member's type");
        parts.push_back(map_element_type(member.get()));
        mapping.stored +=
            (i > 0 ? ", " : "") + member_name(stored, static_cast<unsigned>(i)) + ": " + parts.back().stored;
    }
    mapping.stored += members > 8 ? ", ...}" : "}";
    if (members != 2 || member_name(stored, 0) != "r" || member_name(stored, 1) != "i") return mapping;
    auto const type = parts[0].type;
    if (type != parts[1].type || (type != dtype::float32 && type != dtype::float64)) return mapping;
    auto const bytes = size_bytes(*type);
    mapping.type = type == dtype::float32 ? dtype::complex64 : dtype::complex128;
    mapping.memory = hdf5_handle(H5Tcreate(H5T_COMPOUND, 2 * bytes), H5Tclose, "make a type");
    check(H5Tinsert(mapping.memory.get(), "r", 0, parts[0].memory.get()), "make a type");
    check(H5Tinsert(mapping.memory.get(), "i", bytes, parts[1].memory.get()), "make a type");
    return mapping;
}

element_mapping map_enum(hid_t stored) {
    hdf5_handle const base(H5Tget_super(stored), H5Tclose, "read an enum's base type");
    auto mapping = map_element_type(base.get());
    mapping.stored = "enum of " + mapping.stored;
    return mapping;
}

std::string string_text(hid_t stored) {
    if (H5Tis_variable_str(stored) > 0) return "variable-length string";
    return "string of " + std::to_string(H5Tget_size(stored)) + " bytes";
}
} // namespace

element_mapping map_element_type(hid_t stored) {
    auto const only_text = [](std::string text) { return element_mapping{std::move(text), {}, {}}; };
    switch (check(H5Tget_class(stored), "read an element type")) {
    case H5T_INTEGER:
        return map_integer(stored);
    case H5T_FLOAT:
        return map_float(stored);
    case H5T_COMPOUND:
        return map_compound(stored);
    case H5T_ENUM:
        return map_enum(stored);
    case H5T_STRING:
        return only_text(string_text(stored));
    case H5T_BITFIELD:
        return only_text(std::to_string(8 * H5Tget_size(stored)) + "-bit bitfield");
    case H5T_OPAQUE:
        return only_text("opaque bytes");
    case H5T_REFERENCE:
        return only_text("reference");
    case H5T_VLEN:
        return only_text("variable-length sequence");
    case H5T_ARRAY:
        return only_text("array inside each element");
    case H5T_TIME:
        return only_text("time");
    default:
        return only_text("unknown type");
    }
}

} // namespace steadfold::inline v0::io_detail
