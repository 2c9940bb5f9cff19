#include "support/generators.hpp"

#include "support/float_filler.hpp"
#include "support/number_formats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace oracle {

std::uint64_t random_source::bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

std::int64_t random_source::below(std::int64_t end) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(end));
}

double random_source::uniform() {
    return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53;
}

double random_source::gaussian() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
}

namespace {

constexpr std::array names = {
    "gaussian",        "log_normal",    "any_finite_bits", "any_bits",      "subnormals",       "cancellation",
    "near_overflow",   "halfway",       "negative_zeros",  "mixed_zeros",   "zeros_and_nans",   "specials",
    "fold_boundary",   "blocks",        "outliers",        "small_squares", "large_squares",    "sparse",
    "constant",        "coarse",        "integer_bits",    "integer_small", "integer_extremes", "integer_lowest",
    "integer_highest", "integer_powers"};

constexpr std::array floating_classes = {
    data_class::gaussian,       data_class::log_normal,   data_class::any_finite_bits, data_class::any_bits,
    data_class::subnormals,     data_class::cancellation, data_class::near_overflow,   data_class::halfway,
    data_class::negative_zeros, data_class::mixed_zeros,  data_class::zeros_and_nans,  data_class::specials,
    data_class::fold_boundary,  data_class::blocks,       data_class::outliers,        data_class::small_squares,
    data_class::large_squares,  data_class::sparse,       data_class::constant,        data_class::coarse};

constexpr std::array integer_classes = {data_class::integer_bits,     data_class::integer_small,
                                        data_class::integer_extremes, data_class::integer_lowest,
                                        data_class::integer_highest,  data_class::integer_powers};

std::uint64_t integer(data_class which, sf::dtype type, random_source& random) {
    int const width = static_cast<int>(8 * sf::size_bytes(type));
    std::uint64_t const top = std::uint64_t{1} << (width - 1), all = top | (top - 1);
    std::uint64_t const lowest = sf::is_signed_integer(type) ? top : 0;
    std::uint64_t const highest = sf::is_signed_integer(type) ? top - 1 : all;
    switch (which) {
    case data_class::integer_small:
        return static_cast<std::uint64_t>(random.below(7) - (sf::is_signed_integer(type) ? 3 : 0));
    case data_class::integer_extremes: {
        std::array const values = {lowest, highest, lowest + 1, highest - 1, std::uint64_t{0}, std::uint64_t{1}, all};
        return values[static_cast<std::size_t>(random.below(values.size()))];
    }
    case data_class::integer_lowest:
        return lowest;
    case data_class::integer_highest:
        return highest;
    case data_class::integer_powers:
        return (std::uint64_t{1} << random.below(width)) + static_cast<std::uint64_t>(random.below(3)) - 1;
    default:
        return random.bits();
    }
}

} // namespace

std::string label_of(std::string_view kind, sf::dtype type, std::int64_t n, std::uint64_t seed) {
    return std::string(kind) + " " + std::string(sf::name(type)) + " n=" + std::to_string(n) +
           " seed=" + std::to_string(seed);
}

sample pack(sf::dtype type, std::span<std::uint64_t const> components, std::string label) {
    std::size_t const bytes = sf::size_bytes(sf::component_type(type));
    sample s{type, static_cast<std::int64_t>(components.size()) / sf::component_count(type),
             std::vector<std::byte>(components.size() * bytes), std::move(label)};
    for (std::size_t i = 0; i < components.size(); ++i) write_bits(s.bytes.data() + i * bytes, bytes, components[i]);
    return s;
}

std::string_view name(data_class which) {
    return names.at(static_cast<std::size_t>(which));
}

std::span<data_class const> classes_of(sf::dtype type) {
    if (sf::is_integer(type)) return integer_classes;
    return floating_classes;
}

sample generate(data_class which, sf::dtype type, std::int64_t n, std::uint64_t seed) {
    random_source random{seed ^ (static_cast<std::uint64_t>(which) << 56) ^ (static_cast<std::uint64_t>(type) << 48)};
    std::vector<std::uint64_t> components(static_cast<std::size_t>(n * sf::component_count(type)));
    if (sf::is_integer(type))
        for (std::uint64_t& bits : components) bits = integer(which, type, random);
    else
        float_filler{sf::component_type(type), random}.fill(which, components);
    return pack(type, components, label_of(name(which), type, n, seed));
}

sample sample_of(sf::dtype type, std::span<double const> values, std::string label) {
    std::vector<std::uint64_t> components;
    for (double const value : values) components.push_back(encode(value, sf::component_type(type)));
    return pack(type, components, std::string(sf::name(type)) + " " + label);
}

sample shuffled(sample s, random_source& random) {
    std::size_t const bytes = sf::size_bytes(s.type);
    for (std::int64_t i = s.n; i > 1; --i) {
        auto const a = static_cast<std::size_t>(i - 1) * bytes, b = static_cast<std::size_t>(random.below(i)) * bytes;
        if (a != b) std::swap_ranges(s.bytes.data() + a, s.bytes.data() + a + bytes, s.bytes.data() + b);
    }
    return s;
}

} // namespace oracle
