// Library numbers as GMP numbers, and random ones, for the tests of exact/.
#pragma once

#include "exact/natural.hpp"
#include "support/generators.hpp"

#include <cstdint>
#include <gmpxx.h>
#include <vector>

namespace oracle {

namespace ex = steadfold::exact;

/// Two's-complement reading of every limb, whatever its size.
[[nodiscard]] inline mpz_class value_of_limbs(std::uint64_t const* limbs, int count) {
    mpz_class total;
    for (int i = count - 1; i >= 0; --i) total = (total << 32) + static_cast<long>(limbs[i]);
    return total;
}

[[nodiscard]] inline mpz_class to_mpz(ex::natural const& n) {
    mpz_class total;
    for (int at = (n.bit_length() + 63) / 64 - 1; at >= 0; --at)
        total = (total << 64) + static_cast<unsigned long>(n.word64_at(64 * at));
    return total;
}

[[nodiscard]] inline ex::natural to_natural(mpz_class const& z) {
    ex::natural n;
    for (long at = static_cast<long>(mpz_sizeinbase(z.get_mpz_t(), 2)) / 32; at >= 0; --at) {
        mpz_class const word = (z >> static_cast<mp_bitcnt_t>(32 * at)) & 0xffffffffUL;
        n = n.shifted_left(32).plus(ex::natural{word.get_ui()});
    }
    return n;
}

/// Up to `bits` bits, in runs of equal bits: carries and estimates that are one too large happen there.
[[nodiscard]] inline mpz_class random_number(random_source& random, int bits) {
    mpz_class z;
    for (int left = random.between(0, bits); left > 0;) {
        int const run = random.between(1, left < 70 ? left : 70);
        auto const shift = static_cast<mp_bitcnt_t>(run);
        int const kind = random.between(0, 2);
        z <<= shift;
        if (kind == 0) z += (mpz_class{1} << shift) - 1;
        if (kind == 1) z += mpz_class{random.bits()} & ((mpz_class{1} << shift) - 1);
        left -= run;
    }
    return z;
}

} // namespace oracle
