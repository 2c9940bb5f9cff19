#include "histogram/bin_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace steadfold::inline v0::histogram_detail {

namespace {

/// Smallest Key >= edge: for x of type Key, x >= edge exactly if x >= it.
template <class Key>
Key not_below(double edge) {
    auto const key = static_cast<Key>(edge);
    return key < edge ? std::nextafter(key, std::numeric_limits<Key>::infinity()) : key;
}

/// Smallest Key > edge.
template <class Key>
Key above(double edge) {
    Key const key = not_below<Key>(edge);
    return key > edge ? key : std::nextafter(key, std::numeric_limits<Key>::infinity());
}

} // namespace

template <class Key>
owned_bin_table<Key>::owned_bin_table(histogram_bins const& bins) {
    std::span<double const> const edges = bins.edges();
    double const low = edges.front(), high = edges.back();
    thresholds_.reserve(edges.size() + 2);
    thresholds_.push_back(-std::numeric_limits<Key>::infinity());
    std::transform(edges.begin(), edges.end() - 1, std::back_inserter(thresholds_), not_below<Key>);
    thresholds_.push_back(above<Key>(high)); // the last bin holds its upper edge
    thresholds_.push_back(std::numeric_limits<Key>::quiet_NaN());
    table_.bins = static_cast<int>(bins.count());
    table_.uniform = bins.uniform();
    double const scale = static_cast<double>(bins.count()) / (high / 2 - low / 2);
    table_.half_low = static_cast<Key>(low / 2);
    table_.scale = static_cast<Key>(std::min<double>(scale, std::numeric_limits<Key>::max()));
}

template class owned_bin_table<float>;
template class owned_bin_table<double>;

} // namespace steadfold::inline v0::histogram_detail
