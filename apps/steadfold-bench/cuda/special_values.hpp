// Sums that go wrong elsewhere: zeros, an infinity, subnormals, cancellation.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace steadfold::inline v0::app {

struct special_sum {
    std::string what, type;
    double expected = 0;              // what arithmetic says
    double cub = 0;                   // the toolkit's DeviceReduce::Sum
    std::optional<double> gpu_to_gpu; // CUB's, where the build has it
    double ours = 0;
};

/// In float64 and in float32.
/// @throws wrong_result if ours is not what is expected, to the last bit
[[nodiscard]] std::vector<special_sum> special_sums();

} // namespace steadfold::inline v0::app
