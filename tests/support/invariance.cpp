#include "support/invariance.hpp"

#include "support/check.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <utility>

namespace oracle {

namespace {

struct piece {
    std::int64_t first, count;
};

std::vector<piece> random_cuts(std::int64_t n, random_source& random) {
    std::vector<piece> pieces;
    for (std::int64_t first = 0; first < n;) {
        std::int64_t const longest = random.coin() ? 20 : 50000; // some shorter than a vector, some longer than a tile
        std::int64_t const count = std::min(n - first, random.below(longest));
        pieces.push_back({first, count}); // some are empty
        first += count;
    }
    for (std::size_t i = pieces.size(); i > 1; --i)
        std::swap(pieces[i - 1], pieces[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    return pieces;
}

sf::reduction start(invariance_case const& c, sf::execution const& where) {
    return sf::reduction{c.data.type, c.operations, c.options, where};
}

} // namespace

invariance_case make_case(sample const& data, sf::reduce_options const& options) {
    invariance_case c{data, operations_of(data.type), options, {}};
    summary const s = summarise(data.bytes.data(), data.n, data.type, options.missing);
    for (int i = 0; i < sf::operation_count; ++i)
        if (auto const op = static_cast<sf::operation>(i); c.operations.contains(op))
            c.expected.set(op, evaluate(s, op, options));
    return c;
}

void expect_bits(sf::reduction_results const& got, invariance_case const& c, std::string const& how,
                 sf::operation_set but) {
    for (int i = 0; i < sf::operation_count; ++i)
        if (auto const op = static_cast<sf::operation>(i); c.operations.contains(op) && !but.contains(op))
            expect_same(got[op], c.expected[op], op, c.data.label + " " + describe(c.options) + " " + how);
}

void in_random_pieces(invariance_case const& c, sf::execution const& where, std::uint64_t seed) {
    random_source random{seed};
    sf::reduction reduction = start(c, where);
    for (auto const [first, count] : random_cuts(c.data.n, random)) reduction.add(c.data.part(first, count), first);
    expect_bits(reduction.finish(), c, "in random pieces, cut seed " + std::to_string(seed));
}

void in_equal_pieces(invariance_case const& c, sf::execution const& where, std::int64_t length) {
    sf::reduction reduction = start(c, where);
    for (std::int64_t first = 0; first < c.data.n; first += length)
        reduction.add(c.data.part(first, std::min(length, c.data.n - first)), first);
    expect_bits(reduction.finish(), c, "in pieces of " + std::to_string(length));
}

void at_every_alignment(invariance_case const& c, sf::execution const& where) {
    constexpr std::size_t line = 64;
    std::vector<std::byte> room(c.data.bytes.size() + 2 * line);
    auto* const base = room.data() + (line - reinterpret_cast<std::uintptr_t>(room.data()) % line);
    for (std::size_t offset = 0; offset < line; offset += sf::size_bytes(sf::component_type(c.data.type))) {
        std::memcpy(base + offset, c.data.bytes.data(), c.data.bytes.size());
        sf::reduction reduction = start(c, where);
        reduction.add({base + offset, c.data.n, c.data.type});
        expect_bits(reduction.finish(), c, std::to_string(offset) + " bytes into a line");
    }
}

void in_another_order(invariance_case const& c, sf::execution const& where, std::uint64_t seed) {
    random_source random{seed};
    sample const other = shuffled(c.data, random);
    sf::reduction reduction = start(c, where);
    reduction.add(other.view());
    expect_bits(reduction.finish(), c, "in another order, seed " + std::to_string(seed), sf::argmin | sf::argmax);
}

void by_merging(invariance_case const& c, std::span<sf::execution const> places, std::uint64_t seed) {
    random_source random{seed};
    std::vector<sf::reduction> parts;
    for (int i = random.between(2, 6); i > 0; --i)
        parts.push_back(
            start(c, places[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(places.size())))]));
    for (auto const [first, count] : random_cuts(c.data.n, random))
        parts[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(parts.size())))].add(
            c.data.part(first, count), first);
    while (parts.size() > 1) {
        auto const from = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(parts.size())));
        std::size_t const to = (from + 1) % parts.size();
        parts[to].merge(parts[from]);
        sf::reduction_results const nothing = parts[from].finish(); // was moved away
        EXPECT_EQ(nothing[sf::operation::count].as_int64(), 0) << c.data.label;
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(from));
    }
    expect_bits(parts.front().finish(), c, "by merging, seed " + std::to_string(seed));
}

void with_a_used_reduction(invariance_case const& c, sf::execution const& where) {
    sf::reduction reduction = start(c, where);
    auto const classes = classes_of(c.data.type);
    for (std::size_t k = 0; k < classes.size(); k += 4) {
        sample const other = generate(classes[k], c.data.type, 3000, k);
        reduction.add(other.view(), 7);
        (void)reduction.finish();
        reduction.add(c.data.view());
        expect_bits(reduction.finish(), c, "after " + other.label);
    }
}

} // namespace oracle
