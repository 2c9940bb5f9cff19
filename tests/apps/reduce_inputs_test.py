"""steadfold-reduce reads what NumPy and h5py write: formats, byte orders, layouts, missing values, several inputs."""

import os
import unittest

from reduce_support import Case, exact_values, float_bits, fractions_of, h5py, np, rounded, run, strict_json


class Inputs(Case):
    def same(self, got, array, *ops):
        exact = exact_values(array)
        real = "float64" if array.dtype.str[1:] == "f8" else "float32"
        for op in ops or ("sum", "min", "max", "argmin", "argmax", "count"):
            value = exact[op][0] if isinstance(exact[op], tuple) else exact[op]
            if op == "sum" and array.dtype.kind == "f":
                value = rounded(value, real)[0]
            self.assertEqual(got[op]["value"], value, op)

    def test_hdf5_of_every_type_and_byte_order(self):
        rng = np.random.default_rng(21)
        kinds = [o + k for o in "<>" for k in ("f8", "f4", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]
        with h5py.File("a.h5", "w") as file:
            for kind in kinds:
                file[kind[1:] + ("le" if kind[0] == "<" else "be")] = rng.integers(0, 100, (7, 11)).astype(kind)
        names = [f"a.h5:{kind[1:]}{'le' if kind[0] == '<' else 'be'}" for kind in kinds]
        done = run(*names, "--ops", "sum,min,max,argmin,argmax,count", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        jobs = strict_json(done.stdout)["results"]
        self.assertEqual([job["input"] for job in jobs], names)
        with h5py.File("a.h5") as file:
            for job in jobs:
                self.same(job["operations"], file[job["dataset"]["path"]][()])

    def test_layouts_and_dimensions(self):
        rng = np.random.default_rng(22)
        x = rng.standard_normal((5, 6, 7, 8, 3))
        with h5py.File("a.h5", "w") as file:
            file["contiguous"] = x
            file.create_dataset("gzip", data=x, chunks=(2, 3, 4, 5, 2), compression="gzip", shuffle=True)
            file.create_dataset("checked", data=x, chunks=(3, 3, 3, 3, 3), fletcher32=True)
            file["scalar"] = 2.5
        for name in ("contiguous", "gzip", "checked"):
            for chunk in ("1000", "777777"):
                self.same(self.results(f"a.h5:/{name}", "--ops", "all", "--chunk", chunk), x)
        self.assertEqual(self.results("a.h5:scalar", "--ops", "sum")["sum"]["value"], 2.5)

    def test_npy_in_fortran_order_has_row_major_indices(self):
        x = np.random.default_rng(23).standard_normal((9, 5, 4))
        x[7, 1, 2] = x[1, 4, 3] = 50.0  # the first in row-major order is the last in memory
        x[8, 0, 0] = x[0, 4, 1] = -50.0
        np.save("c.npy", x)
        np.save("f.npy", np.asfortranarray(x))
        np.save("big.npy", x.astype(">f4"))
        expected = {"argmax": 1 * 20 + 4 * 4 + 3, "argmin": 4 * 4 + 1}
        for name in ("c.npy", "f.npy", "big.npy"):
            got = self.results(name, "--ops", "all", "--chunk", "100")
            self.assertEqual({op: got[op]["value"] for op in expected}, expected, name)
        self.same(self.results("f.npy", "--ops", "all"), x)

    def test_raw_binary(self):
        x = np.random.default_rng(24).standard_normal(1003)
        for kind, name in (("f8", "float64"), ("f4", "f4"), (">f8", "f8"), (">i2", "i2"), ("u4", "uint32")):
            y = (x * 1000).astype(kind) if kind[-2] != "u" else abs(x * 1000).astype(kind)
            with open("x.bin", "wb") as file:
                file.write(b"header!" + y.tobytes())
            order = ["--big-endian"] if kind[0] == ">" else []
            got = self.results("x.bin", "--ops", "all", "--dtype", name, "--offset", "7", *order)
            self.same(got, y)

    def netcdf(self):
        x = np.array([1.5, -999.0, 2.5, np.nan, 4.0], "f4")
        i = np.array([10, -1, 30, -2, 50], "i2")
        with h5py.File("m.nc", "w") as file:
            file["x"], file["i"], file["plain"] = x, i, np.array([1.0, np.nan])
            file["x"].attrs["_FillValue"] = np.float32(-999)
            file["i"].attrs["_FillValue"], file["i"].attrs["missing_value"] = np.int16(-1), np.int16(-2)
            file["i"].attrs["scale_factor"], file["i"].attrs["add_offset"] = 0.1, 5.0

    def test_missing_values_are_left_out_by_default(self):
        self.netcdf()
        got = self.results("m.nc:x", "--ops", "sum,count,nan,min,argmin")
        self.assertEqual([got[op]["value"] for op in ("sum", "count", "nan", "min", "argmin")], [8.0, 3, 2, 1.5, 0])
        got = self.results("m.nc:i", "--ops", "sum,count,nan,min,argmax")
        self.assertEqual([got[op]["value"] for op in ("sum", "count", "nan", "min", "argmax")], [90, 3, 2, 10, 4])
        self.assertEqual(self.results("m.nc:plain", "--ops", "sum")["sum"]["text"], "nan")

    def test_missing_values_on_request(self):
        self.netcdf()
        got = self.results("m.nc:x", "--ops", "sum,count", "--nan", "propagate")
        self.assertEqual((got["sum"]["text"], got["count"]["value"]), ("nan", 5))
        got = self.results("m.nc:i", "--ops", "sum,min,count", "--keep-missing")
        self.assertEqual([got[op]["value"] for op in ("sum", "min", "count")], [87, -2, 5])
        got = self.results("m.nc:x", "--ops", "sum,min,argmin", "--keep-missing")
        self.assertEqual([got[op]["text"] for op in ("sum", "min", "argmin")], ["nan", "nan", "3"])
        got = self.results("m.nc:x", "--ops", "sum,min", "--keep-missing", "--nan", "ignore")
        self.assertEqual([got[op]["value"] for op in ("sum", "min")], [-991.0, -999.0])

    def test_unpack_applies_scale_and_offset(self):
        self.netcdf()
        got = self.results("m.nc:i", "--ops", "sum,count", "--unpack")
        unpacked = np.array([10, 30, 50]) * 0.1 + 5.0
        exact = rounded(sum(fractions_of(unpacked)), "float64")[0]
        self.assertEqual((got["sum"]["bits"], got["count"]["value"]), (float_bits(exact, "float64"), 3))

    def test_dot_and_missing_values(self):
        self.netcdf()
        with h5py.File("y.h5", "w") as file:
            file["x"], file["i"] = np.array([2, 3, 4, 5, 6], "f4"), np.array([1, 2, 3, 4, 5], "i2")
        for pair in (("m.nc:x", "y.h5:x"), ("y.h5:x", "m.nc:x")):
            self.assertEqual(self.results("--dot", *pair)["dot"]["value"], 37.0)
        for pair in (("m.nc:i", "y.h5:i"), ("y.h5:i", "m.nc:i")):
            self.refused(run("--dot", *pair), 1, "m.nc:/i", "--keep-missing")
        self.assertEqual(self.results("--dot", "m.nc:i", "y.h5:i", "--keep-missing")["dot"]["value"], 340)

    def test_globs_and_several_inputs(self):
        for k in (2, 10, 1):
            with h5py.File(f"step_{k}.h5", "w") as file:
                file["e"] = np.full(4, k, "f8")
        np.save("one.npy", np.ones(3))
        done = run("one.npy", "step_*.h5:/e", "--ops", "sum", "--json")
        jobs = strict_json(done.stdout)["results"]
        self.assertEqual([(job["input"], job["operations"]["sum"]["value"]) for job in jobs],
                         [("one.npy", 3), ("step_1.h5:/e", 4), ("step_10.h5:/e", 40), ("step_2.h5:/e", 8)])

    def test_names_with_special_characters(self):
        for name in ("a:b.npy", "[x]*.npy", "with space.npy", b"latin\xe4.npy"):
            with open(name, "wb") as file:
                np.save(file, np.ones(5))
            got = self.results(os.fsencode(name), "--ops", "sum")
            self.assertEqual(got["sum"]["value"], 5)

    def test_nothing_to_reduce(self):
        with h5py.File("a.h5", "w") as file:
            file["empty"], file["null"] = np.zeros((0, 3)), h5py.Empty("f8")
        np.save("x.npy", np.zeros(0, "f4"))
        for name in ("a.h5:empty", "a.h5:null", "x.npy"):
            got = self.results(name, "--ops", "all", "--self-check")
            self.assertEqual((got["sum"]["value"], got["sum"]["status"]), (0, "empty"))
            self.assertEqual((got["mean"]["value"], got["max"]["value"], got["argmax"]["value"]), (None, None, -1))
            self.assertEqual((got["count"]["value"], got["nan"]["value"]), (0, 0))


if __name__ == "__main__":
    unittest.main()
