// One reduction of one data set (or of a pair): what is asked, and what came out.
#pragma once

#include "settings.hpp"
#include "steadfold/communicator.hpp"
#include "steadfold/dataset.hpp"
#include "steadfold/partition.hpp"
#include "steadfold/results.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

/// How a job is run; in exact mode none of it changes a bit.
struct conduct {
    std::vector<execution> processors; // of this rank; one share of the rank's range each
    std::size_t chunk_bytes = 0;       // of each of the two buffers of each input
    std::size_t reader_memory_bytes = 0;
    int rotation = 0; // rank r takes the range of rank r + rotation
    bool progress = false;
};

/// What one processor of this rank did.
struct share {
    int device = -1; // CUDA ordinal; -1: the host
    index_range range;
    double seconds_read = 0, seconds_reduce = 0, seconds_combine = 0;
};

struct outcome {
    std::string input; // as given
    dataset_info info;
    operation_set operations;
    reduce_options options;    // with what the file declares
    std::vector<share> shares; // of this rank
    double seconds = 0;        // of the whole, on this rank
    reduction_results results;
    int self_check_ways = 0; // other ways that gave the same bits
};

/// Reduces one data set, or the products of two. Collective; every rank gets the results.
/// @throws shared_error on every rank, for whatever went wrong on any
/// @throws timeout_error if a rank does not arrive
[[nodiscard]] outcome run_job(communicator const& world, communicator const& combiner, settings const& chosen,
                              std::vector<std::string> const& inputs, conduct const& how);

/// The conduct the settings ask for.
[[nodiscard]] conduct planned_conduct(settings const& chosen, std::vector<execution> processors, int inputs);

} // namespace steadfold::inline v0::app
