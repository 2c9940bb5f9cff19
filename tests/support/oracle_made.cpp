#include "support/oracle_made.hpp"

#include "support/number_formats.hpp"
#include "support/oracle.hpp"
#include "support/oracle_round.hpp"

#include <cmath>
#include <utility>

namespace oracle {

namespace {

using sf::operation;
using sf::status_flags;

bool is_nan_at(sample const& s, std::int64_t i) {
    if (sf::is_integer(s.type)) return false;
    sf::dtype const real = sf::component_type(s.type);
    for (std::size_t c = 0; c < static_cast<std::size_t>(sf::component_count(s.type)); ++c)
        if (std::isnan(decode(read_bits(s.at(i) + c * sf::size_bytes(real), sf::size_bytes(real)), real))) return true;
    return false;
}

/// The pairs without a NaN in them.
sample_pair without_nan(sample_pair const& pair) {
    sample_pair kept{{pair.x.type, 0, {}, pair.x.label}, {pair.y.type, 0, {}, pair.y.label}};
    for (std::int64_t i = 0; i < pair.x.n; ++i) {
        if (is_nan_at(pair.x, i) || is_nan_at(pair.y, i)) continue;
        for (auto const& [from, to] : {std::pair{&pair.x, &kept.x}, std::pair{&pair.y, &kept.y}}) {
            to->bytes.insert(to->bytes.end(), from->at(i), from->at(i) + sf::size_bytes(from->type));
            ++to->n;
        }
    }
    return kept;
}

/// One part of a complex product sum as a dot of twice as many real pairs.
sf::result_value part_of_dot(sample_pair const& pair, bool imaginary, bool conjugated,
                             sf::reduce_options const& options) {
    sf::dtype const real = sf::component_type(pair.x.type);
    std::size_t const bytes = sf::size_bytes(real);
    std::vector<std::byte> x, y;
    auto const push = [&](std::byte const* a, std::byte const* b, bool negative) {
        x.insert(x.end(), a, a + bytes);
        y.insert(y.end(), b, b + bytes);
        if (negative) x.back() ^= std::byte{0x80};
    };
    for (std::int64_t i = 0; i < pair.x.n; ++i) {
        std::byte const *a = pair.x.at(i), *b = pair.y.at(i);
        push(a, imaginary ? b + bytes : b, false);
        push(a + bytes, imaginary ? b : b + bytes, imaginary == conjugated);
    }
    return evaluate(summarise_pairs(x.data(), y.data(), 2 * pair.x.n, real), operation::dot, options);
}

} // namespace

sf::result_value complex_dot(sample_pair const& pair, bool conjugated, sf::reduce_options const& options) {
    sample_pair const kept = without_nan(pair);
    bool const poisoned = options.nans == sf::nan_policy::propagate && kept.x.n < pair.x.n;
    sf::result_value const real = part_of_dot(kept, false, conjugated, options);
    sf::result_value const imaginary = part_of_dot(kept, true, conjugated, options);
    sf::dtype const type = real.type == sf::dtype::float64 ? sf::dtype::complex128 : sf::dtype::complex64;
    if (!poisoned) return {type, {real.bits[0], imaginary.bits[0]}, real.status | imaginary.status};
    std::uint64_t const bits = oracle::nan(real.type, status_flags::none).bits;
    return {type, {bits, bits}, status_flags::none};
}

sf::result_value weighted_mean(sample_pair const& pair, sf::reduce_options const& options) {
    sample_pair const kept = without_nan(pair);
    sf::dtype const type = options.result.value_or(sf::default_real_type(pair.x.type));
    auto const value = [&]() -> rounded {
        if (options.nans == sf::nan_policy::propagate && kept.x.n < pair.x.n) return nan(type, status_flags::none);
        if (kept.x.n == 0) return nan(type, status_flags::empty);
        summary const w = summarise(kept.x.bytes.data(), kept.x.n, pair.x.type);
        summary const p = summarise_pairs(kept.x.bytes.data(), kept.y.bytes.data(), kept.x.n, pair.x.type);
        mpz_class const& weights = w.component[0].sum;
        bool const up = p.component[0].positive_infinities > 0, down = p.component[0].negative_infinities > 0;
        if (w.infinities > 0 || p.invalid_products > 0 || (up && down) || weights == 0)
            return nan(type, status_flags::invalid);
        bool const negative = weights < 0;
        if (up || down) return infinity(down != negative, type);
        rational mean{p.component[0].products, abs(weights), p.unit, p.component[0].only_negative_zeros != negative};
        if (negative) mean.numerator = -mean.numerator;
        if (sf::is_integer(pair.x.type)) mean.negative_zero = false;
        return round_nearest(mean, type);
    }();
    return {type, {value.bits, 0}, value.status};
}

sample differences(sample_pair const& pair) {
    sf::dtype const of = pair.x.type, part = sf::component_type(of);
    bool const narrow = of == sf::dtype::float16 || of == sf::dtype::bfloat16;
    sf::dtype const type = sf::is_integer(of) ? sf::dtype::uint64 : narrow ? sf::dtype::float32 : of;
    std::size_t const bytes = sf::size_bytes(part), out = sf::size_bytes(sf::component_type(type));
    std::int64_t const parts = pair.x.n * sf::component_count(of);
    sample d{type, pair.x.n, {}, "distance of " + pair.x.label};
    d.bytes.resize(static_cast<std::size_t>(parts) * out);
    for (std::int64_t i = 0; i < parts; ++i) {
        std::byte const* a = pair.x.bytes.data() + static_cast<std::size_t>(i) * bytes;
        std::byte const* b = pair.y.bytes.data() + static_cast<std::size_t>(i) * bytes;
        std::byte* to = d.bytes.data() + static_cast<std::size_t>(i) * out;
        if (sf::is_integer(of)) {
            __int128 const difference = read_integer(a, of) - read_integer(b, of);
            write_bits(to, out, static_cast<std::uint64_t>(difference < 0 ? -difference : difference));
        } else {
            double const difference = decode(read_bits(a, bytes), part) - decode(read_bits(b, bytes), part);
            write_bits(to, out, encode(difference, sf::component_type(type)));
        }
    }
    return d;
}

} // namespace oracle
