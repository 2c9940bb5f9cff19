/// Files whose elements lie one after the other: .npy and raw binary.
#pragma once

#include "io/file_probe.hpp"
#include "io/source.hpp"

#include <memory>

namespace steadfold::inline v0::io_detail {

[[nodiscard]] std::unique_ptr<source> open_npy(probed_file&& file);
[[nodiscard]] std::unique_ptr<source> open_raw(probed_file&& file, read_options const& options);

} // namespace steadfold::inline v0::io_detail
