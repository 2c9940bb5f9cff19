// The message by which ranks add up their states: integers that are summed over the ranks, as many of them for whatever
// is computed, so that ranks that disagree still meet in one call. For host and device, a word at a time, so that
// threads can share the work.
//
//     h, h^2 | elements | component 0 | component 1 | slot of rank 0 | slot of rank 1 ...
//
// h is the signature of what is computed. A slot holds what cannot be summed: every rank fills its own and leaves the
// others zero, so the sum of the messages holds the slots of all ranks. On the host slots travel by a gather of their
// own, where there is something in them (combine.cpp); on a stream ranks cannot find out that they disagree between
// two calls, so there is one call.
#pragma once

#include "exact/round.hpp"
#include "exact/state.hpp"
#include "steadfold/bits.hpp"
#include "steadfold/dtype.hpp"
#include "steadfold/results.hpp"

#include <cstdint>

namespace steadfold::inline v0::reduce_detail {

inline constexpr int signature_words = 2;
inline constexpr int count_words = 7; // of exact::special_counts
inline constexpr int component_words = count_words + 2 * exact::sum_capacity + exact::product_capacity;
inline constexpr int state_words = 1 + 2 * component_words;
inline constexpr int slot_words = 5 + 2 * 3 + 3 + 4; // extrema, plain sums of `fast` mode, bits, product

[[nodiscard]] STEADFOLD_HOST_DEVICE constexpr int message_words(int slots) noexcept {
    return signature_words + state_words + slots * slot_words;
}

struct state_slot {
    std::int64_t word[slot_words];
};

/// A count by its number; of counts that may be const.
template <class Counts>
[[nodiscard]] STEADFOLD_HOST_DEVICE inline auto& count_at(Counts& counts, int i) noexcept {
    switch (i) {
    case 0:
        return counts.nan;
    case 1:
        return counts.infinite;
    case 2:
        return counts.positive_infinity;
    case 3:
        return counts.negative_infinity;
    case 4:
        return counts.invalid;
    case 5:
        return counts.zero;
    default:
        return counts.not_negative_zero;
    }
}

/// Limb i after one carry step. That leaves every limb but the last below 2^33 in magnitude, so that 2^20 ranks can be
/// added, and needs no other limb than the one before.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline std::int64_t carried_limb(std::uint64_t const* limbs, int count,
                                                                     int i) noexcept {
    if (i >= count) return 0;
    std::uint64_t const own = i + 1 < count ? limbs[i] & 0xffffffffu : limbs[i];
    std::int64_t const carry = i == 0 ? 0 : static_cast<std::int64_t>(limbs[i - 1]) >> 32;
    return static_cast<std::int64_t>(own + static_cast<std::uint64_t>(carry));
}

[[nodiscard]] STEADFOLD_HOST_DEVICE inline std::int64_t component_word(exact::component_state const& component,
                                                                       dtype real, int i) noexcept {
    if (i < count_words) return count_at(component.counts, i);
    int const limb = i - count_words, sums = exact::sum_layout(real).limbs;
    if (limb < exact::sum_capacity) return carried_limb(component.sum, sums, limb);
    if (limb < 2 * exact::sum_capacity) return carried_limb(component.magnitudes, sums, limb - exact::sum_capacity);
    return carried_limb(component.products, exact::product_layout(real).limbs, limb - 2 * exact::sum_capacity);
}

STEADFOLD_HOST_DEVICE inline void set_component_word(exact::component_state& component, int i,
                                                     std::int64_t word) noexcept {
    if (i < count_words) {
        count_at(component.counts, i) = word;
        return;
    }
    int const limb = i - count_words;
    auto const bits = static_cast<std::uint64_t>(word);
    if (limb < exact::sum_capacity)
        component.sum[limb] = bits;
    else if (limb < 2 * exact::sum_capacity)
        component.magnitudes[limb - exact::sum_capacity] = bits;
    else
        component.products[limb - 2 * exact::sum_capacity] = bits;
}

/// Word i < state_words of a state of elements of `type`, which need not be normalised.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline std::int64_t state_word(exact::reduction_state const& state,
                                                                   std::int64_t elements, dtype type, int i) noexcept {
    if (i == 0) return elements;
    return component_word(state.component[(i - 1) / component_words], component_type(type), (i - 1) % component_words);
}

/// Puts word i of the sum over ranks where it belongs; digits are not normalised by that.
STEADFOLD_HOST_DEVICE inline void take_state_word(exact::reduction_state& state, std::int64_t word, int i) noexcept {
    if (i == 0)
        state.elements = word;
    else
        set_component_word(state.component[(i - 1) / component_words], (i - 1) % component_words, word);
}

/// Whether the ranks' signatures h, of 20 bits, are all the same: by Cauchy and Schwarz ranks * sum h^2 == (sum h)^2
/// only then. Up to 2^20 ranks.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline bool ranks_agree(std::int64_t sum_of_signatures, std::int64_t sum_of_squares,
                                                            int ranks) noexcept {
    auto const sum = static_cast<std::uint64_t>(sum_of_signatures);
    bits::product128 const left =
        bits::multiply(static_cast<std::uint64_t>(sum_of_squares), static_cast<std::uint64_t>(ranks));
    bits::product128 const right = bits::multiply(sum, sum);
    return left.low == right.low && left.high == right.high;
}

/// What stands in place of a result where ranks disagree: NaN, which integers do not have, with status `invalid`.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline result_value result_of_disagreement(dtype type) noexcept {
    exact::rounded const none = exact::make_nan(component_type(type), status_flags::invalid);
    return {type, {{none.bits, is_complex(type) ? none.bits : 0}}, none.status};
}

[[nodiscard]] STEADFOLD_HOST_DEVICE inline state_slot slot_of(exact::reduction_state const& state) noexcept {
    exact::extrema_state const& e = state.component[0].extrema;
    exact::product_state const& p = state.product;
    state_slot slot{{e.min_key, e.min_index, e.max_key, e.max_index, e.first_nan}};
    for (int c = 0; c < 2; ++c) {
        exact::component_state const& part = state.component[c];
        slot.word[5 + 3 * c] = __builtin_bit_cast(std::int64_t, part.fast_sum);
        slot.word[6 + 3 * c] = __builtin_bit_cast(std::int64_t, part.fast_magnitudes);
        slot.word[7 + 3 * c] = __builtin_bit_cast(std::int64_t, part.fast_products);
    }
    slot.word[11] = static_cast<std::int64_t>(state.bits.all);
    slot.word[12] = static_cast<std::int64_t>(state.bits.any);
    slot.word[13] = static_cast<std::int64_t>(state.bits.odd);
    slot.word[14] = static_cast<std::int64_t>(p.high);
    slot.word[15] = static_cast<std::int64_t>(p.low);
    slot.word[16] = p.exponent;
    slot.word[17] = (p.negative ? 1 : 0) | (p.inexact ? 2 : 0);
    return slot;
}

[[nodiscard]] STEADFOLD_HOST_DEVICE inline exact::extrema_state extrema_in(std::int64_t const* slot) noexcept {
    exact::extrema_state e;
    e.min_key = slot[0];
    e.min_index = slot[1];
    e.max_key = slot[2];
    e.max_index = slot[3];
    e.first_nan = slot[4];
    return e;
}

/// The plain sum (0), that of magnitudes (1) or of products (2) of a component.
[[nodiscard]] STEADFOLD_HOST_DEVICE inline double fast_in(std::int64_t const* slot, int component, int which) noexcept {
    return __builtin_bit_cast(double, slot[5 + 3 * component + which]);
}

[[nodiscard]] STEADFOLD_HOST_DEVICE inline exact::bit_state bits_in(std::int64_t const* slot) noexcept {
    exact::bit_state b;
    b.all = static_cast<std::uint64_t>(slot[11]);
    b.any = static_cast<std::uint64_t>(slot[12]);
    b.odd = static_cast<std::uint64_t>(slot[13]);
    return b;
}

[[nodiscard]] STEADFOLD_HOST_DEVICE inline exact::product_state product_in(std::int64_t const* slot) noexcept {
    exact::product_state p;
    p.high = static_cast<std::uint64_t>(slot[14]);
    p.low = static_cast<std::uint64_t>(slot[15]);
    p.exponent = slot[16];
    p.negative = (slot[17] & 1) != 0;
    p.inexact = (slot[17] & 2) != 0;
    return p;
}

} // namespace steadfold::inline v0::reduce_detail
