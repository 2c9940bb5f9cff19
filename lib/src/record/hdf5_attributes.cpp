#include "record/hdf5_attributes.hpp"

#include "record/fixed_text.hpp"

namespace steadfold {
inline namespace v0 {
namespace detail {
namespace {

// Texts of a record are small; a count above this comes from a damaged file.
constexpr hssize_t most_texts = 1 << 20;

dataspace_handle scalar_space() {
    return dataspace_handle{check(H5Screate(H5S_SCALAR), "creating a scalar")};
}

attribute_handle open_or_create(hid_t object, char const* name, hid_t type) {
    if (has_attribute(object, name)) return attribute_handle{check(H5Aopen(object, name, H5P_DEFAULT), name)};
    auto const space = scalar_space();
    return attribute_handle{check(H5Acreate2(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), name)};
}

attribute_handle open_scalar(hid_t object, char const* name, H5T_class_t wanted) {
    attribute_handle attribute{check(H5Aopen(object, name, H5P_DEFAULT), name)};
    datatype_handle const type{check(H5Aget_type(attribute.get()), name)};
    dataspace_handle const space{check(H5Aget_space(attribute.get()), name)};
    if (H5Tget_class(type.get()) != wanted || H5Sget_simple_extent_npoints(space.get()) != 1)
        throw io_error(std::string("attribute ") + name + (wanted == H5T_STRING ? " is no text" : " is no integer"));
    return attribute;
}

/// Memory types of texts must follow the file in length (variable or fixed); one that is fixed gets room for a NUL.
datatype_handle memory_text_type(hid_t file_type) {
    datatype_handle type{check(H5Tcopy(H5T_C_S1), "copying a text type")};
    bool const variable = check(H5Tis_variable_str(file_type), "reading a text type") > 0;
    check(H5Tset_size(type.get(), variable ? H5T_VARIABLE : H5Tget_size(file_type) + 1), "sizing a text type");
    check(H5Tset_cset(type.get(), H5Tget_cset(file_type)), "reading a character set");
    return type;
}

/// Calls `read(memory_type, buffer)` and takes `count` texts from the buffer.
template <class Read>
std::vector<std::string> take_texts(hid_t file_type, hid_t space, std::size_t count, Read&& read) {
    datatype_handle const type = memory_text_type(file_type);
    std::vector<std::string> texts;
    if (H5Tis_variable_str(type.get()) > 0) {
        std::vector<char*> pointers(count, nullptr);
        read(type.get(), pointers.data());
        for (char const* text : pointers) texts.push_back(valid_utf8(text ? text : ""));
        check(H5Dvlen_reclaim(type.get(), space, H5P_DEFAULT, pointers.data()), "freeing texts");
        return texts;
    }
    std::size_t const size = H5Tget_size(type.get());
    if (size > (std::size_t{1} << 24)) throw io_error("a text of this size comes from a damaged file");
    std::vector<char> buffer(count * size + 1, '\0');
    read(type.get(), buffer.data());
    for (std::size_t i = 0; i < count; ++i) texts.push_back(valid_utf8(&buffer[i * size]));
    return texts;
}

herr_t collect_name(hid_t, char const* name, H5A_info_t const*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

std::vector<std::string> attribute_names(hid_t object, H5T_class_t wanted) {
    std::vector<std::string> all, names;
    check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &all), "listing attributes");
    for (std::string const& name : all) {
        attribute_handle const attribute{check(H5Aopen(object, name.c_str(), H5P_DEFAULT), name)};
        datatype_handle const type{check(H5Aget_type(attribute.get()), name)};
        if (H5Tget_class(type.get()) == wanted) names.push_back(name);
    }
    return names;
}

} // namespace

datatype_handle text_type() {
    datatype_handle type{check(H5Tcopy(H5T_C_S1), "copying a text type")};
    check(H5Tset_size(type.get(), H5T_VARIABLE), "sizing a text type");
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "setting UTF-8");
    return type;
}

void write_attribute(hid_t object, char const* name, std::string_view value) {
    auto const type = text_type();
    std::string const text = valid_utf8(value);
    char const* const pointer = text.c_str();
    check(H5Awrite(open_or_create(object, name, type.get()).get(), type.get(), &pointer), name);
}

void write_attribute(hid_t object, char const* name, std::int64_t value) {
    check(H5Awrite(open_or_create(object, name, H5T_STD_I64LE).get(), H5T_NATIVE_INT64, &value), name);
}

bool has_attribute(hid_t object, char const* name) {
    return check(H5Aexists(object, name), name) > 0;
}

std::string read_text_attribute(hid_t object, char const* name) {
    if (!has_attribute(object, name)) return {};
    auto const attribute = open_scalar(object, name, H5T_STRING);
    datatype_handle const type{check(H5Aget_type(attribute.get()), name)};
    dataspace_handle const space{check(H5Aget_space(attribute.get()), name)};
    return take_texts(
               type.get(), space.get(), 1,
               [&](hid_t memory_type, void* buffer) { check(H5Aread(attribute.get(), memory_type, buffer), name); })
        .front();
}

std::int64_t read_integer_attribute(hid_t object, char const* name, std::int64_t fallback) {
    if (!has_attribute(object, name)) return fallback;
    std::int64_t value = 0;
    check(H5Aread(open_scalar(object, name, H5T_INTEGER).get(), H5T_NATIVE_INT64, &value), name);
    return value;
}

std::map<std::string, std::string> read_text_attributes(hid_t object) {
    std::map<std::string, std::string> values;
    for (std::string const& name : attribute_names(object, H5T_STRING))
        values[name] = read_text_attribute(object, name.c_str());
    return values;
}

std::map<std::string, std::int64_t> read_integer_attributes(hid_t object) {
    std::map<std::string, std::int64_t> values;
    for (std::string const& name : attribute_names(object, H5T_INTEGER))
        values[name] = read_integer_attribute(object, name.c_str(), 0);
    return values;
}

void write_text(hid_t group, char const* name, std::string_view text) {
    auto const type = text_type();
    auto const space = scalar_space();
    std::string const valid = valid_utf8(text);
    char const* const pointer = valid.c_str();
    dataset_handle const dataset{
        check(H5Dcreate2(group, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name)};
    check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer), name);
}

void write_texts(hid_t group, char const* name, std::vector<std::string> const& texts) {
    auto const type = text_type();
    hsize_t const count = texts.size();
    dataspace_handle const space{check(H5Screate_simple(1, &count, nullptr), name)};
    std::vector<std::string> valid;
    std::vector<char const*> pointers;
    for (std::string const& text : texts) valid.push_back(valid_utf8(text));
    for (std::string const& text : valid) pointers.push_back(text.c_str());
    dataset_handle const dataset{
        check(H5Dcreate2(group, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name)};
    if (count > 0) check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), name);
}

std::vector<std::string> read_texts(hid_t group, char const* name) {
    if (check(H5Lexists(group, name, H5P_DEFAULT), name) == 0) return {};
    dataset_handle const dataset{check(H5Dopen2(group, name, H5P_DEFAULT), name)};
    datatype_handle const type{check(H5Dget_type(dataset.get()), name)};
    dataspace_handle const space{check(H5Dget_space(dataset.get()), name)};
    hssize_t const count = check(H5Sget_simple_extent_npoints(space.get()), name);
    if (H5Tget_class(type.get()) != H5T_STRING || count > most_texts)
        throw io_error(std::string("data set ") + name + " holds no list of texts");
    if (count == 0) return {};
    return take_texts(type.get(), space.get(), static_cast<std::size_t>(count), [&](hid_t memory_type, void* buffer) {
        check(H5Dread(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer), name);
    });
}

} // namespace detail
} // namespace v0
} // namespace steadfold
