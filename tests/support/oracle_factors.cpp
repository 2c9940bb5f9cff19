#include "support/oracle_factors.hpp"

#include "support/number_formats.hpp"
#include "support/oracle_round.hpp"

#include <cmath>
#include <span>
#include <vector>

namespace oracle {

namespace {

using sf::operation;
using sf::status_flags;

/// What is left of the sample after NaN and missing elements went, element by element.
struct elements {
    std::int64_t taken = 0, nans = 0, zeros = 0, infinities = 0;
    bool negative = false;
    long exponent = 0;
    std::vector<mpz_class> factors; // magnitudes of the others, over 2^exponent
    std::vector<std::uint64_t> words;
};

void take_real(elements& all, double x) {
    all.negative = all.negative != std::signbit(x);
    if (x == 0) ++all.zeros;
    if (std::isinf(x)) ++all.infinities;
    if (x == 0 || std::isinf(x)) return;
    int exponent = 0;
    double const fraction = std::frexp(std::fabs(x), &exponent);
    all.factors.emplace_back(std::ldexp(fraction, 53));
    all.exponent += exponent - 53;
}

void take_integer(elements& all, __int128 x) {
    all.words.push_back(static_cast<std::uint64_t>(x));
    all.negative = all.negative != (x < 0);
    if (x == 0) {
        ++all.zeros;
        return;
    }
    all.factors.emplace_back(static_cast<unsigned long>(x < 0 ? -x : x));
}

elements read(sample const& s, sf::reduce_options const& options) {
    elements all;
    sf::dtype const real = sf::component_type(s.type);
    auto const part = [&](std::int64_t i, std::size_t c) {
        return decode(read_bits(s.at(i) + c * sf::size_bytes(real), sf::size_bytes(real)), real);
    };
    for (std::int64_t i = 0; i < s.n; ++i) {
        bool nan = false;
        if (sf::is_integer(s.type)) {
            __int128 const x = read_integer(s.at(i), s.type);
            if (options.missing && x == *options.missing) continue;
            take_integer(all, x);
        } else if (sf::is_complex(s.type)) {
            nan = std::isnan(part(i, 0)) || std::isnan(part(i, 1));
            if (!nan && part(i, 0) == 0 && part(i, 1) == 0) ++all.zeros;
        } else {
            nan = std::isnan(part(i, 0));
            if (!nan) take_real(all, part(i, 0));
        }
        bool const ignored = nan && options.nans == sf::nan_policy::ignore;
        if (nan && !ignored) ++all.nans;
        if (!ignored) ++all.taken;
    }
    return all;
}

/// By halves, so that most of the work is done on few long numbers.
mpz_class product_of(std::span<mpz_class const> factors) {
    if (factors.empty()) return 1;
    if (factors.size() == 1) return factors[0];
    std::size_t const half = factors.size() / 2;
    return product_of(factors.first(half)) * product_of(factors.subspan(half));
}

rounded rounded_product(elements const& all, sf::dtype type) {
    if (all.nans > 0) return nan(type, status_flags::none);
    if (all.infinities > 0 && all.zeros > 0) return nan(type, status_flags::invalid);
    if (all.infinities > 0) return infinity(all.negative, type);
    rational value{all.zeros > 0 ? mpz_class{0} : product_of(all.factors), 1, all.exponent, all.negative};
    if (all.negative) value.numerator = -value.numerator;
    rounded result = round_nearest(value, type);
    if (all.taken == 0) result.status = result.status | status_flags::empty;
    return result;
}

rounded rounded_word(elements const& all, operation op, sf::dtype input, sf::dtype type) {
    std::uint64_t word = op == operation::bit_and ? ~std::uint64_t{0} : 0;
    for (std::uint64_t const w : all.words)
        word = op == operation::bit_and ? word & w : op == operation::bit_or ? word | w : word ^ w;
    rational value;
    if (sf::is_signed_integer(input))
        value.numerator = static_cast<long>(word);
    else
        value.numerator = static_cast<unsigned long>(word);
    rounded result = round_nearest(value, type);
    if (all.taken == 0) result.status = status_flags::empty;
    return result;
}

} // namespace

sf::result_value evaluate_factors(sample const& s, operation op, sf::reduce_options const& options) {
    elements const all = read(s, options);
    if (op == operation::any || op == operation::every) {
        bool const truth = op == operation::any ? all.taken > all.zeros : all.zeros == 0;
        return {sf::dtype::int64, {truth, 0}, all.taken == 0 ? status_flags::empty : status_flags::none};
    }
    sf::dtype const type = options.result.value_or(sf::default_result_type(s.type));
    rounded const value = op == operation::product ? rounded_product(all, type) : rounded_word(all, op, s.type, type);
    return {type, {value.bits, 0}, value.status};
}

sf::operation_set factor_operations_of(sf::dtype type) {
    sf::operation_set const truths = sf::any | sf::every;
    if (sf::is_complex(type)) return truths;
    return sf::is_integer(type) ? truths | sf::product | sf::bit_and | sf::bit_or | sf::bit_xor : truths | sf::product;
}

} // namespace oracle
