// How fast steadfold has to be beside its peers, and whether it is: `--case required` and its parts.
#pragma once

#include "cases.hpp"
#include "questions.hpp"
#include "report.hpp"

#include <string>
#include <vector>

namespace steadfold::inline v0::app {

struct requirement {
    std::string name, description;
    double required = 0, target = 0;             // least ratio of bytes per second, over all questions
    std::vector<device_question> questions = {}; // empty: the sum of 2^27 doubles on the host
    std::string peer = {};                       // how its name begins; empty: the first of the group
    std::string needs = {};                      // what a build must have for the peer to be there
};

[[nodiscard]] std::vector<requirement> const& all_requirements();

/// One case for each, called "required:" and its name.
[[nodiscard]] std::vector<bench_case> required_cases();

struct verdict {
    requirement what;
    ratio reached; // the worst one. value 0: the peer is not in this build
    group_label where;
    [[nodiscard]] std::string text() const; // "target", "required", "missed" or "not measured: ..."
    [[nodiscard]] bool missed() const { return reached.value > 0 && reached.value < what.required; }
};

/// Of the requirements whose cases are among the groups.
[[nodiscard]] std::vector<verdict> verdicts(std::vector<measured_group> const& groups);

/// Empty if there are none.
[[nodiscard]] std::string verdict_table(std::vector<verdict> const& all);

} // namespace steadfold::inline v0::app
