// Library states from the oracle's exact sums: counts of elements that no array could have.
#pragma once

#include "exact/state.hpp"
#include "support/oracle.hpp"

#include <bit>

namespace oracle {

namespace ex = steadfold::exact;

/// Writes z * 2^exponent as normalised digits.
inline void write_digits(mpz_class z, int exponent, ex::digit_layout layout, std::uint64_t* limbs) {
    int const shift = exponent - layout.anchor;
    if (shift >= 0)
        z <<= static_cast<mp_bitcnt_t>(shift);
    else
        z >>= static_cast<mp_bitcnt_t>(-shift); // exact: no element of the type has bits below the anchor
    for (int i = 0; i + 1 < layout.limbs; ++i) {
        mpz_class const digit = z & 0xffffffffUL; // as of two's complement
        limbs[i] = digit.get_ui();
        z >>= 32; // rounds down
    }
    limbs[layout.limbs - 1] = static_cast<std::uint64_t>(z.get_si());
}

[[nodiscard]] inline std::int64_t key_of(ordered_value const& value, sf::dtype type) {
    if (!sf::is_integer(type)) return ex::ordered_key(std::bit_cast<std::uint64_t>(value.real));
    auto const bits = static_cast<std::uint64_t>(value.integer);
    return static_cast<std::int64_t>(sf::is_signed_integer(type) ? bits : bits ^ (std::uint64_t{1} << 63));
}

[[nodiscard]] inline ex::reduction_state state_of(summary const& s) {
    sf::dtype const real = sf::component_type(s.type);
    ex::reduction_state state;
    state.elements = s.elements;
    for (int c = 0; c < sf::component_count(s.type); ++c) {
        component_summary const& from = s.component[static_cast<std::size_t>(c)];
        ex::component_state& to = state.component[c];
        write_digits(from.sum, s.unit, ex::sum_layout(real), to.sum);
        write_digits(from.magnitudes, s.unit, ex::sum_layout(real), to.magnitudes);
        write_digits(from.products, 2 * s.unit, ex::product_layout(real), to.products);
        to.counts.positive_infinity = from.positive_infinities;
        to.counts.negative_infinity = from.negative_infinities;
        to.counts.not_negative_zero = from.only_negative_zeros ? 0 : 1;
    }
    ex::component_state& first = state.component[0];
    first.counts.nan = s.nans;
    first.counts.infinite = s.infinities;
    first.counts.invalid = s.invalid_products;
    first.counts.zero = s.zeros;
    first.extrema.first_nan = s.first_nan;
    if (s.smallest) first.extrema.offer_min(key_of(*s.smallest, real), s.smallest_at);
    if (s.largest) first.extrema.offer_max(key_of(*s.largest, real), s.largest_at);
    return state;
}

} // namespace oracle
