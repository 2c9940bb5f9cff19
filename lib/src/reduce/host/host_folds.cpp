// Folds of a tile: choosing the window, depositing the fold sums, and the elements that do not fit.
#include "exact/element.hpp"
#include "reduce/host/host_pass.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace steadfold::inline v0::host {

using namespace reduce_detail;

namespace {
constexpr int spacing = 51; // bits between folds, see tile_elements

// A window is lowered only for a real gain, so that it does not follow every tile.
constexpr int worth_lowering = 8;

std::uint64_t bits_of(double x) {
    return std::bit_cast<std::uint64_t>(x);
}
} // namespace

bool host_pass::fold(double const* x, double const* y, int n, quantity target) {
    int const body = n - n % tile_multiple;
    bool special = body > 0 && fold_block(x, y, body, body, target);
    if (body < n) {
        double tail_x[tile_multiple] = {}, tail_y[tile_multiple] = {}; // zeros change no sum
        std::copy(x + body, x + n, tail_x);
        std::copy(y + body, y + n, tail_y);
        special = fold_block(tail_x, tail_y, tile_multiple, n - body, target) || special;
    }
    return special;
}

bool host_pass::fold_block(double const* x, double const* y, int padded, int n, quantity target) {
    exact::fold_window& window = target == quantity::sum ? sum_window_ : product_window_;
    int const floor = target == quantity::sum ? exact::lowest_bit(real_) : exact::lowest_product_bit(real_);
    for (bool first = true;; first = false) {
        fold_sums sums;
        run_kernel(x, y, padded, target, sums);
        bool const violated = sums.violation != 0;
        if (!violated && sums.rest == 0) {
            deposit_folds(sums, target);
            return false;
        }
        if (first) {
            int const top = needed_top(x, y, padded, target);
            bool const raise = violated && top > window.top && top <= exact::highest_window_top;
            bool const lower = !violated && top + 1 < window.top - worth_lowering;
            if (raise || lower) {
                window = exact::make_window(top + 1, spacing, floor);
                continue;
            }
        }
        if (violated) return deposit_one_by_one(x, y, n, target);
        deposit_folds(sums, target);
        deposit_rests(x, y, n, target);
        return false;
    }
}

void host_pass::run_kernel(double const* x, double const* y, int n, quantity target, fold_sums& sums) const {
    exact::fold_window const& window = target == quantity::sum ? sum_window_ : product_window_;
    fold_constants constants;
    for (int i = 0; i < 3; ++i) constants.magic[i] = std::bit_cast<double>(window.magic_bits[i]);
    if (target == quantity::products)
        (real_ == dtype::float64 ? kernels_.fold_products : kernels_.fold_exact_products)(x, y, n, &constants, &sums);
    else if (!(plan_.features & feature_magnitudes))
        kernels_.fold_sum(x, n, &constants, &sums);
    else if (plan_.features & feature_sum)
        kernels_.fold_sum_and_magnitudes(x, n, &constants, &sums);
    else
        kernels_.fold_magnitudes(x, n, &constants, &sums);
}

int host_pass::needed_top(double const* x, double const* y, int n, quantity target) const {
    int const top = exact::window_top_for(kernels_.max_magnitude(x, n));
    if (target == quantity::sum) return top;
    return top + (x == y ? top : exact::window_top_for(kernels_.max_magnitude(y, n)));
}

void host_pass::deposit_folds(fold_sums const& sums, quantity target) {
    int const folds = target == quantity::sum ? 2 : 3;
    exact::fold_window const& window = target == quantity::sum ? sum_window_ : product_window_;
    for (int i = 0; i < folds; ++i) {
        for (int parity = 0; parity < 2; ++parity) { // apart, since magnitudes of both can reach 2^63
            exact::component_state& state = state_.component[components_ == 2 ? parity : 0];
            if (target == quantity::products) {
                exact::deposit(state.products, product_digits_.anchor, sums.value[i][parity], window.exponent[i]);
                continue;
            }
            if (plan_.features & feature_sum)
                exact::deposit(state.sum, sum_digits_.anchor, sums.value[i][parity], window.exponent[i]);
            if (plan_.features & feature_magnitudes)
                exact::deposit(state.magnitudes, sum_digits_.anchor, sums.magnitude[i][parity], window.exponent[i]);
        }
    }
}

void host_pass::deposit_to(quantity target, int component, std::uint64_t bits, bool negative) {
    exact::component_state& state = state_.component[component];
    if (target == quantity::products) {
        exact::deposit_value(state.products, product_digits_.anchor, bits);
        return;
    }
    if (plan_.features & feature_sum) exact::deposit_value(state.sum, sum_digits_.anchor, bits);
    if (plan_.features & feature_magnitudes) {
        std::uint64_t const turned = negative ? bits ^ exact::negative_zero_bits : bits;
        exact::deposit_value(state.magnitudes, sum_digits_.anchor, turned);
    }
}

void host_pass::deposit_rests(double const* x, double const* y, int n, quantity target) {
    exact::fold_window const& window = target == quantity::sum ? sum_window_ : product_window_;
    auto const rest = [&window](double value, int first_fold, int folds) {
        for (int i = first_fold; i < folds; ++i) {
            double const magic = std::bit_cast<double>(window.magic_bits[i]);
            double const t = value + magic;
            value -= t - magic;
        }
        return value;
    };
    for (int i = 0; i < n; ++i) {
        int const c = components_ == 2 ? i & 1 : 0;
        if (target == quantity::sum) {
            double const left = rest(x[i], 0, 2);
            if (left != 0) deposit_to(target, c, bits_of(left), bits_of(x[i]) >> 63 != 0);
            continue;
        }
        double const p = x[i] * y[i];
        double const left = rest(p, 0, 3);
        if (left != 0) deposit_to(target, c, bits_of(left), false);
        if (real_ != dtype::float64) continue; // narrower products are exact
        double const left_of_error = rest(std::fma(x[i], y[i], -p), 1, 3);
        if (left_of_error != 0) deposit_to(target, c, bits_of(left_of_error), false);
    }
}

bool host_pass::deposit_one_by_one(double const* x, double const* y, int n, quantity target) {
    bool special = false;
    auto const finite = [](double const* v, int i) { return exact::is_finite_bits(bits_of(v[i])); };
    for (int i = 0; i < n; ++i) {
        int const c = components_ == 2 ? i & 1 : 0;
        bool skip = !finite(x, i) || !finite(y, i);
        special = special || skip;
        // A complex element with a NaN part is NaN as a whole and deposited nowhere.
        if (components_ == 2) skip = skip || exact::is_nan_bits(bits_of(x[i ^ 1]));
        if (skip) continue;
        if (target == quantity::products)
            exact::deposit_product(state_.component[c].products, product_digits_.anchor, bits_of(x[i]), bits_of(y[i]));
        else
            deposit_to(target, c, bits_of(x[i]), bits_of(x[i]) >> 63 != 0);
    }
    return special;
}

} // namespace steadfold::inline v0::host
