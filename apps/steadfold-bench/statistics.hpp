// Medians, percentiles, and how sure a ratio of two medians is.
#pragma once

#include <vector>

namespace steadfold::inline v0::app {

/// The q-quantile of the samples, 0 <= q <= 1, linear between neighbours (NumPy's default). At least one sample.
[[nodiscard]] double quantile(std::vector<double> samples, double q);

struct interval {
    double low = 0, high = 0;
};

/// 95 % interval of median(peer) / median(ours): percentiles of a bootstrap over rounds. Sample i of both comes
/// from the same round and is drawn together, so that drift common to both cancels. Deterministic.
/// @param peer, ours  as many samples each, at least one
[[nodiscard]] interval median_ratio_interval(std::vector<double> const& peer, std::vector<double> const& ours);

} // namespace steadfold::inline v0::app
