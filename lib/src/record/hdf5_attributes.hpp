/// Attributes and texts: variable-length UTF-8, which h5py reads as `str`, and 64-bit integers.
#pragma once

#include "record/hdf5_check.hpp"
#include "record/hdf5_handle.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// The file type of texts.
[[nodiscard]] datatype_handle text_type();

/// Creates the attribute or replaces its value.
void write_attribute(hid_t object, char const* name, std::string_view value);
void write_attribute(hid_t object, char const* name, std::int64_t value);

[[nodiscard]] bool has_attribute(hid_t object, char const* name);

/// Empty if there is no such attribute. Throws io_error if it is no text.
[[nodiscard]] std::string read_text_attribute(hid_t object, char const* name);

/// `fallback` if there is no such attribute. Throws io_error if it is no integer.
[[nodiscard]] std::int64_t read_integer_attribute(hid_t object, char const* name, std::int64_t fallback);

/// All attributes that are texts, or that are integers, by name.
[[nodiscard]] std::map<std::string, std::string> read_text_attributes(hid_t object);
[[nodiscard]] std::map<std::string, std::int64_t> read_integer_attributes(hid_t object);

/// A scalar data set with a text; a 1-D data set of texts.
void write_text(hid_t group, char const* name, std::string_view text);
void write_texts(hid_t group, char const* name, std::vector<std::string> const& texts);

/// The texts of a scalar or 1-D data set; none if there is no such data set. Throws io_error if it holds no texts.
[[nodiscard]] std::vector<std::string> read_texts(hid_t group, char const* name);

} // namespace detail
} // namespace v0
} // namespace steadfold
