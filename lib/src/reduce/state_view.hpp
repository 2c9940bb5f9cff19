// What finishing needs: the merged state, wherever its parts are, and what was asked for.
#pragma once

#include "exact/leading.hpp"
#include "exact/state.hpp"
#include "steadfold/options.hpp"

#include <cstdint>

namespace steadfold::inline v0::reduce_detail {

/// What decides a result besides the data; trivially copyable.
struct finish_options {
    dtype type = dtype::float64; // of the elements
    reduction_mode mode = reduction_mode::exact;
    bool ignore_nans = false; // NaN and missing elements leave the count too
    int ddof = 0;
    bool has_result = false; // the caller chose the type of the results
    dtype result = dtype::float64;
};

/// One real component; parts that no wanted operation needs may stay empty.
struct component_view {
    exact::digit_span sum, magnitudes, products;
    exact::special_counts const* counts = nullptr;
    double fast_sum = 0, fast_magnitudes = 0, fast_products = 0;
};

/// On a device keep it in shared memory: it is indexed at run time.
struct state_view {
    std::int64_t elements = 0;
    exact::extrema_state const* extrema = nullptr;
    component_view component[2];
    exact::bit_state const* bits = nullptr;
    exact::product_state const* product = nullptr;
};

/// The view of a normalised component, all digits of it.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline component_view view_of(exact::component_state const& component,
                                                                  dtype real) noexcept {
    exact::digit_layout const sums = exact::sum_layout(real), products = exact::product_layout(real);
    return {{component.sum, sums.limbs, sums.anchor},
            {component.magnitudes, sums.limbs, sums.anchor},
            {component.products, products.limbs, products.anchor},
            &component.counts,
            component.fast_sum,
            component.fast_magnitudes,
            component.fast_products};
}

/// The view of a normalised state of elements of `type`.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline state_view view_of(exact::reduction_state const& state,
                                                              dtype type) noexcept {
    state_view view;
    view.elements = state.elements;
    view.extrema = &state.component[0].extrema;
    view.bits = &state.bits;
    view.product = &state.product;
    view.component[0] = view_of(state.component[0], component_type(type));
    if (is_complex(type)) view.component[1] = view_of(state.component[1], component_type(type));
    return view;
}

} // namespace steadfold::inline v0::reduce_detail
