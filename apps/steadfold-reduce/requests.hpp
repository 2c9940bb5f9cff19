// From the inputs on the command line to the work there is.
#pragma once

#include "settings.hpp"
#include "steadfold/communicator.hpp"
#include "steadfold/dataset.hpp"

#include <string>
#include <vector>

namespace steadfold::inline v0::app {

/// One array, or two for a sum of products; or why there is none.
struct request {
    std::vector<std::string> inputs;
    std::string failure;
};

/// Every job the settings ask for, patterns expanded. Collective: all ranks get what rank 0 found.
/// @throws shared_error if the record would replace an input
[[nodiscard]] std::vector<request> requested_jobs(communicator const& world, settings const& chosen);

/// Is this a question for the data sets of a file: --list, or an HDF5 file alone?
/// @throws io_error, timeout_error if the file cannot be asked
[[nodiscard]] bool wants_listing(settings const& chosen);

struct listing {
    std::vector<dataset_info> sets;
    std::vector<std::string> failures; // of files that could not be listed
};

/// @throws interrupted
[[nodiscard]] listing list_inputs(settings const& chosen);

} // namespace steadfold::inline v0::app
