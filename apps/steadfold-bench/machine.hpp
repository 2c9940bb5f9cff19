// What was measured on: facts that a published figure needs beside it.
#pragma once

#include <string>

namespace steadfold::inline v0::app {

struct machine {
    std::string cpu_model;
    int allowed_cpus = 0;
    double load_average = 0; // processes that wanted to run in the last minute, before the measurements
    std::string gpu_name;    // CUDA's device 0; empty if there is none
    int gpu_sm_count = 0;
    std::string gpu_driver;                                // e.g. "580.159.03"
    int cuda_driver_version = 0, cuda_runtime_version = 0; // 1000 * major + 10 * minor; 0: none
};

[[nodiscard]] machine this_machine();

/// ISO 8601, UTC, e.g. "2025-01-31T12:00:00Z".
[[nodiscard]] std::string now_utc();

} // namespace steadfold::inline v0::app
