#include "reduce/host/host_pass.hpp"

#include "exact/element.hpp"
#include "reduce/strided.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace steadfold::inline v0::host {

using namespace reduce_detail;

host_pass::host_pass(plan const& plan, tile_kernels const& kernels)
    : plan_{plan}, kernels_{kernels}, real_{component_type(plan.type)}, components_{component_count(plan.type)},
      sum_digits_{exact::sum_layout(real_)}, product_digits_{exact::product_layout(real_)} {
    // float64 and 64-bit integers are read where they are; dropping missing integers needs a tile all the same.
    if (is_integer(real_) && (size_bytes(real_) < 8 || plan.missing))
        widened_integers_ = std::make_unique_for_overwrite<std::int64_t[]>(2 * tile_elements);
    if (!is_integer(real_) && real_ != dtype::float64)
        widened_floats_ = std::make_unique_for_overwrite<double[]>(2 * tile_elements);
}

double* host_pass::float_scratch(int which) const {
    return widened_floats_.get() + which * tile_elements;
}
std::int64_t* host_pass::integer_scratch(int which) const {
    return widened_integers_.get() + which * tile_elements;
}

/// Elements [first, first + elements) one after another; `which` of the two arrays of pairs.
void const* host_pass::contiguous_tile(array_view const& x, std::int64_t first, int elements, int which) {
    std::size_t const tile_bytes = tile_elements * size_bytes(real_);
    if (!x.contiguous() && !gathered_) gathered_ = std::make_unique_for_overwrite<std::byte[]>(2 * tile_bytes);
    std::byte* const room = gathered_ ? gathered_.get() + static_cast<std::size_t>(which) * tile_bytes : nullptr;
    return contiguous_part(x, first, elements, room);
}

void host_pass::add(array_view const& x, std::int64_t first_index) {
    std::int64_t const per_tile = tile_elements / components_;
    for (std::int64_t done = 0; done < x.count; done += per_tile) {
        auto const elements = static_cast<int>(std::min(per_tile, x.count - done));
        void const* start = contiguous_tile(x, done, elements, 0);
        int const n = elements * components_;
        if (is_integer(real_))
            process_integers(widened_integers(start, n, integer_scratch(0)), n, first_index + done);
        else
            process({widened(start, n, float_scratch(0)), n, first_index + done});
        count_deposits(elements);
    }
    state_.elements += x.count;
}

void host_pass::count_deposits(std::int64_t elements) {
    // An element makes at most two deposits into one limb.
    state_.pending += elements;
    if (state_.pending >= exact::deposits_before_normalise / 4) exact::normalise(state_, plan_.type);
}

void host_pass::process(tile const& t) {
    bool special = false, seen = false;
    if (plan_.features & (feature_sum | feature_magnitudes)) {
        special = fold(t.x, t.x, t.n, quantity::sum);
        seen = true;
    }
    if (plan_.features & feature_products) {
        special = fold(t.x, t.x, t.n, quantity::products) || special;
        seen = true;
    }
    if (!seen) special = any_special(t);
    if (special) count_specials(t);
    if (plan_.fast_features != 0) fast(t, special);
    if ((plan_.features | plan_.fast_features) & feature_sum) note_signs(t);
    if (plan_.features & feature_extrema) extrema(t, special);
    if (plan_.features & feature_zeros) count_zeros(t);
    if (plan_.features & feature_factors) multiply(t);
}

bool host_pass::any_special(tile const& t) const {
    int const body = t.n - t.n % tile_multiple;
    bool special = kernels_.max_magnitude(t.x, body) >= exact::float64_infinity_bits;
    for (int i = body; i < t.n; ++i) special = special || !exact::is_finite_bits(std::bit_cast<std::uint64_t>(t.x[i]));
    return special;
}

void host_pass::count_specials(tile const& t) {
    exact::special_counts& whole = state_.component[0].counts;
    for (int i = 0; i < t.n; i += components_) {
        bool nan = false, infinite = false;
        for (int c = 0; c < components_; ++c) {
            auto const bits = std::bit_cast<std::uint64_t>(t.x[i + c]);
            nan = nan || exact::is_nan_bits(bits);
            infinite = infinite || exact::is_infinite_bits(bits);
        }
        if (nan) {
            ++whole.nan;
            state_.component[0].extrema.offer_nan(t.index + i / components_);
        } else if (infinite) {
            ++whole.infinite;
            for (int c = 0; c < components_; ++c) {
                auto const bits = std::bit_cast<std::uint64_t>(t.x[i + c]);
                exact::special_counts& part = state_.component[c].counts;
                if (exact::is_infinite_bits(bits)) ++(bits >> 63 ? part.negative_infinity : part.positive_infinity);
            }
        }
    }
}

void host_pass::note_signs(tile const& t) {
    for (int c = 0; c < components_; ++c) {
        std::int64_t& noted = state_.component[c].counts.not_negative_zero;
        for (int i = c; i < t.n && noted == 0; i += components_) {
            auto const bits = std::bit_cast<std::uint64_t>(t.x[i]);
            auto const other = std::bit_cast<std::uint64_t>(t.x[components_ == 2 ? i ^ 1 : i]);
            if (bits != exact::negative_zero_bits && !exact::is_nan_bits(bits) && !exact::is_nan_bits(other)) noted = 1;
        }
    }
}

void host_pass::extrema(tile const& t, bool special) {
    exact::extrema_state& state = state_.component[0].extrema;
    auto const key = [&t](int i) { return exact::ordered_key(std::bit_cast<std::uint64_t>(t.x[i])); };
    int const body = special ? 0 : t.n - t.n % tile_multiple;
    if (body > 0) {
        key_range range;
        kernels_.float_keys(t.x, body, &range);
        // The index is looked for only where the tile improves on what is known.
        if (range.low < state.min_key || (range.low == state.min_key && t.index < state.min_index)) {
            int i = 0;
            while (key(i) != range.low) ++i;
            state.offer_min(range.low, t.index + i);
        }
        if (range.high > state.max_key || (range.high == state.max_key && t.index < state.max_index)) {
            int i = 0;
            while (key(i) != range.high) ++i;
            state.offer_max(range.high, t.index + i);
        }
    }
    for (int i = body; i < t.n; ++i) {
        if (exact::is_nan_bits(std::bit_cast<std::uint64_t>(t.x[i]))) continue;
        state.offer_min(key(i), t.index + i);
        state.offer_max(key(i), t.index + i);
    }
}

void host_pass::count_zeros(tile const& t) {
    std::int64_t& zeros = state_.component[0].counts.zero;
    auto const zero = [&t](int i) { return exact::is_zero_bits(std::bit_cast<std::uint64_t>(t.x[i])); };
    int const body = components_ == 1 ? t.n - t.n % tile_multiple : 0;
    if (body > 0) zeros += kernels_.count_zeros(t.x, body);
    for (int i = body; i < t.n; i += components_)
        if (zero(i) && (components_ == 1 || zero(i + 1))) ++zeros;
}

double const* host_pass::widened(void const* data, int n, double* scratch) const {
    switch (real_) {
    case dtype::float32:
        kernels_.widen_float(data, n, scratch);
        return scratch;
    case dtype::float16:
        kernels_.widen_half(data, n, scratch);
        return scratch;
    case dtype::bfloat16:
        kernels_.widen_bfloat16(data, n, scratch);
        return scratch;
    default:
        return static_cast<double const*>(data);
    }
}

} // namespace steadfold::inline v0::host
