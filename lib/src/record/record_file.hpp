/// The record as a file: its two names, what to do with files that exist, and space reserved ahead.
#pragma once

#include "record/hdf5_handle.hpp"
#include "steadfold/record.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace steadfold {
inline namespace v0 {
namespace detail {

/// NAME.partial
[[nodiscard]] std::filesystem::path partial_path(std::filesystem::path const& name);

struct created_file {
    file_handle file;
    std::filesystem::path name; ///< the final name; the file is partial_path(name)
    int descriptor = -1;        ///< HDF5's own, open as long as the file is
};

/// Creates NAME.partial by the options' rules. Throws io_error that names the path and the fix.
[[nodiscard]] created_file create_record_file(std::filesystem::path const& name, record_options const& options);

/// Makes the file at least `bytes` longer than `end`, with storage behind it where the file system can promise that.
/// Throws std::system_error where the disk, the quota or the limit on file sizes (ulimit -f) is too small.
///
/// Two things depend on it. A full disk shows before HDF5 has written half of an update. And HDF5 refuses a file that
/// is shorter than its first block says: after a kill in mid-flush, it is never shorter.
void reserve_space(int descriptor, std::int64_t end, std::int64_t bytes);

/// HDF5 cannot drop a file with unwritten data, it would try to write it until the process ends. So after a failed
/// write its descriptor is pointed at memory, and what is on disk stays as the last good flush left it.
void detach_from_disk(int descriptor) noexcept;

/// Waits until the file at `path` is on the storage device. Throws std::system_error.
void sync_path(std::filesystem::path const& path);

/// Renames NAME.partial to NAME, and makes that durable. Throws io_error if NAME exists and `overwrite` is false.
void publish(std::filesystem::path const& name, bool overwrite);

} // namespace detail
} // namespace v0
} // namespace steadfold
