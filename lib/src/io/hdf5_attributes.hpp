/// The attributes of a data set that say what its values mean.
#pragma once

#include "io/hdf5_handle.hpp"
#include "io/missing_values.hpp"

#include <string>

namespace steadfold::inline v0::io_detail {

/// `_FillValue` and all values of `missing_value`, as far as an element of `type` (read as `memory`) can have them.
/// Empty for complex types.
[[nodiscard]] missing_markers read_missing_markers(hid_t dataset, dtype type, hid_t memory);

/// `scale_factor` and `add_offset`.
[[nodiscard]] packing read_packing(hid_t dataset);

/// A string attribute; empty if there is none.
[[nodiscard]] std::string read_text_attribute(hid_t dataset, char const* name);

} // namespace steadfold::inline v0::io_detail
