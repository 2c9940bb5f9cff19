#include "support/oracle_round.hpp"

#include "support/number_formats.hpp"

#include <cmath>
#include <mpfr.h>

namespace oracle {

namespace {

/// (integer + something in [0, 1) that is not 0 iff `more`) * 2^exponent, as an integer whose last bit is `more`.
struct truncated {
    mpz_class integer;
    long exponent;
    bool more;

    [[nodiscard]] mpz_class with_sticky_bit() const { return 2 * integer + (more ? 1 : 0); }
};

long bit_length(mpz_class const& z) {
    return sgn(z) == 0 ? 0 : static_cast<long>(mpz_sizeinbase(z.get_mpz_t(), 2));
}

/// Magnitude of the rational with at least `bits` significant bits and an even exponent.
truncated quotient(rational const& value, long bits) {
    mpz_class numerator = abs(value.numerator);
    long shift = bits + bit_length(value.denominator) - bit_length(numerator);
    if (shift < 0) shift = 0;
    if ((value.exponent - shift) % 2 != 0) ++shift;
    numerator <<= static_cast<mp_bitcnt_t>(shift);
    truncated result{numerator / value.denominator, value.exponent - shift, false};
    result.more = result.integer * value.denominator != numerator;
    return result;
}

truncated root(rational const& value) {
    truncated const radicand = quotient(value, 300);
    truncated result{sqrt(radicand.integer), radicand.exponent / 2, radicand.more};
    result.more = result.more || result.integer * result.integer != radicand.integer;
    return result;
}

rounded to_float(truncated const& value, bool negative, sf::dtype type) {
    float_shape const shape = shape_of(type);
    mpfr_set_emin(shape.min_exponent - shape.precision + 2); // MPFR's significands are in [1/2, 1)
    mpfr_set_emax(shape.max_exponent + 1);
    mpz_class significand = value.with_sticky_bit();
    if (negative) significand = -significand;
    mpfr_t number;
    mpfr_init2(number, shape.precision);
    int ternary = mpfr_set_z_2exp(number, significand.get_mpz_t(), value.exponent - 1, MPFR_RNDN);
    ternary = mpfr_subnormalize(number, ternary, MPFR_RNDN);
    double const result = mpfr_get_d(number, MPFR_RNDN); // exact
    mpfr_clear(number);
    sf::status_flags status = ternary != 0 ? sf::status_flags::inexact : sf::status_flags::none;
    if (std::isinf(result)) status = status | sf::status_flags::overflow;
    return {encode(result, type), status};
}

rounded to_integer(truncated const& value, bool negative, sf::dtype type) {
    mpz_class const twice = value.with_sticky_bit();
    long const exponent = value.exponent - 1;
    mpz_class whole;
    bool inexact = false;
    if (exponent >= 0) {
        whole = twice << static_cast<mp_bitcnt_t>(exponent);
        inexact = value.more;
    } else {
        mpz_class const unit = mpz_class{1} << static_cast<mp_bitcnt_t>(-exponent);
        whole = twice / unit;
        mpz_class const rest = 2 * (twice - whole * unit);
        inexact = sgn(rest) != 0;
        if (rest > unit || (rest == unit && mpz_odd_p(whole.get_mpz_t()))) whole += 1;
    }
    if (negative) whole = -whole;
    auto const width = static_cast<mp_bitcnt_t>(8 * sf::size_bytes(type));
    bool const has_sign = sf::is_signed_integer(type);
    mpz_class const end = mpz_class{1} << (has_sign ? width - 1 : width);
    mpz_class const lowest = has_sign ? mpz_class{-end} : mpz_class{0};
    sf::status_flags status = inexact ? sf::status_flags::inexact : sf::status_flags::none;
    if (whole < lowest || whole >= end) {
        whole = whole < lowest ? lowest : mpz_class{end - 1};
        status = sf::status_flags::overflow;
    }
    mpz_class const word = whole < 0 ? mpz_class{whole + (mpz_class{1} << 64)} : whole;
    return {mpz_get_ui(word.get_mpz_t()), status};
}

rounded round(truncated const& value, bool negative, sf::dtype type) {
    return sf::is_integer(type) ? to_integer(value, negative, type) : to_float(value, negative, type);
}

rounded zero(bool negative, sf::dtype type) {
    return {sf::is_integer(type) ? 0 : encode(negative ? -0.0 : 0.0, type), sf::status_flags::none};
}

} // namespace

static_assert(sizeof(unsigned long) == 8, "mpz_get_ui gives 64 bits");

rounded round_nearest(rational const& value, sf::dtype real_type) {
    if (sgn(value.numerator) == 0) return zero(value.negative_zero, real_type);
    return round(quotient(value, 100), sgn(value.numerator) < 0, real_type);
}

rounded round_root(rational const& value, sf::dtype real_type) {
    if (sgn(value.numerator) == 0) return zero(false, real_type);
    return round(root(value), false, real_type);
}

rounded infinity(bool negative, sf::dtype real_type) {
    if (!sf::is_integer(real_type)) return {encode(negative ? -HUGE_VAL : HUGE_VAL, real_type), sf::status_flags::none};
    rational const beyond{negative ? -1 : 1, 1, 1000, false};
    return round_nearest(beyond, real_type);
}

rounded nan(sf::dtype real_type, sf::status_flags status) {
    if (!sf::is_integer(real_type)) return {shape_of(real_type).canonical_nan, status};
    return {0, status == sf::status_flags::none ? sf::status_flags::invalid : status};
}

} // namespace oracle
