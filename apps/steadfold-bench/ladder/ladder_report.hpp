// The ladder as a table and as JSON.
#pragma once

#include "ladder/climb.hpp"
#include "ladder/instructions.hpp"
#include "report.hpp"
#include "settings.hpp"

#include <string>
#include <vector>

namespace steadfold::inline v0::app::ladder {

/// Bytes per second of the fastest plain reader: what the rungs' rates are measured against. Zero without readers.
[[nodiscard]] double peak_gb_per_s(std::vector<timed_rung> const& rungs);

/// One size's rungs, from the bottom up.
[[nodiscard]] std::string to_table(std::vector<timed_rung> const& rungs, machine_code const& code);

struct run_description {
    machine where;
    std::string started_utc;
    int sums_checked = 0;
};
[[nodiscard]] std::string to_json(std::vector<std::vector<timed_rung>> const& sizes, machine_code const& code,
                                  run_description const& run, settings const& chosen);

} // namespace steadfold::inline v0::app::ladder
