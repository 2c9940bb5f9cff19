/// HDF5 files: opening, and finding what is in them.
#pragma once

#include "io/hdf5_handle.hpp"

#include <string>
#include <vector>

namespace steadfold::inline v0::io_detail {

/// Opens for reading; HDF5 prints no errors from here on in this process.
/// @throws io_error  without the file's name, with HDF5's words and, for a file locked by a writer, the fix
[[nodiscard]] hdf5_handle open_hdf5_file(std::string const& file);

/// Paths of all data sets, each object once (cycles of links are no trouble), sorted; links to other files not
/// followed.
[[nodiscard]] std::vector<std::string> dataset_paths(hid_t file);

/// Opens the data set, with a chunk cache that holds a row of its chunks if half of `memory_limit_bytes` has room.
/// @throws io_error  without the file's name; for a path that leads nowhere it lists up to 8 data sets with names alike
[[nodiscard]] hdf5_handle open_hdf5_dataset(hid_t file, std::string const& path, std::size_t memory_limit_bytes);

/// Up to 8 paths, those most like `wanted` first, as one text.
[[nodiscard]] std::string likely_paths(std::vector<std::string> paths, std::string const& wanted);

} // namespace steadfold::inline v0::io_detail
