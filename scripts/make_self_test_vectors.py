#!/usr/bin/env python3
"""Writes lib/src/reduce/self_test_vectors.hpp: torture vectors of float64 and the bits of their exact results.

The answers come from exact rationals (fractions.Fraction), rounded once; nothing of steadfold is used.
usage: scripts/make_self_test_vectors.py > lib/src/reduce/self_test_vectors.hpp
"""

import math
import random
import struct
from fractions import Fraction


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def rounded(q):
    """Nearest float64, ties to even, of a rational."""
    if q == 0:
        return 0.0
    sign, q = (-1.0 if q < 0 else 1.0), abs(q)
    exponent = q.numerator.bit_length() - q.denominator.bit_length()
    if Fraction(2) ** exponent > q:
        exponent -= 1
    unit = max(exponent, -1022) - 52
    scaled = q / Fraction(2) ** unit
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    twice = 2 * rest
    if twice > scaled.denominator or (twice == scaled.denominator and whole % 2):
        whole += 1
    if whole.bit_length() + unit > 1024:
        return sign * math.inf
    return sign * math.ldexp(whole, unit)


def rounded_root(q):
    """Nearest float64 of the square root of a rational: an integer root with a sticky bit."""
    if q == 0:
        return 0.0
    shift = 2 * ((2400 + 400) // 2)
    scaled = q * Fraction(4) ** shift
    whole = scaled.numerator // scaled.denominator
    root = math.isqrt(whole)
    exact = root * root * scaled.denominator == scaled.numerator
    return rounded(Fraction(2 * root + (0 if exact else 1), 2) / Fraction(2) ** shift)


def cases():
    random.seed(20261130)
    tiny, big = 5e-324, 1.7976931348623157e308
    yield "subnormals", [tiny] * 40 + [2.5e-310] * 30 + [-tiny] * 7
    yield "cancellation", [1e100, 1.0, -1e100, 1e-100, 1e300, -1e300, 3.5e-320]
    yield "half way", [1.0, 2.0**-53, 1e-300] * 3
    yield "ties", [1.0, 2.0**-53, 2.0**-53, -(2.0**-106)]
    yield "large", [big, big, -big, 1e292]
    yield "remainders", [1.0 + 2.0**-52, 2.0**-43, -(2.0**-1043), 2.0**-1000]
    yield "boundary", [math.nextafter(2.0**20, 0.0)] * 70 + [2.0**20] * 70
    yield "tiny squares", [1e-200, -3e-170, 1e-160, 2.0**-537, 1.0]
    yield "large squares", [1e153, -1e150, 3e-10, 7.0]
    yield "gaussian", [random.gauss(0.0, 1.0) for _ in range(300)]
    yield "any exponent", [math.ldexp(random.uniform(-1, 1), random.randint(-1070, 1000)) for _ in range(200)]


def main():
    print("// Made by scripts/make_self_test_vectors.py; do not edit.")
    print("#pragma once\n\n#include <array>\n#include <cstdint>\n#include <span>\n#include <string_view>\n")
    print("namespace steadfold::inline v0::reduce_detail {\n")
    print("/// Bits of float64 values and of the exact results over them; variances with ddof 1.")
    print("struct self_test_vector {\n    std::string_view name;\n    std::span<std::uint64_t const> values;")
    print("    std::uint64_t sum, mean, l1, sum_of_squares, l2, variance, stddev;\n};\n")
    rows = []
    for number, (name, values) in enumerate(cases()):
        words = ", ".join(f"0x{bits(v):016x}" for v in values)
        print(f"inline constexpr std::array<std::uint64_t, {len(values)}> self_test_values_{number} = {{{words}}};\n")
        q = [Fraction(v) for v in values]
        n, s1, s2 = len(q), sum(q), sum(x * x for x in q)
        variance = (n * s2 - s1 * s1) / (n * (n - 1))
        results = [rounded(s1), rounded(s1 / n), rounded(sum(map(abs, q))), rounded(s2), rounded_root(s2),
                   rounded(variance), rounded_root(variance)]
        rows.append(f'    {{"{name}", self_test_values_{number}, ' + ", ".join(f"0x{bits(r):016x}" for r in results) + "},")
    print(f"inline constexpr std::array<self_test_vector, {len(rows)}> self_test_vectors = {{{{")
    print("\n".join(rows))
    print("}};\n\n} // namespace steadfold::inline v0::reduce_detail")


if __name__ == "__main__":
    main()
