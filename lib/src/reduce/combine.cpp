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
constexpr std::size_t state_words = 1 + 2 * component_words;
constexpr std::size_t message_words = signature_words + state_words;

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

/// A state as words, all of them.
void encode(reduction_state const& state, std::int64_t* words) {
    *words++ = state.elements;
    for (component_state const& component : state.component)
        for_each_word(component, [&](auto word) { *words++ = static_cast<std::int64_t>(word); });
}

void decode(std::int64_t const* words, reduction_state& state) {
    state.elements = *words++;
    for (component_state& component : state.component)
        for_each_word(component,
                      [&](auto& word) { word = static_cast<std::remove_reference_t<decltype(word)>>(*words++); });
}

/// By Cauchy and Schwarz n * sum h^2 == (sum h)^2 only if all h are equal.
bool agree(std::int64_t sum_of_signatures, std::int64_t sum_of_squares, int ranks) {
    __int128 const sum = sum_of_signatures, squares = sum_of_squares;
    return squares * ranks == sum * sum;
}

[[noreturn]] void throw_mismatch(std::string const& mine, int ranks) {
    throw mismatch_error("the ranks disagree about this reduction: operations, element type, mode, NaN policy, ddof, "
                         "missing value and result type must be the same on all " +
                         std::to_string(ranks) + " ranks; this rank asked for " + mine);
}

std::string describe(plan const& plan) {
    return to_string(plan.operations) + " of " + std::string(name(plan.type));
}

bool needs_gather(plan const& plan) {
    constexpr unsigned no_sums = feature_extrema | feature_bits | feature_factors;
    return (plan.features & no_sums) != 0 || plan.fast_features != 0;
}

gathered rest_of(reduction_state const& state) {
    gathered mine{state.component[0].extrema, {}, state.bits, state.product};
    for (int c = 0; c < 2; ++c) {
        component_state const& part = state.component[c];
        double const sums[3] = {part.fast_sum, part.fast_magnitudes, part.fast_products};
        std::copy(std::begin(sums), std::end(sums), mine.fast[c]);
    }
    return mine;
}

void clear_rest(reduction_state& state) {
    state.component[0].extrema = {};
    state.bits = {};
    state.product = {};
    for (component_state& part : state.component) part.fast_sum = part.fast_magnitudes = part.fast_products = 0;
}

void add_rest(reduction_state& state, gathered const& theirs) {
    state.component[0].extrema.merge(theirs.extrema);
    state.bits.merge(theirs.bits);
    state.product.merge(theirs.product);
    for (int c = 0; c < 2; ++c) {
        state.component[c].fast_sum += theirs.fast[c][0];
        state.component[c].fast_magnitudes += theirs.fast[c][1];
        state.component[c].fast_products += theirs.fast[c][2];
    }
}

void gather_rest(std::span<combined> items, communicator const& ranks) {
    std::vector<gathered> mine;
    for (combined const& item : items) mine.push_back(rest_of(*item.state));
    std::vector<gathered> all(mine.size() * static_cast<std::size_t>(ranks.size()));
    ranks.all_gather(std::as_bytes(std::span{mine}), std::as_writable_bytes(std::span{all}));
    base::default_floating_environment const environment;
    for (combined const& item : items) clear_rest(*item.state);
    for (std::size_t i = 0; i < all.size(); ++i) add_rest(*items[i % items.size()].state, all[i]);
}

/// 20 bits of the items' signatures and of how many they are.
std::int64_t signature(std::span<combined const> items) {
    std::uint64_t hash = items.size();
    for (combined const& item : items)
        hash = (hash ^ static_cast<std::uint64_t>(signature(*item.what, *item.options))) * 0x9e3779b97f4a7c15u;
    return static_cast<std::int64_t>((hash ^ (hash >> 20) ^ (hash >> 40)) & 0xfffffu);
}

void combine_group(std::span<combined> group, std::int64_t h, communicator const& ranks) {
    std::vector<std::int64_t> words(signature_words + most_combined * state_words);
    words[0] = h;
    words[1] = h * h;
    for (std::size_t i = 0; i < group.size(); ++i) {
        exact::normalise(*group[i].state, group[i].what->type);
        encode(*group[i].state, &words[signature_words + i * state_words]);
    }
    ranks.all_reduce_sum(words);
    if (!agree(words[0], words[1], ranks.size()))
        throw_mismatch(group.empty() ? "none" : "several, the first one " + describe(*group[0].what), ranks.size());
    for (std::size_t i = 0; i < group.size(); ++i) {
        decode(&words[signature_words + i * state_words], *group[i].state);
        exact::normalise(*group[i].state, group[i].what->type);
    }
}

} // namespace

void combine(reduction_state& state, plan const& plan, reduce_options const& options, communicator const& ranks) {
    if (ranks.size() == 1) return;
    exact::normalise(state, plan.type);
    message words{};
    std::int64_t const h = signature(plan, options);
    words[0] = h;
    words[1] = h * h;
    encode(state, &words[signature_words]);
    ranks.all_reduce_sum(words);
    if (!agree(words[0], words[1], ranks.size())) throw_mismatch(describe(plan), ranks.size());
    decode(&words[signature_words], state);
    exact::normalise(state, plan.type);
    combined one{&state, &plan, &options};
    if (needs_gather(plan)) gather_rest({&one, 1}, ranks);
}

void combine(std::span<combined> items, communicator const& ranks) {
    if (ranks.size() == 1) return;
    std::int64_t const h = signature(items);
    if (items.empty()) combine_group(items, h, ranks); // others may have some, and wait
    for (std::size_t first = 0; first < items.size(); first += most_combined)
        combine_group(items.subspan(first, std::min(most_combined, items.size() - first)), h, ranks);
    bool const any =
        std::any_of(items.begin(), items.end(), [](combined const& item) { return needs_gather(*item.what); });
    if (any) gather_rest(items, ranks);
}

} // namespace steadfold::inline v0::reduce_detail
