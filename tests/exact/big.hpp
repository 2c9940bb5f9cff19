// Library numbers as GMP numbers, and random ones, for the tests of exact/.
#pragma once

#include "exact/leading.hpp"
#include "support/generators.hpp"

#include <cstdint>
#include <gmpxx.h>
#include <string>
#include <vector>

namespace oracle {

namespace ex = steadfold::exact;

/// Two's-complement reading of every limb, whatever its size.
[[nodiscard]] inline mpz_class value_of_limbs(std::uint64_t const* limbs, int count) {
    mpz_class total;
    for (int i = count - 1; i >= 0; --i) total = (total << 32) + static_cast<long>(limbs[i]);
    return total;
}

/// The 256-bit integer of leading bits.
[[nodiscard]] inline mpz_class to_mpz(ex::leading_bits const& value) {
    mpz_class total;
    for (int k = 3; k >= 0; --k) total = (total << 64) + static_cast<unsigned long>(value.word[k]);
    return total;
}

[[nodiscard]] inline int bit_length(mpz_class const& z) {
    return sgn(z) == 0 ? 0 : static_cast<int>(mpz_sizeinbase(z.get_mpz_t(), 2));
}

[[nodiscard]] inline mpz_class power_of_two(int exponent) {
    return mpz_class{1} << static_cast<mp_bitcnt_t>(exponent);
}

/// Normalised limbs of an integer, and a span of them for the library.
struct digits {
    std::vector<std::uint64_t> limbs;
    int exponent = 0;

    [[nodiscard]] ex::digit_span span() const { return {limbs.data(), static_cast<int>(limbs.size()), exponent}; }
};

/// The limbs of z * 2^exponent with `below` zeros under them and `above` limbs that repeat the sign; the highest limb
/// of all holds `top_bits` bits and the sign if there are none above.
[[nodiscard]] inline digits digits_of(mpz_class z, int exponent = 0, int below = 0, int above = 0, int top_bits = 32) {
    digits result{std::vector<std::uint64_t>(static_cast<std::size_t>(below)), exponent - 32 * below};
    while (bit_length(z) > top_bits) {
        mpz_class const digit = z & 0xffffffffUL; // as of two's complement
        result.limbs.push_back(digit.get_ui());
        z >>= 32; // rounds down
    }
    for (int i = 0; i < above; ++i) {
        mpz_class const digit = z & 0xffffffffUL;
        result.limbs.push_back(digit.get_ui());
        z >>= 32;
    }
    result.limbs.push_back(static_cast<std::uint64_t>(z.get_si()));
    return result;
}

/// The same in one of the ways it can be held.
[[nodiscard]] inline digits digits_of(mpz_class const& z, int exponent, random_source& random) {
    return digits_of(z, exponent, random.coin() ? 0 : random.between(0, 40), random.coin() ? 0 : random.between(0, 40),
                     random.between(1, 63));
}

[[nodiscard]] inline ex::leading_bits leading_of(mpz_class const& z, int exponent = 0) {
    digits const held = digits_of(z, exponent);
    return ex::leading_of(ex::magnitude_of(held.span()));
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

/// A count of elements: 1 to 2^63 - 1, of any length.
[[nodiscard]] inline std::uint64_t random_count(random_source& random) {
    std::uint64_t const n = (random.coin() ? random.bits() : ~std::uint64_t{0}) >> random.between(1, 63);
    std::uint64_t const near = n - static_cast<std::uint64_t>(random.between(0, 2));
    return near == 0 || near >> 63 != 0 ? 1 : near;
}

} // namespace oracle
