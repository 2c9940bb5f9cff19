"""The same bits from steadfold-reduce for any number of ranks, threads and chunks; one line when a rank fails."""

import itertools
import os
import unittest

from reduce_support import (PROGRAM, Case, exact_values, float_bits, h5py, needs_mpi, np, rounded, run, said,
                            strict_json, wide)


@needs_mpi
class Ranks(Case):
    def test_same_bits_however_it_is_run(self):
        rng = np.random.default_rng(31)
        x, y = wide(rng, 40013, "f8"), wide(rng, 40013, "f4")
        x[[17, 30000]] = 2.0**499 * 1.5, -(2.0**499) * 1.25  # cancellation across ranks
        with h5py.File("a.h5", "w") as file:
            file.create_dataset("x", data=x, chunks=(999,), compression="gzip")
            file["z"] = y + 1j * y[::-1]
        np.save("y.npy", np.asfortranarray(y.reshape(-1, 83)[:, ::-1]) if y.size % 83 == 0 else y)
        inputs = ["a.h5:x", "y.npy", "--dot", "y.npy", "y.npy", "--ops", "all", "--json"]
        expected = self.all_bits(run(*inputs))
        exact = exact_values(x)
        for op in ("sum", "mean", "l2", "var"):
            self.assertEqual(expected["a.h5:x"][op],
                             (float_bits(rounded(exact[op][0], "float64", exact[op][1])[0], "float64"), "inexact"))
        threads, chunks = itertools.cycle((1, 2, 3)), itertools.cycle(("16", "1000", "12345", "65537", "100K"))
        for ranks in (1, 2, 3, 4, 8, 3, 2):
            how = ["--threads", str(next(threads)), "--chunk", next(chunks) if ranks > 1 else "4099"]
            with self.subTest(ranks=ranks, how=how):
                self.assertEqual(self.all_bits(run(*inputs, *how, ranks=ranks)), expected)

    def all_bits(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        text = strict_json(done.stdout)
        return {job["input"]: {op: (r["bits"], r["status"]) for op, r in job["operations"].items()}
                for job in text["results"]}

    def test_the_launcher_of_another_mpi(self):
        np.save("x.npy", np.arange(10.0))
        done = run("x.npy", "--ops", "sum", env=os.environ | {"PMI_RANK": "1", "PMI_SIZE": "4"})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "started 4 processes.*alone.*mpirun")
        one = run("x.npy", "--ops", "sum", env=os.environ | {"PMI_RANK": "0", "PMI_SIZE": "1"})
        self.assertEqual(one.returncode, 0, one.stderr)

    def test_self_check_under_mpirun(self):
        with h5py.File("a.h5", "w") as file:
            file["x"] = wide(np.random.default_rng(32), 9973, "f4")
        done = run("a.h5:x", "--ops", "all", "--self-check", "--chunk", "4001", ranks=3)
        self.assertRegex(done.stdout, r"the same bits in \d+ other ways\n$")
        self.assertEqual((done.returncode, said(done)), (0, []))

    def test_ranks_without_elements(self):
        for count in (0, 1, 3):
            np.save("x.npy", np.arange(1, count + 1, dtype="f8"))
            expected = self.bits("x.npy", "--ops", "all")
            self.assertEqual(self.bits("x.npy", "--ops", "all", "--self-check", ranks=5), expected, count)

    def test_listing_and_version_come_from_one_rank(self):
        with h5py.File("a.h5", "w") as file:
            file["x"] = np.ones(3)
        self.assertEqual(len(run("a.h5", ranks=3).stdout.splitlines()), 1)
        self.assertEqual(run("--version", ranks=2).stdout, run("--version").stdout)

    def test_one_line_from_rank_0(self):
        np.save("x.npy", np.ones(3))
        for arguments, code, words in ((["--list", "missing.h5"], 1, ["missing.h5"]),
                                       (["--mode", "quick", "x.npy"], 2, ["--mode", "exact"]),
                                       (["x.npy", "--combine", "nccl"], 1, ["--combine nccl", "--combine mpi"])):
            self.refused(run(*arguments, ranks=3), code, *words)

    def test_ranks_that_were_asked_for_different_things(self):
        np.save("x.npy", np.ones(3))
        other = [":", "-n", "1", PROGRAM, "x.npy", "--ops", "max"]
        self.refused(run("x.npy", "--ops", "sum", "--deadline", "20", *other, ranks=1), 1, "disagree")

    def test_damage_in_one_ranks_part(self):
        x = np.random.default_rng(33).standard_normal(4000)
        with h5py.File("a.h5", "w") as file:
            data = file.create_dataset("x", data=x, chunks=(500,), fletcher32=True)
            file["good"] = x
            place = data.id.get_chunk_info(7).byte_offset + 100
        with open("a.h5", "r+b") as file:
            file.seek(place)
            file.write(b"\x55\xaa\x55\xaa")
        done = run("a.h5:x", "a.h5:good", "--ops", "sum", "--record", "run.h5", "--json", ranks=2)
        self.refused(done, 1, "rank 1", "a.h5", "/x", "corrupt")
        text = strict_json(done.stdout)
        self.assertEqual([job["input"] for job in text["results"]], ["a.h5:good"])
        self.assertEqual(len(text["failures"]), 1)
        with h5py.File("run.h5") as record:
            self.assertEqual(record["run"].attrs["status"], "failed")
            self.assertIn(b"corrupt", record["messages"]["text"][0])


if __name__ == "__main__":
    unittest.main()
