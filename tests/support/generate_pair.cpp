#include "support/float_filler.hpp"

namespace oracle {

namespace {

using bit_pair = std::pair<std::uint64_t, std::uint64_t>;

bit_pair pair_of(pair_class which, float_filler& fill, random_source& random) {
    float_shape const& shape = fill.shape();
    int const lowest = shape.min_exponent - shape.precision + 1, highest = shape.max_exponent - 1;
    int const e = random.between(lowest, highest);
    auto const other = [&](int wanted) { return fill.with_exponent(std::clamp(wanted - e, lowest, highest)); };
    switch (which) {
    case pair_class::underflow:
        return {fill.with_exponent(e), other(lowest + random.between(-60, 110))};
    case pair_class::overflow:
        return {fill.with_exponent(e), other(highest + random.between(-15, 10))};
    case pair_class::specials: {
        auto const one = [&] {
            int const kind = random.between(0, 9);
            return kind < 2 ? fill.special() : kind == 2 ? fill.of(random.sign() * 0.0) : fill.finite_bits();
        };
        return {one(), one()};
    }
    default:
        return {fill.with_exponent(e), other(random.between(-3, 3))};
    }
}

std::vector<bit_pair> cancelling_pairs(std::size_t n, float_filler& fill, random_source& random) {
    std::vector<bit_pair> pairs;
    while (pairs.size() + 2 < n) {
        bit_pair const p = {fill.finite_bits(), fill.finite_bits()};
        pairs.push_back(p);
        pairs.emplace_back(p.first, p.second ^ fill.of(-0.0));
    }
    while (pairs.size() < n)
        pairs.emplace_back(fill.of(std::ldexp(1.0, fill.shape().min_exponent)), 1 + random.bits() % 5);
    for (std::size_t i = n; i > 1; --i)
        std::swap(pairs[i - 1], pairs[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    return pairs;
}

/// Products over a range of magnitudes, each taken off again as it is rounded.
std::vector<bit_pair> error_pairs(std::size_t n, float_filler& fill, sf::dtype type, random_source& random) {
    std::uint64_t const one = fill.of(1.0);
    std::vector<bit_pair> pairs;
    if (n % 2 == 0 && n > 2) pairs = {{one, one}, {one, fill.of(-1.0)}};
    int const spread = std::min(150, -fill.shape().min_exponent);
    while (pairs.size() + 1 < n) {
        int const e = -random.between(0, spread) / 2;
        bit_pair const p = {fill.with_exponent(e), fill.with_exponent(e)};
        pairs.push_back(p);
        pairs.emplace_back(fill.of(-decode(p.first, type) * decode(p.second, type)), one);
    }
    while (pairs.size() < n) pairs.emplace_back(one, fill.of(0.0));
    return pairs;
}

} // namespace

std::string_view name(pair_class which) {
    constexpr std::array pair_names = {"independent", "inverse",  "cancellation", "underflow",
                                       "overflow",    "specials", "errors"};
    return pair_names.at(static_cast<std::size_t>(which));
}

sample_pair generate_pair(pair_class which, sf::dtype type, std::int64_t n, std::uint64_t seed) {
    random_source random{seed * 77 + static_cast<std::uint64_t>(which)};
    if (sf::is_integer(type) || which == pair_class::independent) {
        auto const classes = classes_of(type);
        auto const any = [&] {
            return classes[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(classes.size())))];
        };
        sample x = generate(any(), type, n, seed), y = generate(any(), type, n, seed + 1000003);
        return {std::move(x), std::move(y)};
    }
    float_filler fill{type, random};
    std::vector<bit_pair> pairs;
    if (which == pair_class::cancellation)
        pairs = cancelling_pairs(static_cast<std::size_t>(n), fill, random);
    else if (which == pair_class::errors)
        pairs = error_pairs(static_cast<std::size_t>(n), fill, type, random);
    else
        for (std::int64_t i = 0; i < n; ++i) pairs.push_back(pair_of(which, fill, random));
    std::vector<std::uint64_t> x, y;
    for (auto const& [a, b] : pairs) {
        x.push_back(a);
        y.push_back(b);
    }
    std::string const label = label_of(name(which), type, n, seed);
    return {pack(type, x, "x: " + label), pack(type, y, "y: " + label)};
}

} // namespace oracle
