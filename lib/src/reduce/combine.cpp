#include "reduce/combine.hpp"

#include "base/floating_environment.hpp"
#include "steadfold/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace steadfold::inline v0::reduce_detail {

namespace {

using exact::component_state;
using exact::reduction_state;

constexpr std::size_t component_words = 7 + 2 * exact::sum_capacity + exact::product_capacity;
constexpr std::size_t signature_words = 2;
// The length never depends on what is computed: ranks that disagree must still meet in one call.
constexpr std::size_t message_words = signature_words + 1 + 2 * component_words;

using message = std::array<std::int64_t, message_words>;

/// What travels by gather: values that are compared, and the plain sums of `fast` mode, added in rank order.
struct gathered {
    exact::extrema_state extrema;
    double fast[2][3];
    exact::bit_state bits;
    exact::product_state product;
};
static_assert(std::is_trivially_copyable_v<gathered>);

/// 20 bits of everything ranks must agree on (FNV-1a), so that n * sum h^2 cannot overflow up to 2^20 ranks.
std::int64_t signature(plan const& plan, reduce_options const& options) {
    std::uint64_t const fields[] = {
        plan.operations.bits(),
        static_cast<std::uint64_t>(plan.type),
        static_cast<std::uint64_t>(options.mode),
        static_cast<std::uint64_t>(options.nans),
        static_cast<std::uint64_t>(options.ddof),
        options.result ? 1 + static_cast<std::uint64_t>(*options.result) : 0,
        options.missing.has_value(),
        static_cast<std::uint64_t>(options.missing.value_or(0)),
    };
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::uint64_t field : fields)
        for (int byte = 0; byte < 8; ++byte, field >>= 8) hash = (hash ^ (field & 0xffu)) * 0x100000001b3u;
    return static_cast<std::int64_t>((hash ^ (hash >> 20) ^ (hash >> 40)) & 0xfffffu);
}

/// Calls f(word) for every summed word of a component, always in the same order.
template <class Component, class Function>
void for_each_word(Component& component, Function&& f) {
    f(component.counts.nan);
    f(component.counts.infinite);
    f(component.counts.positive_infinity);
    f(component.counts.negative_infinity);
    f(component.counts.invalid);
    f(component.counts.zero);
    f(component.counts.not_negative_zero);
    for (auto& limb : component.sum) f(limb);
    for (auto& limb : component.magnitudes) f(limb);
    for (auto& limb : component.products) f(limb);
}

message encode(reduction_state const& state, std::int64_t h) {
    message words{};
    words[0] = h;
    words[1] = h * h;
    words[2] = state.elements;
    std::size_t at = signature_words + 1;
    for (component_state const& component : state.component)
        for_each_word(component, [&](auto word) { words[at++] = static_cast<std::int64_t>(word); });
    return words;
}

void decode(message const& words, reduction_state& state) {
    state.elements = words[2];
    std::size_t at = signature_words + 1;
    for (component_state& component : state.component)
        for_each_word(component,
                      [&](auto& word) { word = static_cast<std::remove_reference_t<decltype(word)>>(words[at++]); });
}

void require_agreement(message const& words, int ranks, plan const& plan) {
    // By Cauchy and Schwarz n * sum h^2 == (sum h)^2 only if all h are equal.
    __int128 const sum = words[0], squares = words[1];
    if (squares * ranks == sum * sum) return;
    throw mismatch_error("the ranks disagree about this reduction: operations, element type, mode, NaN policy, ddof, "
                         "missing value and result type must be the same on all " +
                         std::to_string(ranks) + " ranks; this rank asked for " + to_string(plan.operations) + " of " +
                         std::string(name(plan.type)));
}

void gather_rest(reduction_state& state, communicator const& ranks) {
    gathered mine{state.component[0].extrema, {}, state.bits, state.product};
    for (int c = 0; c < 2; ++c) {
        component_state const& part = state.component[c];
        double const sums[3] = {part.fast_sum, part.fast_magnitudes, part.fast_products};
        std::copy(std::begin(sums), std::end(sums), mine.fast[c]);
    }
    std::vector<gathered> all(static_cast<std::size_t>(ranks.size()));
    ranks.all_gather(std::as_bytes(std::span{&mine, 1}), std::as_writable_bytes(std::span{all}));
    base::default_floating_environment const environment;
    state.component[0].extrema = {};
    state.bits = {};
    state.product = {};
    for (component_state& part : state.component) part.fast_sum = part.fast_magnitudes = part.fast_products = 0;
    for (gathered const& theirs : all) {
        state.component[0].extrema.merge(theirs.extrema);
        state.bits.merge(theirs.bits);
        state.product.merge(theirs.product);
        for (int c = 0; c < 2; ++c) {
            state.component[c].fast_sum += theirs.fast[c][0];
            state.component[c].fast_magnitudes += theirs.fast[c][1];
            state.component[c].fast_products += theirs.fast[c][2];
        }
    }
}

} // namespace

void combine(reduction_state& state, plan const& plan, reduce_options const& options, communicator const& ranks) {
    if (ranks.size() == 1) return;
    exact::normalise(state, plan.type);
    message words = encode(state, signature(plan, options));
    ranks.all_reduce_sum(words);
    require_agreement(words, ranks.size(), plan);
    decode(words, state);
    exact::normalise(state, plan.type);
    constexpr unsigned no_sums = feature_extrema | feature_bits | feature_factors;
    if ((plan.features & no_sums) || plan.fast_features != 0) gather_rest(state, ranks);
}

} // namespace steadfold::inline v0::reduce_detail
