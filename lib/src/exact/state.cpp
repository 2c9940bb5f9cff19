#include "exact/state.hpp"

#include "base/floating_environment.hpp"

namespace steadfold::inline v0::exact {

void merge(reduction_state& state, reduction_state& other, dtype type) noexcept {
    base::default_floating_environment const environment; // for the sums of `fast` mode
    normalise(state, type);
    normalise(other, type);
    state.elements += other.elements;
    state.bits.merge(other.bits);
    state.product.merge(other.product);
    for (int c = 0; c < component_count(type); ++c) {
        component_state& mine = state.component[c];
        component_state const& theirs = other.component[c];
        for (int i = 0; i < sum_capacity; ++i) mine.sum[i] += theirs.sum[i];
        for (int i = 0; i < sum_capacity; ++i) mine.magnitudes[i] += theirs.magnitudes[i];
        for (int i = 0; i < product_capacity; ++i) mine.products[i] += theirs.products[i];
        mine.counts.merge(theirs.counts);
        mine.extrema.merge(theirs.extrema);
        mine.fast_sum += theirs.fast_sum;
        mine.fast_magnitudes += theirs.fast_magnitudes;
        mine.fast_products += theirs.fast_products;
    }
    normalise(state, type);
}

} // namespace steadfold::inline v0::exact
