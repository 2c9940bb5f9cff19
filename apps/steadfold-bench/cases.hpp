// What can be measured.
#pragma once

#include "measure.hpp"
#include "settings.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

/// Called with every group as soon as it is measured.
using group_sink = std::function<void(measured_group)>;

/// Of which device; `only_if_asked` cases run only if --case names them.
struct bench_case {
    std::string name, description;
    bool cuda = false, only_if_asked = false;
    std::function<void(settings const& chosen, group_sink const& done)> run;
};

[[nodiscard]] std::vector<bench_case> const& all_cases();

/// Why the case cannot run here; empty if it can.
[[nodiscard]] std::string unavailable(bench_case const& what);

/// The cases that were asked for, by --case and --device, whether or not they can run here. The name before a colon
/// stands for all that begin so.
/// @throws argument_error naming an unknown case and the known ones, or if --case and --device contradict each other
[[nodiscard]] std::vector<bench_case> asked_for(settings const& chosen);

/// Calls run(type, elements) for what the settings ask for, or else for what the case does by default.
template <class Run>
void for_sizes(settings const& chosen, std::vector<dtype> const& types, std::int64_t elements, Run const& run) {
    for (dtype const type : chosen.types.empty() ? types : chosen.types) {
        if (chosen.elements.empty()) run(type, elements);
        for (std::int64_t const n : chosen.elements) run(type, n);
    }
}

/// One group each.
[[nodiscard]] measured_group measure_host_sum(group_label const& label, data_kind kind, settings const& chosen);
[[nodiscard]] measured_group measure_host_operations(group_label const& label, data_kind kind, settings const& chosen);

} // namespace steadfold::inline v0::app
