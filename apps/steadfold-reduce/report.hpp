// Results for people (text) and programs (JSON).
#pragma once

#include "job.hpp"

#include <string>
#include <vector>

namespace steadfold::inline v0::app {

/// Totals of a job over all ranks.
struct speed {
    double seconds_read = 0, seconds_reduce = 0, seconds_combine = 0; // of the slowest rank
    double seconds = 0;
    std::int64_t bytes = 0;
    double gigabytes_per_second = 0; // bytes over the whole time
};

/// Collective.
[[nodiscard]] speed measure_speed(communicator const& world, outcome const& job);

[[nodiscard]] std::string text_report(outcome const& job, speed const& fast, int ranks);
[[nodiscard]] std::string text_listing(std::vector<dataset_info> const& sets);

/// One document for all jobs: {"program", "version", "ranks", "record", "results": [...], "failures": [...]}; `record`
/// is the record's file or null.
[[nodiscard]] std::string json_report(std::vector<outcome> const& jobs, std::vector<speed> const& speeds,
                                      std::vector<std::string> const& failures, int ranks, std::string const& record);
/// {"program", "version", "datasets": [...], "failures": [...]}
[[nodiscard]] std::string json_listing(std::vector<dataset_info> const& sets, std::vector<std::string> const& failures);

} // namespace steadfold::inline v0::app
