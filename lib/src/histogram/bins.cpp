#include "base/floating_environment.hpp"
#include "histogram/uniform_edges.hpp"
#include "steadfold/error.hpp"
#include "steadfold/histogram.hpp"

#include <cmath>
#include <cstdio>
#include <string>

namespace steadfold {
inline namespace v0 {

namespace {

std::string text(double x) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", x);
    return digits;
}

} // namespace

histogram_bins uniform_bins(double low, double high, std::int64_t count) {
    base::default_floating_environment const environment;
    if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
        throw argument_error("bins from " + text(low) + " to " + text(high) +
                             ": the ends must be finite, the first below the last");
    if (count < 1 || count > max_histogram_bins)
        throw argument_error(std::to_string(count) + " bins: there must be from 1 to " +
                             std::to_string(max_histogram_bins));
    std::vector<double> edges = histogram_detail::uniform_edges(low + 0.0, high + 0.0, count); // -0 becomes +0
    for (std::size_t i = 1; i < edges.size(); ++i)
        if (!(edges[i - 1] < edges[i]))
            throw argument_error("from " + text(low) + " to " + text(high) + " there is no room for " +
                                 std::to_string(count) + " bins: edges " + std::to_string(i - 1) + " and " +
                                 std::to_string(i) + " would both be " + text(edges[i]));
    return {std::move(edges), true};
}

histogram_bins bin_edges(std::vector<double> edges) {
    base::default_floating_environment const environment;
    if (edges.size() < 2 || edges.size() > static_cast<std::size_t>(max_histogram_bins) + 1)
        throw argument_error(std::to_string(edges.size()) + " edges: there must be from 2 to " +
                             std::to_string(max_histogram_bins + 1));
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (!std::isfinite(edges[i])) throw argument_error("edge " + std::to_string(i) + " is " + text(edges[i]));
        if (i > 0 && !(edges[i - 1] < edges[i]))
            throw argument_error("edges must increase: edge " + std::to_string(i - 1) + " is " + text(edges[i - 1]) +
                                 ", edge " + std::to_string(i) + " is " + text(edges[i]));
        edges[i] += 0.0; // -0 becomes +0
    }
    return {std::move(edges), false};
}

} // namespace v0
} // namespace steadfold
