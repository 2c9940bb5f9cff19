// What can be measured.
#pragma once

#include "measure.hpp"
#include "settings.hpp"

#include <functional>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

/// Called with every group as soon as it is measured.
using group_sink = std::function<void(measured_group)>;

struct bench_case {
    std::string name, description;
    bool cuda = false;
    void (*run)(settings const& chosen, group_sink const& done) = nullptr;
};

[[nodiscard]] std::vector<bench_case> const& all_cases();

/// Why the case cannot run here; empty if it can.
[[nodiscard]] std::string unavailable(bench_case const& what);

/// The cases that were asked for, by --case and --device, whether or not they can run here.
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

void run_host_sum(settings const& chosen, group_sink const& done);
void run_host_ops(settings const& chosen, group_sink const& done);
void run_cuda_sum(settings const& chosen, group_sink const& done);
void run_cuda_blas(settings const& chosen, group_sink const& done);
void run_cuda_one_pass(settings const& chosen, group_sink const& done);
void run_cuda_ops(settings const& chosen, group_sink const& done);

/// Why there is no GPU to measure; empty if there is one.
[[nodiscard]] std::string cuda_unavailable();

} // namespace steadfold::inline v0::app
