// Products of all elements and bitwise operations on the host.
#include "exact/element.hpp"
#include "reduce/host/host_pass.hpp"

#include <bit>

namespace steadfold::inline v0::host {

namespace {

// Independent chains: a step waits for the multiplication before it, and the processor has room for several.
constexpr int chains = 4;

/// Merges the chains into `state`, always in the same order.
void merge_all(exact::product_state& state, exact::product_state const (&chain)[chains]) {
    for (exact::product_state const& one : chain) state.merge(one);
}

} // namespace

void host_pass::multiply(tile const& t) {
    exact::product_state chain[chains];
    bool negative = false;
    for (int i = 0; i < t.n; ++i) {
        auto const bits = std::bit_cast<std::uint64_t>(t.x[i]);
        if (exact::is_nan_bits(bits)) continue;
        negative = negative != (bits >> 63 != 0);
        if (!exact::is_finite_bits(bits) || exact::is_zero_bits(bits)) continue;
        exact::decomposed const parts = exact::decompose_float64(bits);
        chain[i % chains].multiply(parts.significand, parts.exponent);
    }
    merge_all(state_.product, chain);
    state_.product.negative = state_.product.negative != negative;
}

void host_pass::multiply_integers(std::int64_t const* x, int n) {
    bool const is_signed = is_signed_integer(real_);
    exact::product_state chain[chains];
    bool negative = false;
    for (int i = 0; i < n; ++i) {
        if (x[i] == 0) continue;
        bool const below = is_signed && x[i] < 0;
        auto const bits = static_cast<std::uint64_t>(x[i]);
        negative = negative != below;
        chain[i % chains].multiply(below ? 0 - bits : bits, 0);
    }
    merge_all(state_.product, chain);
    state_.product.negative = state_.product.negative != negative;
}

void host_pass::combine_bits(std::int64_t const* x, int n) {
    exact::bit_state bits;
    for (int i = 0; i < n; ++i) bits.add(static_cast<std::uint64_t>(x[i]));
    state_.bits.merge(bits);
}

} // namespace steadfold::inline v0::host
