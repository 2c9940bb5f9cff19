#include "segmented/host/segment_folds.hpp"

#include "exact/element.hpp"

#include <algorithm>
#include <bit>

namespace steadfold::inline v0::segmented {

namespace {

using host::fold_constants;
using host::fold_sums;

constexpr int spacing = 51; // bits between folds: 4096 fold values of 2^50 fit an int64
constexpr int few = 64;     // values for which a call of a vector kernel does not pay

std::uint64_t bits_of(double x) {
    return std::bit_cast<std::uint64_t>(x);
}

fold_constants constants_of(exact::fold_window const& window) {
    fold_constants constants{};
    for (int i = 0; i < 3; ++i) constants.magic[i] = std::bit_cast<double>(window.magic_bits[i]);
    return constants;
}

typedef double pair __attribute__((vector_size(16))); // the least that every 64-bit processor has
typedef std::uint64_t word_pair __attribute__((vector_size(16)));

struct few_sums {
    word_pair digits0, digits1, rest, violation;
};

inline void fold_pair(pair v, pair m0, pair m1, word_pair limit, few_sums& sums) {
    constexpr word_pair mask = {exact::float64_magnitude_mask, exact::float64_magnitude_mask};
    sums.violation |= limit - ((word_pair)v & mask);
    pair const t0 = v + m0;
    sums.digits0 += (word_pair)t0;
    v -= t0 - m0;
    pair const t1 = v + m1;
    sums.digits1 += (word_pair)t1;
    v -= t1 - m1;
    sums.rest |= (word_pair)v << 1;
}

/// Wraps: the digits of values outside the window are meaningless, and never used.
void add_to(std::int64_t& digit, std::uint64_t more) {
    digit = static_cast<std::int64_t>(static_cast<std::uint64_t>(digit) + more);
}

/// Adds to `digits` and to the flags of `sums` what the vector kernels give for more values; by parity as there. `mask`
/// takes the sign off for magnitudes.
void fold_few(double const* x, int n, std::uint64_t mask, exact::fold_window const& window, std::int64_t (*digits)[2],
              fold_sums& sums) {
    fold_constants const constants = constants_of(window);
    pair const m0 = {constants.magic[0], constants.magic[0]}, m1 = {constants.magic[1], constants.magic[1]};
    word_pair const limit = {window.limit_bits, window.limit_bits};
    word_pair const kept = {mask, mask};
    few_sums total{};
    int i = 0;
    for (; i + 1 < n; i += 2) fold_pair((pair)((word_pair)pair{x[i], x[i + 1]} & kept), m0, m1, limit, total);
    if (i < n) fold_pair((pair)((word_pair)pair{x[i], 0.0} & kept), m0, m1, limit, total);
    auto const added = static_cast<std::uint64_t>((n + 1) / 2);
    for (int c = 0; c < 2; ++c) {
        add_to(digits[0][c], total.digits0[c] - added * window.magic_bits[0]);
        add_to(digits[1][c], total.digits1[c] - added * window.magic_bits[1]);
        sums.rest |= total.rest[c];
        sums.violation |= total.violation[c] & exact::negative_zero_bits;
    }
}

} // namespace

segment_folds::segment_folds(dtype type, host::tile_kernels const& kernels)
    : real_{component_type(type)}, components_{component_count(type)}, kernels_{kernels},
      window_{exact::make_window(0, spacing, exact::lowest_bit(real_))},
      square_window_{exact::make_window(0, spacing, exact::lowest_product_bit(real_))} {}

bool segment_folds::sum(double const* x, int n, wide_sum (&sums)[2]) {
    return add(x, n, quantity::values, sums);
}

bool segment_folds::magnitudes(double const* x, int n, wide_sum& total) {
    return add_together(x, n, quantity::magnitudes, total);
}

bool segment_folds::squares(double const* x, int n, wide_sum& total) {
    return add_together(x, n, quantity::squares, total);
}

bool segment_folds::add_together(double const* x, int n, quantity what, wide_sum& total) {
    wide_sum sums[2];
    if (!add(x, n, what, sums)) return false;
    total = sums[0];
    if (components_ == 2) total.add(sums[1]);
    return true;
}

bool segment_folds::add(double const* x, int n, quantity what, wide_sum (&sums)[2]) {
    bool const squares = what == quantity::squares;
    exact::fold_window& window = squares ? square_window_ : window_;
    fold_sums folded; // of which only what is asked for gets a value
    for (bool first = true;; first = false) {
        fold(x, n, what, folded);
        if (folded.violation == 0 && folded.rest == 0) break;
        int const top = exact::window_top_for(largest(x, n)) * (squares ? 2 : 1) + 1;
        if (!first || top > exact::highest_window_top || top == window.top) return false;
        window =
            exact::make_window(top, spacing, squares ? exact::lowest_product_bit(real_) : exact::lowest_bit(real_));
    }
    int const folds = squares ? 3 : 2;
    auto const* digits = what == quantity::magnitudes ? folded.magnitude : folded.value;
    for (int c = 0; c < 2; ++c) {
        wide_sum& sum = sums[components_ == 2 ? c : 0];
        sum.exponent = window.exponent[folds - 1];
        for (int i = 0; i < folds; ++i) sum.add(digits[i][c], window.exponent[i] - sum.exponent);
    }
    return true;
}

void segment_folds::fold(double const* x, int n, quantity what, fold_sums& sums) const {
    if (what == quantity::squares) {
        fold_squares(x, n, constants_of(square_window_), sums);
        return;
    }
    bool const values = what == quantity::values;
    fold_constants const constants = constants_of(window_);
    int const body = n < few ? 0 : n - n % host::tile_multiple;
    auto* const digits = values ? sums.value : sums.magnitude;
    if (body > 0) {
        (values ? kernels_.fold_sum : kernels_.fold_magnitudes)(x, body, &constants, &sums);
    } else {
        digits[0][0] = digits[0][1] = digits[1][0] = digits[1][1] = 0;
        sums.rest = sums.violation = 0;
    }
    std::uint64_t const mask = values ? ~std::uint64_t{0} : exact::float64_magnitude_mask;
    if (body < n) fold_few(x + body, n - body, mask, window_, digits, sums);
}

void segment_folds::fold_squares(double const* x, int n, fold_constants const& window, fold_sums& sums) const {
    auto const kernel = real_ == dtype::float64 ? kernels_.fold_products : kernels_.fold_exact_products;
    int const body = n - n % host::tile_multiple;
    if (body > 0)
        kernel(x, x, body, &window, &sums);
    else
        sums = {};
    if (body == n) return;
    double tail[host::tile_multiple] = {}; // zeros change no sum
    std::copy(x + body, x + n, tail);
    fold_sums more{};
    kernel(tail, tail, host::tile_multiple, &window, &more);
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 2; ++c) add_to(sums.value[i][c], static_cast<std::uint64_t>(more.value[i][c]));
    sums.rest |= more.rest;
    sums.violation |= more.violation;
}

std::uint64_t segment_folds::largest(double const* x, int n) {
    std::uint64_t most = 0;
    for (int i = 0; i < n; ++i) most = std::max(most, bits_of(x[i]) & exact::float64_magnitude_mask);
    return most;
}

} // namespace steadfold::inline v0::segmented
