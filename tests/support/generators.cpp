#include "support/generators.hpp"

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

/// Fills a list of real numbers of one format.
class float_filler {
  public:
    float_filler(sf::dtype real, random_source& random) : type_{real}, shape_{shape_of(real)}, random_{random} {}

    void fill(data_class which, std::span<std::uint64_t> out) {
        switch (which) {
        case data_class::cancellation:
            cancellation(out);
            return;
        case data_class::halfway:
            halfway(out);
            return;
        case data_class::blocks:
            blocks(out);
            return;
        case data_class::constant:
            std::ranges::fill(out, finite_bits());
            return;
        case data_class::near_overflow:
            near_overflow(out);
            return;
        case data_class::fold_boundary:
            fold_boundary(out);
            return;
        case data_class::specials:
            specials(out);
            return;
        default:
            break;
        }
        for (std::uint64_t& bits : out) bits = one(which);
    }

    std::uint64_t finite_bits() {
        std::uint64_t const bits = any();
        return std::isfinite(decode(bits, type_)) ? bits : bits ^ (std::uint64_t{1} << shape_.precision);
    }

    std::uint64_t special() {
        std::uint64_t const infinity = encode(HUGE_VAL, type_), sign = encode(-0.0, type_);
        switch (random_.below(4)) {
        case 0:
            return infinity;
        case 1:
            return infinity | sign;
        case 2:
            return infinity | (random_.coin() ? sign : 0) | 1; // a signalling NaN
        default:
            return shape_.canonical_nan | (random_.coin() ? sign : 0) | static_cast<std::uint64_t>(random_.below(4));
        }
    }

    std::uint64_t of(double value) const { return encode(value, type_); }
    /// A random significand times 2^exponent.
    std::uint64_t with_exponent(int exponent) {
        return of(random_.sign() * std::ldexp(0.5 + 0.5 * random_.uniform(), exponent + 1));
    }
    [[nodiscard]] float_shape const& shape() const { return shape_; }

  private:
    std::uint64_t any() { return random_.bits() >> (64 - 8 * shape_.bytes); }

    std::uint64_t one(data_class which) {
        switch (which) {
        case data_class::log_normal: {
            double const sigma = shape_.max_exponent / 6.0;
            return with_exponent(static_cast<int>(std::clamp(sigma * random_.gaussian(), -1050.0, 1000.0)));
        }
        case data_class::any_finite_bits:
            return finite_bits();
        case data_class::any_bits:
            return random_.below(100) == 0 ? special() : any();
        case data_class::subnormals:
            return any() & (encode(-0.0, type_) | ((std::uint64_t{1} << (shape_.precision - 1)) - 1));
        case data_class::negative_zeros:
            return of(-0.0);
        case data_class::mixed_zeros:
            return of(random_.coin() ? -0.0 : 0.0);
        case data_class::zeros_and_nans:
            return random_.below(5) == 0 ? shape_.canonical_nan
                                         : of(random_.below(12) == 0 ? random_.gaussian() : -0.0);
        case data_class::outliers:
            return random_.below(50) == 0 ? finite_bits() : of(random_.gaussian());
        case data_class::small_squares:
            return with_exponent((shape_.min_exponent - shape_.precision) / 2 + random_.between(-40, 60));
        case data_class::large_squares:
            return with_exponent(std::min(shape_.max_exponent / 2 + random_.between(-5, 20), shape_.max_exponent));
        case data_class::sparse:
            return sparse();
        case data_class::coarse:
            return of(0.125 * random_.between(-20, 20));
        default:
            return of(random_.gaussian());
        }
    }

    std::uint64_t sparse() {
        int const high = random_.between(-20, 15), low = high - random_.between(0, shape_.precision - 1);
        return of(random_.sign() * std::ldexp(1.0, high) + random_.sign() * std::ldexp(1.0, low));
    }

    void cancellation(std::span<std::uint64_t> out) {
        std::uint64_t const sign = encode(-0.0, type_);
        std::size_t i = 0;
        for (; i + 2 < out.size(); i += 2) {
            out[i] = random_.below(4) == 0 ? finite_bits() : of(random_.gaussian());
            out[i + 1] = out[i] ^ sign;
        }
        for (; i < out.size(); ++i)
            out[i] = 1 + static_cast<std::uint64_t>(random_.below(3)) + (random_.coin() ? sign : 0);
        shuffle(out);
    }

    /// 2^k + half a unit of the result's last place, and perhaps something that breaks the tie; or neighbours, whose
    /// mean lies halfway.
    void halfway(std::span<std::uint64_t> out) {
        int const result_precision = std::max(shape_.precision, 24); // half and bfloat16 sum to float32
        int const k = type_ == sf::dtype::float16 ? 15 : random_.between(0, shape_.max_exponent - 8);
        int const mode = random_.between(0, 3);
        double const sign = random_.sign();
        std::uint64_t const base =
            of(sign * std::ldexp(1.0 + std::ldexp(random_.between(0, 3), 1 - shape_.precision), k));
        std::ranges::fill(out, of(0));
        if (mode == 3) {
            for (std::uint64_t& bits : out) bits = base + (random_.coin() ? 1 : 0);
            return;
        }
        std::array<std::uint64_t, 3> const terms = {
            base, of(sign * std::ldexp(1.0, k - result_precision)),
            mode == 0 ? of(0) : std::uint64_t{1} | (mode == 1 ? 0 : encode(-0.0, type_))};
        std::copy_n(terms.begin(), std::min(terms.size(), out.size()), out.begin());
        for (std::size_t i = 3; i + 1 < out.size(); i += 2) {
            out[i] = of(random_.gaussian());
            out[i + 1] = out[i] ^ encode(-0.0, type_);
        }
        shuffle(out);
    }

    void blocks(std::span<std::uint64_t> out) {
        std::size_t i = 0;
        while (i < out.size()) {
            int const exponent = random_.between(shape_.min_exponent - shape_.precision, shape_.max_exponent - 1);
            std::size_t const end = std::min(out.size(), i + 1 + static_cast<std::size_t>(random_.below(6000)));
            for (; i < end; ++i) out[i] = with_exponent(exponent - random_.between(0, 3));
        }
    }

    void near_overflow(std::span<std::uint64_t> out) {
        std::uint64_t const largest = encode(HUGE_VAL, type_) - 1, sign = encode(-0.0, type_);
        int const mode = random_.between(0, 3);
        for (std::uint64_t& bits : out) {
            bits = mode < 2
                       ? largest
                       : largest - static_cast<std::uint64_t>(random_.below(std::int64_t{3} << (shape_.precision - 1)));
            if (mode == 1 || (mode == 3 && random_.coin())) bits |= sign;
        }
    }

    void fold_boundary(std::span<std::uint64_t> out) {
        int const k = random_.between(shape_.min_exponent + 2, shape_.max_exponent);
        bool const one_sign = random_.coin(), equal = random_.coin();
        auto const exponents = std::array{k, k - 1, k - 50, k - 51, k - 52, k - 101, k - 102};
        std::uint64_t const neighbour = static_cast<std::uint64_t>(random_.below(3));
        for (std::uint64_t& bits : out) {
            int const e = equal ? k : exponents[static_cast<std::size_t>(random_.below(7))];
            bits = of(std::ldexp(1.0, std::max(e, shape_.min_exponent + 1))) - 1 +
                   (equal ? neighbour : static_cast<std::uint64_t>(random_.below(3)));
            if (!one_sign && random_.coin()) bits |= encode(-0.0, type_);
        }
    }

    void specials(std::span<std::uint64_t> out) {
        int const kinds = random_.between(1, 3), every = random_.between(1, 40);
        for (std::uint64_t& bits : out) {
            bits = of(random_.gaussian());
            if (random_.below(every) != 0) continue;
            std::uint64_t const chosen = special();
            if (std::isnan(decode(chosen, type_)) ? (kinds & 1) : (kinds & 2)) bits = chosen;
        }
    }

    void shuffle(std::span<std::uint64_t> out) {
        for (std::size_t i = out.size(); i > 1; --i)
            std::swap(out[i - 1], out[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(i)))]);
    }

    sf::dtype type_;
    float_shape shape_;
    random_source& random_;
};

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

} // namespace

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

// --- pairs ---

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

} // namespace

std::string_view name(pair_class which) {
    constexpr std::array pair_names = {"independent", "inverse", "cancellation", "underflow", "overflow", "specials"};
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
