"""A second oracle, written in another language: exact fractions of Python, rounded by integer arithmetic.

Usage: fractions_test.py <print_bits program>
"""
import math
import random
import struct
import subprocess
import sys
from fractions import Fraction

# precision, lowest and highest exponent, struct codes of the values and of the bits
FORMATS = {
    "float64": (53, -1022, 1023, "d", "Q"),
    "float32": (24, -126, 127, "f", "I"),
    "float16": (11, -14, 15, "e", "H"),
}
RESULTS = {"float64": "float64", "float32": "float32", "float16": "float32"}


def floor_log2(value):
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if value >= Fraction(2) ** exponent else exponent - 1


def encode(units, lowest, form):
    """Bits of units * 2^lowest, which fits the format or is above its range."""
    precision, least, greatest, _, _ = form
    field = lowest + precision - 1 - least
    bits = (field << (precision - 1)) + units
    infinity = (greatest - least + 2) << (precision - 1)
    return min(bits, infinity)


def rounded(value, form, root=False):
    """Nearest-even bits of a fraction >= 0, or of its square root."""
    if value == 0:
        return 0
    precision, least, _, _, _ = form
    leading = floor_log2(value) // 2 if root else floor_log2(value)
    lowest = max(leading, least) - precision + 1
    scaled = value / Fraction(2) ** (2 * lowest if root else lowest)
    units = math.isqrt(scaled.numerator // scaled.denominator) if root else scaled.numerator // scaled.denominator
    half = Fraction(2 * units + 1, 2)
    distance = scaled - (half * half if root else half)
    if distance > 0 or (distance == 0 and units % 2 == 1):
        units += 1
    return encode(units, lowest, form)


def signed(value, form):
    sign = 1 << (8 * struct.calcsize(form[4]) - 1) if value < 0 else 0
    return sign | rounded(abs(value), form)


def expected(values, form):
    n = len(values)
    exact = [Fraction(v) for v in values]
    total, squares = sum(exact), sum(v * v for v in exact)
    variance = (n * squares - total * total) / (n * n)
    return {
        "sum": signed(total, form),
        "mean": signed(total / n, form),
        "l1": rounded(sum(abs(v) for v in exact), form),
        "sumsq": rounded(squares, form),
        "l2": rounded(squares, form, root=True),
        "var": rounded(variance, form),
        "std": rounded(variance, form, root=True),
    }


def any_value(form):
    code, word = form[3], form[4]
    while True:
        value = struct.unpack("<" + code, random.randbytes(struct.calcsize(word)))[0]
        if math.isfinite(value):
            return value


def vector(form):
    n = random.choice([1, 2, 3, 5, 8, 17, 64, 150])
    kind = random.randrange(4)
    limit = 2.0 ** min(form[2], 1000)
    if kind == 0:
        values = [any_value(form) for _ in range(n)]
    elif kind == 1:
        values = [random.gauss(0, 1) for _ in range(n)]
    elif kind == 2:
        values = [math.copysign(min(random.lognormvariate(0, form[2] / 10), limit), random.random() - 0.5) for _ in range(n)]
    else:
        half = [any_value(form) for _ in range(n // 2)]
        values = half + [-v for v in half] + [2.0 ** (form[1] - 3)]
        random.shuffle(values)
    values = list(struct.unpack(f"<{len(values)}{form[3]}", struct.pack(f"<{len(values)}{form[3]}", *values)))
    return values


def main():
    random.seed(20240229)
    cases = [(name, vector(form)) for name, form in FORMATS.items() for _ in range(150)]
    lines = []
    for name, values in cases:
        lines.append(f"{name} x" + struct.pack(f"<{len(values)}{FORMATS[name][3]}", *values).hex())
    out = subprocess.run([sys.argv[1]], input="\n".join(lines), capture_output=True, text=True, check=True).stdout
    failures = 0
    for (name, values), line in zip(cases, out.splitlines(), strict=True):
        got = {op: int(bits, 16) for op, bits in (item.split("=") for item in line.split())}
        for op, bits in expected(values, FORMATS[RESULTS[name]]).items():
            if got[op] != bits:
                failures += 1
                print(f"{name} n={len(values)} {op}: got {got[op]:#x}, expected {bits:#x}: {[v.hex() for v in values][:5]}")
    for name, values in cases:  # the oracle itself, where fsum can follow
        try:
            total = math.fsum(values)
        except OverflowError:
            continue
        if signed(Fraction(total), FORMATS["float64"]) != signed(sum(map(Fraction, values)), FORMATS["float64"]):
            failures += 1
            print(f"math.fsum and fractions differ on {name} n={len(values)}")
    print(f"{len(cases)} vectors, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
