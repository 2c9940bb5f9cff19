#include "reduce/combine.hpp"

#include "base/floating_environment.hpp"
#include "reduce/message.hpp"
#include "steadfold/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace steadfold::inline v0::reduce_detail {

namespace {

using exact::component_state;
using exact::reduction_state;

// The length never depends on what is computed: ranks that disagree must still meet in one call.
using message = std::array<std::int64_t, message_words(0)>;

void encode(reduction_state const& state, dtype type, std::int64_t* words) {
    for (int i = 0; i < state_words; ++i) words[i] = state_word(state, state.elements, type, i);
}

/// From the sum of all ranks' words.
void decode(std::int64_t const* words, reduction_state& state, dtype type) {
    for (int i = 0; i < state_words; ++i) take_state_word(state, words[i], i);
    exact::normalise(state, type);
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

void clear_slot(reduction_state& state) {
    state.component[0].extrema = {};
    state.bits = {};
    state.product = {};
    for (component_state& part : state.component) part.fast_sum = part.fast_magnitudes = part.fast_products = 0;
}

void add_slot(reduction_state& state, state_slot const& theirs) {
    state.component[0].extrema.merge(extrema_in(theirs.word));
    state.bits.merge(bits_in(theirs.word));
    state.product.merge(product_in(theirs.word));
    for (int c = 0; c < 2; ++c) {
        state.component[c].fast_sum += fast_in(theirs.word, c, 0);
        state.component[c].fast_magnitudes += fast_in(theirs.word, c, 1);
        state.component[c].fast_products += fast_in(theirs.word, c, 2);
    }
}

void gather_slots(std::span<combined> items, communicator const& ranks) {
    std::vector<state_slot> mine;
    for (combined const& item : items) mine.push_back(slot_of(*item.state));
    std::vector<state_slot> all(mine.size() * static_cast<std::size_t>(ranks.size()));
    ranks.all_gather(std::as_bytes(std::span{mine}), std::as_writable_bytes(std::span{all}));
    base::default_floating_environment const environment;
    for (combined const& item : items) clear_slot(*item.state);
    for (std::size_t i = 0; i < all.size(); ++i) add_slot(*items[i % items.size()].state, all[i]);
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
    for (std::size_t i = 0; i < group.size(); ++i)
        encode(*group[i].state, group[i].what->type, &words[signature_words + i * state_words]);
    ranks.all_reduce_sum(words);
    if (!ranks_agree(words[0], words[1], ranks.size()))
        throw_mismatch(group.empty() ? "none" : "several, the first one " + describe(*group[0].what), ranks.size());
    for (std::size_t i = 0; i < group.size(); ++i)
        decode(&words[signature_words + i * state_words], *group[i].state, group[i].what->type);
}

} // namespace

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
    std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (std::uint64_t field : fields)
        for (int byte = 0; byte < 8; ++byte, field >>= 8) hash = (hash ^ (field & 0xffu)) * 0x100000001b3u;
    return static_cast<std::int64_t>((hash ^ (hash >> 20) ^ (hash >> 40)) & 0xfffffu);
}

void combine(reduction_state& state, plan const& plan, reduce_options const& options, communicator const& ranks) {
    if (ranks.size() == 1) return;
    message words{};
    std::int64_t const h = signature(plan, options);
    words[0] = h;
    words[1] = h * h;
    encode(state, plan.type, &words[signature_words]);
    ranks.all_reduce_sum(words);
    if (!ranks_agree(words[0], words[1], ranks.size())) throw_mismatch(describe(plan), ranks.size());
    decode(&words[signature_words], state, plan.type);
    combined one{&state, &plan, &options};
    if (needs_gather(plan)) gather_slots({&one, 1}, ranks);
}

void combine(std::span<combined> items, communicator const& ranks) {
    if (ranks.size() == 1) return;
    std::int64_t const h = signature(items);
    if (items.empty()) combine_group(items, h, ranks); // others may have some, and wait
    for (std::size_t first = 0; first < items.size(); first += most_combined)
        combine_group(items.subspan(first, std::min(most_combined, items.size() - first)), h, ranks);
    bool const any =
        std::any_of(items.begin(), items.end(), [](combined const& item) { return needs_gather(*item.what); });
    if (any) gather_slots(items, ranks);
}

} // namespace steadfold::inline v0::reduce_detail
