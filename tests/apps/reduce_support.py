"""What the tests of the program steadfold-reduce share: running it, and an oracle of exact fractions."""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from fractions import Fraction

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: this Python has no h5py or numpy")
    sys.exit(77)

PROGRAM = os.environ["STEADFOLD_REDUCE"]
MPIEXEC = os.environ.get("STEADFOLD_MPIEXEC", "")
OPERATIONS = "sum mean sumsq l1 l2 linf var std min max argmin argmax count nan inf zero".split()
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")
needs_mpi = unittest.skipUnless(MPIEXEC, "built without MPI")


def command(args, ranks):
    head = [MPIEXEC, "-n", str(ranks)] if ranks else []
    return head + [PROGRAM] + [os.fsencode(a) for a in args]


def run(*args, ranks=0, timeout=60, **options):
    """Runs the program (under mpirun if ranks > 0): .returncode, .stdout, .stderr; never hangs."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | options
    return subprocess.run(command(args, ranks), timeout=timeout, encoding="utf-8", errors="surrogateescape", **options)


def start(*args, ranks=0, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | options
    return subprocess.Popen(command(args, ranks), encoding="utf-8", errors="surrogateescape", **options)


def strict_json(text):
    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def said(done):
    """The lines of the program on stderr, without mpirun's."""
    return [line for line in done.stderr.splitlines() if line.startswith("steadfold-reduce:")]


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as listing:
            return [int(word) for word in listing.read().split()]
    except OSError:
        return []


def descendants(pid):
    return [p for child in children(pid) for p in [child] + descendants(child)]


def programs(pid):
    """The ranks below mpirun."""
    return [p for p in children(pid) if os.path.realpath(f"/proc/{p}/exe") == os.path.realpath(PROGRAM)]


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.01)


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat") as text:
            return text.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


class Case(unittest.TestCase):
    """Every test has a folder of its own, which is also where the program runs."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="steadfold-reduce-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def results(self, *args, **options):
        """The only job's operations, from --json."""
        done = run(*args, "--json", **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        jobs = strict_json(done.stdout)["results"]
        self.assertEqual(len(jobs), 1)
        return jobs[0]["operations"]

    def bits(self, *args, **options):
        return {op: (r["bits"], r["status"]) for op, r in self.results(*args, **options).items()}

    def refused(self, done, code, *words):
        """One line that holds the words, from rank 0 alone, nothing on stdout."""
        self.assertEqual(done.returncode, code, done.stderr)
        lines = said(done)
        self.assertEqual(len(lines), 1, done.stderr)
        for word in words:
            self.assertIn(word, lines[0])


# --- the oracle: exact fractions, rounded once -----------------------------------------------------------------------

FORMATS = {"float64": (53, -1022, 1023), "float32": (24, -126, 127), "float16": (11, -14, 15),
           "bfloat16": (8, -126, 127)}


def exponent_of(q):
    e = q.numerator.bit_length() - q.denominator.bit_length()
    return e if q >= Fraction(2) ** e else e - 1


def rounded(q, kind, root=False):
    """q, or its square root, to the nearest number of the format, ties to even, as (Fraction or infinity, inexact)."""
    if q == 0:
        return Fraction(0), False
    if q < 0:
        value, inexact = rounded(-q, kind)
        return -value, inexact
    precision, least, most = FORMATS[kind]
    e = exponent_of(q)
    ulp = Fraction(2) ** (max(e // 2 if root else e, least) - precision + 1)
    scaled = q / (ulp * ulp if root else ulp)
    if root:
        n = math.isqrt(scaled.numerator // scaled.denominator)
        half = (Fraction(2 * n + 1) / 2) ** 2
        exact = n * n == scaled
        n += scaled > half or (scaled == half and n % 2 == 1)
    else:
        n = round(scaled)
        exact = n == scaled
    value = n * ulp
    return (math.inf, True) if value >= Fraction(2) ** (most + 1) else (value, not exact)


def float_bits(value, kind):
    number = np.float64(float(value))  # exact: the value is one of the format's numbers
    if kind == "float64":
        return f"0x{int(number.view(np.uint64)):016x}"
    if kind == "float32":
        return f"0x{int(np.float32(number).view(np.uint32)):08x}"
    if kind == "float16":
        return f"0x{int(np.float16(number).view(np.uint16)):04x}"
    return f"0x{int(np.float32(number).view(np.uint32)) >> 16:04x}"


def fractions_of(array):
    return [Fraction(int(x)) if array.dtype.kind in "iu" else Fraction(float(x)) for x in array.ravel(order="C")]


def exact_values(array, ddof=0):
    """Operation -> (exact value, is it the square root of that?); extrema and indices by numpy."""
    x = fractions_of(array)
    n, s1, s2 = len(x), sum(x), sum(q * q for q in x)
    flat = array.ravel(order="C")
    var = (n * s2 - s1 * s1) / (n * (n - ddof))
    least, most = int(np.argmin(flat)), int(np.argmax(flat))
    return {"sum": (s1, False), "mean": (s1 / n, False), "sumsq": (s2, False), "l1": (sum(map(abs, x)), False),
            "l2": (s2, True), "linf": (max(map(abs, x)), False), "var": (var, False), "std": (var, True),
            "min": (x[least], False), "max": (x[most], False), "argmin": least, "argmax": most, "count": n, "nan": 0,
            "inf": 0, "zero": x.count(0)}


def wide(rng, count, kind):
    """Numbers with full significands and exponents over most of the format's range, subnormals too, any sign."""
    low, high = {"f8": (-1080, 500), "f4": (-150, 60), "f2": (-26, 15)}[kind]
    values = np.ldexp(rng.uniform(0.5, 1, count), rng.integers(low, high, count)) * rng.choice([-1, 1], count)
    values[:: max(count // 7, 1)] = 0
    return values.astype(kind)
