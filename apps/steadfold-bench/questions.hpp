// What is asked of a GPU in one group of measurements: one array, one operation, and who computes it.
#pragma once

#include "cases.hpp"
#include "data.hpp"

#include <cstdint>
#include <string>

namespace steadfold::inline v0::app {

struct device_question {
    std::string case_name = {};
    dtype type = dtype::float64;
    std::int64_t elements = 0;
    data_kind kind = {};
    /// "sum", "dot", "l1", "l2"; "one-pass": sum, mean, variance, extrema and norms together, beside a peer's sum;
    /// "operations": each of them, beside the exact sum; "segments": sums of segments of `segment_size` elements
    std::string operation = "sum";
    int segment_size = 0;
    bool latency = false;   // host to host in place of device time
    int calls = 200;        // in a graph; 0: what takes about 10 ms
    bool bandwidth = true;  // beside a plain read of the array, if that is large enough to mean something
    bool fast_mode = false; // sums: steadfold's fast mode too
};

/// Measures on CUDA's device 0. Peers that the build lacks, or that do not take the type, are left out; the first one
/// that is there is what ratios refer to.
[[nodiscard]] measured_group measure_on_device(device_question const& asked, settings const& chosen);

/// False where type and operation do not go together: only floating-point types have products and norms here.
[[nodiscard]] bool can_be_asked(device_question const& question);

/// Why there is no GPU to measure; empty if there is one.
[[nodiscard]] std::string cuda_unavailable();

/// What device 0 could start in a second if nothing stalled it, at its highest clock; 0 without a GPU. Divided by
/// elements a second: how many instructions an element there is time for.
struct instruction_rates {
    double issued = 0;  // instructions of one thread
    double float64 = 0; // of those, additions and the like of doubles
};
[[nodiscard]] instruction_rates gpu_instruction_rates();

} // namespace steadfold::inline v0::app
