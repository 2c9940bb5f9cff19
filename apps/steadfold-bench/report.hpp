// The measurements as a table, as CSV and as JSON (data/benchmarks/README.md describes both files).
#pragma once

#include "machine.hpp"
#include "measure.hpp"
#include "questions.hpp"
#include "settings.hpp"
#include "statistics.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

struct summary {
    double median_us = 0, p5_us = 0, p95_us = 0, min_us = 0, rate_gb_per_s = 0;
    double of_read = 0; // rate over that of the group's plain read of the same array; 0: there was none
    // What a GPU could have started in that time; 0 on a host. Not what was started: that is counted in the SASS.
    double issue_slots_per_element = 0, float64_slots_per_element = 0;
};
[[nodiscard]] summary summarise(measured_group const& group, measurement const& one, instruction_rates const& gpu);

/// Bytes per second of `ours` over those of `peer`.
struct ratio {
    double value = 1;
    interval range;
};
[[nodiscard]] ratio ratio_of(measurement const& ours, measurement const& peer);

/// The table's head, and the lines of one group.
[[nodiscard]] std::string table_head();
[[nodiscard]] std::string table_lines(measured_group const& group, instruction_rates const& gpu);

[[nodiscard]] std::string to_csv(std::vector<measured_group> const& groups, instruction_rates const& gpu);

struct verdict;

struct run_facts {
    machine where;
    std::string started_utc;
    std::string host_peer_level; // instruction set of the peers' loops on the host
    instruction_rates gpu;
};
[[nodiscard]] std::string to_json(std::vector<measured_group> const& groups, std::vector<verdict> const& verdicts,
                                  run_facts const& run, settings const& chosen);

} // namespace steadfold::inline v0::app
