// The oracle's only rounding: a rational, or its square root, to nearest-even.
#pragma once

#include "steadfold/results.hpp"

#include <gmpxx.h>

namespace oracle {

namespace sf = steadfold;

/// numerator / denominator * 2^exponent; denominator > 0. A zero has the sign of `negative_zero`.
struct rational {
    mpz_class numerator;
    mpz_class denominator = 1;
    long exponent = 0;
    bool negative_zero = false;
};

struct rounded {
    std::uint64_t bits; // integers sign-extended
    sf::status_flags status;
};

[[nodiscard]] rounded round_nearest(rational const& value, sf::dtype real_type);
[[nodiscard]] rounded round_root(rational const& value, sf::dtype real_type);

[[nodiscard]] rounded infinity(bool negative, sf::dtype real_type);
/// NaN in floating-point types; integers have none and say `invalid`.
[[nodiscard]] rounded nan(sf::dtype real_type, sf::status_flags status);

} // namespace oracle
