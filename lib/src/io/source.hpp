/// An open data set inside the child process.
#pragma once

#include "steadfold/dataset.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace steadfold::inline v0::io_detail {

class source {
  public:
    virtual ~source() = default;
    /// Reads elements [first, first + count), a range inside the data set, as `info().type`.
    virtual void read(std::int64_t first, std::int64_t count, std::byte* destination) = 0;

    [[nodiscard]] dataset_info const& info() const noexcept { return info_; }

  protected:
    dataset_info info_;
};

/// Both throw io_error with a message that begins with the file's name.
[[nodiscard]] std::unique_ptr<source> open_source(dataset_spec const& spec, read_options const& options);
[[nodiscard]] std::vector<dataset_info> list_source(std::string const& file, read_options const& options);

/// For HDF5 files; defined when the library is built with HDF5.
[[nodiscard]] std::unique_ptr<source> open_hdf5(dataset_spec const& spec, read_options const& options);
[[nodiscard]] std::vector<dataset_info> list_hdf5(std::string const& file, read_options const& options);

} // namespace steadfold::inline v0::io_detail
