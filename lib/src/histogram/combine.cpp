#include "histogram/combine.hpp"

#include "steadfold/error.hpp"

#include <array>
#include <bit>
#include <string>

namespace steadfold::inline v0::histogram_detail {

namespace {

constexpr std::size_t pieces = 4; // of 16 bits: sums of squares stay below 2^63 up to 2^31 ranks
using signature_words = std::array<std::int64_t, 2 * pieces>;

/// 64 bits of everything ranks must agree on, a word at a time (after FNV-1a).
std::uint64_t hash_of(plan const& plan) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    auto const mix = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    };
    mix(static_cast<std::uint64_t>(plan.type));
    mix(plan.missing.has_value());
    mix(static_cast<std::uint64_t>(plan.missing.value_or(0)));
    mix(static_cast<std::uint64_t>(plan.bins.count()));
    for (double const edge : plan.bins.edges()) mix(std::bit_cast<std::uint64_t>(edge));
    return hash;
}

signature_words signature(plan const& plan) {
    std::uint64_t const hash = hash_of(plan);
    signature_words words;
    for (std::size_t i = 0; i < pieces; ++i) {
        auto const piece = static_cast<std::int64_t>((hash >> (16 * i)) & 0xffffu);
        words[2 * i] = piece;
        words[2 * i + 1] = piece * piece;
    }
    return words;
}

bool all_agree(signature_words const& sums, int ranks) {
    for (std::size_t i = 0; i < pieces; ++i) {
        // By Cauchy and Schwarz n * sum h^2 == (sum h)^2 only if all h are equal.
        __int128 const sum = sums[2 * i], squares = sums[2 * i + 1];
        if (squares * ranks != sum * sum) return false;
    }
    return true;
}

} // namespace

void combine(std::span<std::int64_t> totals, plan const& plan, communicator const& ranks) {
    if (ranks.size() == 1) return;
    // First, since the counts are as many as the bins: ranks that disagree must still meet in one call.
    signature_words words = signature(plan);
    ranks.all_reduce_sum(words);
    if (!all_agree(words, ranks.size()))
        throw mismatch_error(
            "the ranks disagree about this histogram: element type, edges and missing value must be the "
            "same on all " +
            std::to_string(ranks.size()) + " ranks; this rank asked for " + std::to_string(plan.bins.count()) +
            " bins of " + std::string(name(plan.type)));
    ranks.all_reduce_sum(totals);
}

} // namespace steadfold::inline v0::histogram_detail
