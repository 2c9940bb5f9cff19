/// What kind of file this is, by its first bytes.
#pragma once

#include "io/unique_fd.hpp"

#include <cstdint>
#include <string>

namespace steadfold::inline v0::io_detail {

enum class file_kind { hdf5, npy, other };

struct probed_file {
    std::string name;
    unique_fd descriptor;
    std::int64_t bytes = 0;
    file_kind kind = file_kind::other;
    std::string looks_like; ///< for `other`: in words, with a fix where there is one
};

/// Opens a regular file for reading.
/// @throws io_error  if it is missing, unreadable or not a regular file
[[nodiscard]] probed_file probe_file(std::string const& name);

} // namespace steadfold::inline v0::io_detail
