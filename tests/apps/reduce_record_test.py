"""The run record of steadfold-reduce says what its output says, in a file that h5py and pandas read."""

import glob
import os
import re
import sys
import unittest

from reduce_support import Case, h5py, needs_mpi, np, run, strict_json

try:
    import pandas
except ImportError:
    print("skipped: this Python has no pandas")
    sys.exit(77)


def table(record, name):
    rows = pandas.DataFrame.from_records(record[name][()])
    for column in rows.columns:
        if rows[column].dtype == object:
            rows[column] = rows[column].str.decode("utf-8")
    return rows


def contents(name):
    with open(name, "rb") as file:
        return file.read()


class Record(Case):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(41)
        self.x = rng.standard_normal((103, 7))
        np.save("x.npy", self.x)
        with h5py.File("a.h5", "w") as file:
            file["i"] = rng.integers(-5, 5, 50).astype("i2")
            file["z"] = rng.standard_normal(9) + 1j

    def check_results(self, record, text):
        rows = table(record, "results")
        for job in text["results"]:
            for op, result in job["operations"].items():
                mine = rows[(rows.input == job["input"]) & (rows.operation.isin([op, op + ".real", op + ".imag"]))]
                values = result["value"] if isinstance(result["value"], list) else [result["value"]]
                self.assertEqual(list(mine.value), values)
                self.assertEqual("".join(mine.bits.str.removeprefix("0x")),
                                 re.sub(r"0x|[^0-9a-f]", "", result["bits"]))
                self.assertEqual(set(mine.status), {"ok" if result["status"] == "none" else result["status"]})

    def check_partition(self, record, elements, ranks):
        rows = table(record, "partition")
        covered = [i for first, count in zip(rows["first"], rows["count"]) for i in range(first, first + count)]
        self.assertEqual(sorted(covered), list(range(elements)))
        self.assertEqual((list(rows["rank"]), set(rows["device"])), (list(range(ranks)), {-1}))

    def check_run(self, record, ranks):
        about = record["run"].attrs
        self.assertEqual((about["status"], about["ranks"], about["schema_version"]), ("complete", ranks, 1))
        for name in ("start_time", "end_time"):
            self.assertRegex(about[name], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$")
        self.assertLessEqual(about["start_time"], about["end_time"])
        self.assertIn("--ops", about["command_line"])
        self.assertEqual(len(record["run/hosts"]), 1)
        self.assertEqual(record["topology"].attrs["ranks"], ranks)
        self.assertEqual(len(strict_json(record["topology/json"].asstr()[()])["ranks"]), ranks)

    def check_operations(self, record, ranks, jobs):
        rows = table(record, "operations")
        self.assertEqual(len(rows), ranks * jobs)
        mine = rows[rows.input == "x.npy"].sort_values("rank")
        self.assertEqual(list(mine["rank"]), list(range(ranks)))
        self.assertEqual((mine.elements.sum(), mine.bytes.sum()), (self.x.size, self.x.nbytes))
        for column in ("seconds_read", "seconds_reduce", "seconds_combine", "bandwidth"):
            self.assertTrue((mine[column] > 0).all(), column)
        self.assertEqual(set(mine["mode"]) | set(mine["dtype"]) | set(mine["device"]), {"exact", "float64", -1})
        units = {name: record["operations"].attrs[name + "_units"]
                 for name in ("seconds_read", "seconds_combine", "bandwidth", "bytes", "elements")}
        self.assertEqual(list(units.values()), ["s", "s", "GB/s", "B", "1"])

    def check(self, ranks, mpi):
        done = run("x.npy", "a.h5:i", "a.h5:z", "--ops", "sum,mean,l2,count", "--record", "run.h5", "--json", ranks=mpi)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with h5py.File("run.h5") as record:
            self.check_run(record, ranks)
            self.check_results(record, strict_json(done.stdout))
            self.check_partition(record, self.x.size, ranks)
            self.check_operations(record, ranks, 3)
        self.assertEqual(glob.glob("*.partial"), [])

    def test_one_process(self):
        self.check(1, 0)

    @needs_mpi
    def test_three_ranks(self):
        self.check(3, 3)

    def test_special_results(self):
        np.save("x.npy", np.array([np.nan, np.inf, -np.inf]))
        run("x.npy", "--ops", "sum,max,nan", "--nan", "ignore", "--record", "run.h5")
        with h5py.File("run.h5") as record:
            rows = table(record, "results").set_index("operation")
        self.assertTrue(np.isnan(rows.value["sum"]))
        self.assertEqual((rows.bits["sum"], rows.value["max"], rows.value["nan"]), ("0x7ff8000000000000", np.inf, 1))

    def test_failures_become_messages(self):
        done = run("none.npy", "x.npy", "--ops", "sum", "--record", "run.h5")
        self.assertEqual(done.returncode, 1)
        with h5py.File("run.h5") as record:
            self.assertEqual(record["run"].attrs["status"], "failed")
            messages = table(record, "messages")
            self.assertEqual((list(messages["level"]), len(record["results"])), (["error"], 1))
            self.assertIn("none.npy", messages["text"][0])

    def test_a_record_that_cannot_be_written(self):
        os.mkdir("folder.h5")
        for name in ("no/such/folder/run.h5", "folder.h5", "/proc/run.h5"):
            with self.subTest(name):
                options = ["x.npy", "--ops", "sum", "--record", name, "--record-existing", "refuse"]
                done = run(*options)
                self.assertIn("  sum ", done.stdout)
                self.refused(done, 0, "warning", name.split("/")[0])
                done = run(*options, "--record-required")
                self.assertIn("  sum ", done.stdout)
                self.refused(done, 1, "error")

    def test_existing_records(self):
        for expected in ("run.h5", "run-1.h5", "run-2.h5"):
            done = run("x.npy", "--ops", "sum", "--record", "run.h5", "--json")
            self.assertTrue(os.path.exists(expected))
            self.assertEqual(strict_json(done.stdout)["record"], expected)
            self.assertEqual(expected in done.stderr, expected != "run.h5")  # another name is said
        before = contents("run.h5")
        done = run("x.npy", "--ops", "sum", "--record", "run.h5", "--record-existing", "refuse")
        self.refused(done, 0, "warning", "run.h5", "exists")
        self.assertEqual(contents("run.h5"), before)
        done = run("x.npy", "--ops", "sum,count", "--record", "run.h5", "--record-existing", "overwrite")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with h5py.File("run.h5") as record:
            self.assertEqual(len(record["results"]), 2)

    def test_a_record_never_replaces_an_input(self):
        before = contents("a.h5")
        options = ["a.h5:i", "x.npy", "--ops", "sum", "--record", "./a.h5", "--record-existing", "overwrite"]
        self.refused(run(*options), 1, "would replace the input")
        self.assertEqual(contents("a.h5"), before)


if __name__ == "__main__":
    unittest.main()
