/// HDF5 element types, and how they are delivered.
#pragma once

#include "io/hdf5_handle.hpp"
#include "steadfold/dtype.hpp"

#include <optional>
#include <string>

namespace steadfold::inline v0::io_detail {

struct element_mapping {
    std::string stored;        ///< in words
    std::optional<dtype> type; ///< nothing: cannot be delivered
    hdf5_handle memory;        ///< the type to read as; native byte order
};

[[nodiscard]] element_mapping map_element_type(hid_t stored);

} // namespace steadfold::inline v0::io_detail
