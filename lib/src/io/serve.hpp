/// What the child does.
#pragma once

#include "io/source.hpp"

#include <array>
#include <cstddef>

namespace steadfold::inline v0::io_detail {

/// Opens the data set, answers with its description, then answers read requests until the socket closes.
void serve_dataset(int socket, dataset_spec const& spec, read_options const& options,
                   std::array<std::byte*, 2> const& buffers);

/// Answers once, with every data set of the file.
void serve_list(int socket, std::string const& file, read_options const& options);

} // namespace steadfold::inline v0::io_detail
