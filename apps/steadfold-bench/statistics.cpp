#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

namespace steadfold::inline v0::app {

namespace {

/// Reorders the samples.
double quantile_in_place(std::vector<double>& samples, double q) {
    double const place = q * static_cast<double>(samples.size() - 1);
    auto const below = static_cast<std::ptrdiff_t>(std::floor(place));
    auto const middle = samples.begin() + below;
    std::nth_element(samples.begin(), middle, samples.end());
    double const weight = place - static_cast<double>(below);
    if (weight == 0) return *middle;
    return *middle + weight * (*std::min_element(middle + 1, samples.end()) - *middle);
}

} // namespace

double quantile(std::vector<double> samples, double q) {
    return quantile_in_place(samples, q);
}

interval median_ratio_interval(std::vector<double> const& peer, std::vector<double> const& ours) {
    constexpr int draws = 1000;
    std::minstd_rand random{1}; // the same seed always: the same samples give the same interval
    std::uniform_int_distribution<std::size_t> any_round{0, peer.size() - 1};
    std::vector<double> ratios, drawn_peer(peer.size()), drawn_ours(peer.size());
    for (int draw = 0; draw < draws; ++draw) {
        for (std::size_t i = 0; i < peer.size(); ++i) {
            std::size_t const round = any_round(random);
            drawn_peer[i] = peer[round];
            drawn_ours[i] = ours[round];
        }
        ratios.push_back(quantile_in_place(drawn_peer, 0.5) / quantile_in_place(drawn_ours, 0.5));
    }
    return {quantile_in_place(ratios, 0.025), quantile_in_place(ratios, 0.975)};
}

} // namespace steadfold::inline v0::app
