// What is asked of a GPU in one group of measurements: one array, one operation, and who computes it.
#pragma once

#include "cases.hpp"
#include "data.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

struct device_question {
    std::string case_name;
    dtype type = dtype::float64;
    std::int64_t elements = 0;
    data_kind kind = {};
    /// "sum", "dot", "l1", "l2"; "one-pass": sum, mean, variance, extrema and norms together, beside a peer's sum;
    /// "operations": each of them, beside the exact sum
    std::string operation = "sum";
    bool latency = false;  // host to host in place of device time
    int calls = 200;       // in a graph; 0: what takes about 10 ms
    bool bandwidth = true; // beside a plain read of the array, if that is large enough to mean something
    bool fast_mode = true; // also steadfold's fast mode
};

/// Measures on CUDA's device 0. Peers that the build lacks, or that do not take the type, are left out; the first one
/// that is there is what ratios refer to.
[[nodiscard]] measured_group measure_on_device(device_question const& asked, settings const& chosen);

} // namespace steadfold::inline v0::app
