"""steadfold-reduce computes what exact fractions say: operations, types, modes, NaN policies, result types, dot."""

import math
import unittest
from fractions import Fraction

from reduce_support import OPERATIONS, Case, exact_values, float_bits, fractions_of, h5py, np, rounded, wide

SUMS = ("sum", "min", "max")
INDICES = ("argmin", "argmax", "count", "nan", "inf", "zero")


def integer_bits(value, dtype):
    limits = np.iinfo(dtype)
    value = min(max(value, limits.min), limits.max)
    return f"0x{value % 2 ** (8 * np.dtype(dtype).itemsize):0{2 * np.dtype(dtype).itemsize}x}"


def expected_bits(op, exact, kind):
    """Bits of a result of element type `kind` in its default result type."""
    if op in INDICES:
        return integer_bits(exact, "i8")
    value, root = exact
    if kind in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"):
        if op in SUMS:
            return integer_bits(int(value), "u8" if kind[0] == "u" else "i8")
        if op in ("l1", "linf", "sumsq"):
            return integer_bits(int(value), "u8")
        return float_bits(rounded(value, "float64", root)[0], "float64")
    real = "float64" if kind == "f8" else "float32"
    return float_bits(rounded(value, real, root)[0], real)


class Values(Case):
    def compare(self, array, *args, ddof=0, kind=None):
        got, exact = self.results("x.npy", "--ops", "all", *args), exact_values(array, ddof)
        self.assertEqual(list(got), OPERATIONS)
        for op in OPERATIONS:
            self.assertEqual(got[op]["bits"], expected_bits(op, exact[op], kind or array.dtype.str[1:]), op)
        return got, exact

    def test_every_operation_of_floating_point_types(self):
        rng = np.random.default_rng(11)
        for kind in ("f8", "f4", "f2"):
            with self.subTest(kind):
                x = wide(rng, 1201, kind)
                np.save("x.npy", x)
                got, exact = self.compare(x)
                real = "float64" if kind == "f8" else "float32"
                for op in ("sum", "mean", "l1", "l2", "var"):
                    inexact = rounded(*[exact[op][0], real, exact[op][1]])[1]
                    self.assertIn("inexact" if inexact else "none", got[op]["status"], op)

    def test_every_operation_of_integers(self):
        rng = np.random.default_rng(12)
        for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
            with self.subTest(kind):
                limits = np.iinfo(kind)
                x = rng.integers(max(limits.min, -(2**26)), min(limits.max, 2**26), 700, dtype=kind, endpoint=True)
                np.save("x.npy", x)
                self.compare(x)

    def test_sums_of_integers_saturate_and_say_so(self):
        np.save("x.npy", np.array([2**63 - 1, 2**63 - 1, -5], "i8"))
        got = self.results("x.npy", "--ops", "sum,mean")
        self.assertEqual((got["sum"]["value"], got["sum"]["bits"]), (2**63 - 1, "0x7fffffffffffffff"))
        self.assertIn("overflow", got["sum"]["status"])
        self.assertEqual(got["mean"]["value"], float(Fraction(2**64 - 7, 3)))

    def test_ddof(self):
        x = wide(np.random.default_rng(13), 300, "f8")
        np.save("x.npy", x)
        self.compare(x, "--ddof", "1", ddof=1)
        self.compare(x, "--ddof", "0")

    def test_result_types_are_rounded_once(self):
        x = wide(np.random.default_rng(14), 400, "f4")
        np.save("x.npy", x)
        exact = exact_values(x)
        for kind in ("float64", "float32", "float16", "bfloat16"):
            got = self.results("x.npy", "--ops", "sum,mean,l2,std,max", "--result-type", kind)
            for op, result in got.items():
                self.assertEqual(result["dtype"], kind)
                self.assertEqual(result["bits"], float_bits(rounded(exact[op][0], kind, exact[op][1])[0], kind), op)
        np.save("x.npy", np.array([0.5, 2.0, 1e300, -1e300]))
        got = self.results("x.npy", "--ops", "sum", "--result-type", "int32")
        self.assertEqual((got["sum"]["value"], got["sum"]["status"]), (2, "inexact"))  # 2.5, ties to even
        np.save("x.npy", np.array([3, -4], "i8"))
        got = self.results("x.npy", "--ops", "sum,l2", "--result-type", "float64")
        self.assertEqual((got["sum"]["value"], got["l2"]["value"]), (-1.0, 5.0))

    def test_nan_policies(self):
        x = wide(np.random.default_rng(15), 500, "f8")
        x[[7, 100]] = np.nan
        np.save("x.npy", x)
        got = self.results("x.npy", "--ops", "all")
        for op in ("sum", "mean", "sumsq", "l1", "l2", "linf", "var", "std", "min", "max"):
            self.assertEqual((got[op]["bits"], got[op]["value"]), ("0x7ff8000000000000", None), op)
            self.assertEqual(got[op]["text"], "nan")
        self.assertEqual([got[op]["value"] for op in ("argmin", "argmax", "count", "nan")], [7, 7, 500, 2])
        kept = x[~np.isnan(x)]
        got, exact = self.results("x.npy", "--ops", "all", "--nan", "ignore"), exact_values(kept)
        for op in OPERATIONS:
            if op not in ("argmin", "argmax", "nan"):
                self.assertEqual(got[op]["bits"], expected_bits(op, exact[op], "f8"), op)
        places = [got[op]["value"] for op in ("argmin", "argmax", "nan")]
        self.assertEqual(places, [np.nanargmin(x), np.nanargmax(x), 2])

    def test_infinities(self):
        np.save("x.npy", np.array([1.0, np.inf, 2.0, np.inf]))
        got = self.results("x.npy", "--ops", "all")
        self.assertEqual((got["sum"]["text"], got["argmax"]["value"], got["inf"]["value"]), ("inf", 1, 2))
        np.save("x.npy", np.array([np.inf, -np.inf]))
        got = self.results("x.npy", "--ops", "sum,min,max")
        self.assertEqual((got["sum"]["text"], got["sum"]["value"]), ("nan", None))
        self.assertIn("invalid", got["sum"]["status"])
        self.assertEqual((got["min"]["text"], got["max"]["text"]), ("-inf", "inf"))

    def test_fast_mode_is_close_and_its_extrema_are_exact(self):
        x = np.random.default_rng(16).standard_normal(5000)
        np.save("x.npy", x)
        got = self.results("x.npy", "--ops", "sum,mean,l1,l2,min,max,argmin,var", "--mode", "fast")
        self.assertAlmostEqual(got["sum"]["value"], math.fsum(x), delta=1e-11)
        self.assertAlmostEqual(got["l1"]["value"] / math.fsum(abs(x)), 1, delta=1e-14)
        self.assertAlmostEqual(got["l2"]["value"] / math.sqrt(math.fsum(x * x)), 1, delta=1e-13)
        self.assertEqual((got["min"]["value"], got["max"]["value"]), (x.min(), x.max()))
        self.assertEqual(got["argmin"]["value"], np.argmin(x))
        self.assertAlmostEqual(got["var"]["value"], x.var(), delta=1e-12)

    def test_complex_data(self):
        rng = np.random.default_rng(17)
        z = wide(rng, 300, "f8") + 1j * wide(rng, 300, "f8")
        np.save("x.npy", z)
        got = self.results("x.npy", "--ops", "sum,mean,l1,l2,sumsq,count")
        re, im = fractions_of(z.real), fractions_of(z.imag)
        self.assertEqual(got["sum"]["value"], [float(sum(re)), float(sum(im))])
        self.assertEqual(got["l1"]["value"], float(sum(map(abs, re + im))))
        squares = sum(q * q for q in re + im)
        self.assertEqual(got["l2"]["value"], float(rounded(squares, "float64", True)[0]))

    def test_dot(self):
        rng = np.random.default_rng(18)
        for kind in ("f8", "f4", "f2", "i4", "u8"):
            with self.subTest(kind):
                if kind[0] == "f":
                    x, y = wide(rng, 600, kind), wide(rng, 600, kind)
                else:
                    x, y = (rng.integers(0, 1000, (20, 30)).astype(kind) for _ in "xy")
                np.save("x.npy", x)
                with h5py.File("y.h5", "w") as file:
                    file["g/y"] = y.astype(np.dtype(kind).newbyteorder(">"))
                got = self.results("--dot", "x.npy", "y.h5:g/y")
                exact = sum(a * b for a, b in zip(fractions_of(x), fractions_of(y)))
                self.assertEqual(got["dot"]["bits"], expected_bits("sum", (exact, False), kind))
        np.save("x.npy", np.array([1.0, np.nan, 3.0, 4.0]))
        np.save("y.npy", np.array([1.0, 2.0, np.nan, 0.5]))
        self.assertEqual(self.results("--dot", "x.npy", "y.npy")["dot"]["text"], "nan")
        self.assertEqual(self.results("--dot", "x.npy", "y.npy", "--nan", "ignore")["dot"]["value"], 3.0)


if __name__ == "__main__":
    unittest.main()
