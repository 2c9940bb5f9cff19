// Products of two arrays on the host: dot, also of complex elements, and weighted means.
#include "exact/element.hpp"
#include "reduce/host/host_pass.hpp"

#include <algorithm>
#include <bit>

namespace steadfold::inline v0::host {

using namespace reduce_detail;

namespace {

std::uint64_t bits_of(double x) {
    return std::bit_cast<std::uint64_t>(x);
}
bool is_nan(double x) {
    return exact::is_nan_bits(bits_of(x));
}

/// What computes one part of a complex product: a dot of real numbers.
plan part_of(plan const& whole) {
    plan part = whole;
    part.type = component_type(whole.type);
    part.operations = operation::dot;
    return part;
}

} // namespace

void host_pass::add_pairs(array_view const& x, array_view const& y) {
    std::int64_t const per_tile = tile_elements / components_;
    for (std::int64_t done = 0; done < x.count; done += per_tile) {
        auto const elements = static_cast<int>(std::min(per_tile, x.count - done));
        int const n = elements * components_;
        void const* a = contiguous_tile(x, done, elements, 0);
        void const* b = contiguous_tile(y, done, elements, 1);
        if (is_integer(real_)) {
            deposit_integers(widened_integers(a, n, integer_scratch(0)), widened_integers(b, n, integer_scratch(1)), n);
        } else {
            double const* wide_a = widened(a, n, float_scratch(0));
            double const* wide_b = widened(b, n, float_scratch(1));
            if (components_ == 2)
                add_complex_pairs(wide_a, wide_b, elements);
            else
                add_real_pairs(wide_a, wide_b, n);
        }
        count_deposits(elements);
    }
    state_.elements += x.count;
    if (components_ == 2) take_parts();
}

void host_pass::add_real_pairs(double const* x, double const* y, int n) {
    bool special = false;
    if (plan_.fast_features != 0) {
        fast_pairs(x, y, n);
    } else {
        special = fold(x, y, n, quantity::products);
        if (special) count_pair_specials(x, y, n);
    }
    if (plan_.features & feature_sum) add_weights(x, y, n, special);
    note_pair_signs(x, y, n);
}

/// Four products of real numbers for each pair; pairs with a NaN are only counted.
void host_pass::add_complex_pairs(double const* x, double const* y, int elements) {
    if (parts_.empty()) {
        parts_.reserve(2);
        for (int c = 0; c < 2; ++c) parts_.emplace_back(part_of(plan_), kernels_);
        split_ = std::make_unique_for_overwrite<double[]>(5 * tile_elements / 2);
    }
    constexpr int room = tile_elements / 2;
    double *const real_x = split_.get(), *const real_y = real_x + room, *const imaginary_y = real_y + room;
    double *const imaginary_x = imaginary_y + room, *const minus_imaginary_x = imaginary_x + room;
    int n = 0;
    for (int i = 0; i < elements; ++i) {
        double const a = x[2 * i], b = x[2 * i + 1], c = y[2 * i], d = y[2 * i + 1];
        if (is_nan(a) || is_nan(b) || is_nan(c) || is_nan(d)) {
            ++state_.component[0].counts.nan;
            continue;
        }
        real_x[n] = a;
        imaginary_x[n] = b;
        minus_imaginary_x[n] = std::bit_cast<double>(bits_of(b) ^ exact::negative_zero_bits);
        real_y[n] = c;
        imaginary_y[n] = d;
        ++n;
    }
    bool const conjugated = plan_.operations.contains(operation::dot_conjugated);
    parts_[0].add_real_pairs(real_x, real_y, n);
    parts_[0].add_real_pairs(conjugated ? imaginary_x : minus_imaginary_x, imaginary_y, n);
    parts_[1].add_real_pairs(real_x, imaginary_y, n);
    parts_[1].add_real_pairs(conjugated ? minus_imaginary_x : imaginary_x, real_y, n);
    for (host_pass& part : parts_) part.count_deposits(n);
}

void host_pass::take_parts() {
    if (parts_.empty()) return;
    exact::normalise(state_, plan_.type); // room for what comes
    for (int c = 0; c < 2; ++c) {
        exact::reduction_state& part = parts_[static_cast<std::size_t>(c)].state_;
        exact::normalise(part, real_);
        exact::component_state &to = state_.component[c], &from = part.component[0];
        for (int i = 0; i < product_digits_.limbs; ++i) to.products[i] += from.products[i];
        to.counts.merge(from.counts);
        to.fast_products += from.fast_products;
        part = {};
    }
    exact::normalise(state_, plan_.type);
}

/// The sum of the weights of pairs without a NaN. Infinite ones are counted as infinite elements.
void host_pass::add_weights(double const* w, double const* x, int n, bool special) {
    if (!special) {
        fold(w, w, n, quantity::sum);
        return;
    }
    if (!split_) split_ = std::make_unique_for_overwrite<double[]>(tile_elements);
    for (int i = 0; i < n; ++i) {
        bool const nan = is_nan(w[i]) || is_nan(x[i]);
        if (!nan && exact::is_infinite_bits(bits_of(w[i]))) ++state_.component[0].counts.infinite;
        split_[static_cast<std::size_t>(i)] = nan ? 0 : w[i];
    }
    fold(split_.get(), split_.get(), n, quantity::sum);
}

void host_pass::count_pair_specials(double const* x, double const* y, int n) {
    exact::special_counts& counts = state_.component[0].counts;
    for (int i = 0; i < n; ++i) {
        auto const a = std::bit_cast<std::uint64_t>(x[i]), b = std::bit_cast<std::uint64_t>(y[i]);
        if (exact::is_nan_bits(a) || exact::is_nan_bits(b))
            ++counts.nan;
        else if (exact::is_finite_bits(a) && exact::is_finite_bits(b))
            continue;
        else if (exact::is_zero_bits(a) || exact::is_zero_bits(b))
            ++counts.invalid;
        else
            ++((a ^ b) >> 63 ? counts.negative_infinity : counts.positive_infinity);
    }
}

void host_pass::note_pair_signs(double const* x, double const* y, int n) {
    std::int64_t& noted = state_.component[0].counts.not_negative_zero;
    for (int i = 0; i < n && noted == 0; ++i) {
        auto const a = std::bit_cast<std::uint64_t>(x[i]), b = std::bit_cast<std::uint64_t>(y[i]);
        if (exact::is_nan_bits(a) || exact::is_nan_bits(b)) continue;
        bool const negative_zero = (exact::is_zero_bits(a) || exact::is_zero_bits(b)) && ((a ^ b) >> 63);
        if (!negative_zero) noted = 1;
    }
}

} // namespace steadfold::inline v0::host
