"""What steadfold-reduce prints: text, JSON, listings, help, progress, and what happens when it cannot print."""

import os
import pty
import re
import signal
import subprocess
import time
import unittest

from reduce_support import (PROGRAM, Case, children, command, h5py, needs_mpi, np, programs, run, strict_json,
                            wait_until)


class Text(Case):
    def setUp(self):
        super().setUp()
        np.save("x.npy", np.array([[1.0, 2.0, -4.0], [0.5, 0.0, 0.25]]))

    def test_columns(self):
        done = run("x.npy", "--ops", "sum,mean,argmin,max,count")
        head, *rows, timing = done.stdout.splitlines()
        self.assertEqual(head, "x.npy  float64 [2 x 3]  6 elements, exact")
        self.assertEqual([row.split() for row in rows],
                         [["sum", "-0.25", "-0x1p-2"], ["mean", "-0.041666666666666664", "-0x1.5555555555555p-5",
                                                        "inexact"],
                          ["max", "2", "0x1p+1"], ["argmin", "2", "0x2"], ["count", "6", "0x6"]])
        self.assertEqual({(row.index(row.split()[1]), row.index(row.split()[2], 30)) for row in rows}, {(10, 37)})
        self.assertRegex(timing, r"^  1 rank\(s\): read [\d.]+ s, reduce [\d.]+ s, combine [\d.]+ s; "
                                 r"48 bytes in [\d.]+ s, [\d.]+ GB/s$")
        self.assertEqual(done.stderr, "")
        for row in rows[:3]:  # both forms name the same number
            self.assertEqual(float(row.split()[1]), float.fromhex(row.split()[2]))

    def test_help_and_version(self):
        text = run("--help")
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        for word in ("Examples:", "Exit codes: 0", "130", "--record-existing", "--self-check", "mpirun -n 4"):
            self.assertIn(word, text.stdout)
        text = run("--version")
        self.assertEqual(text.returncode, 0)
        self.assertRegex(text.stdout, r"^steadfold-reduce \d+\.\d+\.\d+")

    def test_self_check_says_what_it_did(self):
        done = run("x.npy", "--ops", "all", "--self-check", "--threads", "2")
        self.assertRegex(done.stdout, r"  self-check: the same bits in \d+ other ways\n$")
        job = strict_json(run("x.npy", "--self-check", "--json").stdout)["results"][0]
        self.assertGreaterEqual(job["self_check_ways"], 6)

    def test_full_disk_and_closed_output(self):
        for arguments in (["x.npy"], ["x.npy", "--json"], ["x.npy", "--list"], ["--help"], ["--version"],
                          ["x.npy", "--self-check"]):
            with self.subTest(arguments), open("/dev/full", "w") as full:
                self.refused(run(*arguments, stdout=full), 1, "standard output", "No space left")
        done = subprocess.run(["sh", "-c", '"$0" x.npy --record run.h5 >&-', PROGRAM], stderr=subprocess.PIPE,
                              encoding="utf-8", timeout=30)
        self.refused(done, 1, "standard output")
        with h5py.File("run.h5") as record:  # nothing was printed into it
            self.assertEqual(len(record["results"]), 6)
        done = subprocess.run(["sh", "-c", '"$0" x.npy 2>&- <&-', PROGRAM], stdout=subprocess.PIPE, timeout=30)
        self.assertEqual(done.returncode, 0)

    def test_a_reader_that_leaves_does_not_spoil_the_record(self):
        ends = os.pipe()
        os.close(ends[0])
        done = run("x.npy", "--record", "run.h5", stdout=ends[1])
        os.close(ends[1])
        self.refused(done, 1, "standard output", "Broken pipe")
        self.assertTrue(os.path.exists("run.h5"))


class Json(Case):
    def test_schema(self):
        np.save("x.npy", np.ones((2, 3), "f4"))
        done = strict_json(run("x.npy", "--ops", "sum,nan", "--json", "--nan", "ignore").stdout)
        self.assertEqual(list(done), ["program", "version", "git_revision", "ranks", "record", "results", "failures"])
        self.assertEqual((done["program"], done["ranks"], done["failures"]), ("steadfold-reduce", 1, []))
        job = done["results"][0]
        self.assertEqual(list(job), ["input", "dataset", "mode", "nan", "operations", "timing"])
        self.assertEqual(job["dataset"]["extents"], [2, 3])
        self.assertEqual((job["dataset"]["dtype"], job["mode"], job["nan"]), ("float32", "exact", "ignore"))
        self.assertEqual(job["operations"]["sum"], {"value": 6.0, "text": "6", "hex": "0x1.8p+2", "bits": "0x40c00000",
                                                    "dtype": "float32", "status": "none"})
        self.assertEqual(list(job["timing"]), ["read_s", "reduce_s", "combine_s", "total_s", "bytes", "GB_per_s"])
        self.assertEqual(job["timing"]["bytes"], 24)
        self.assertTrue(all(job["timing"][key] > 0 for key in ("read_s", "reduce_s", "combine_s", "total_s")))

    def test_any_bytes_in_a_file_name(self):
        with open(b"\xff\xfe\"\n.npy", "wb") as file:
            np.save(file, np.array([np.nan, np.inf]))
        done = run(b"\xff\xfe\"\n.npy", "--ops", "all", "--json")
        self.assertEqual(strict_json(done.stdout)["results"][0]["operations"]["sum"]["value"], None)
        self.refused(run(b"\xff\xfe\"\n.npy:/x", "--json"), 1)

    def test_failures_are_listed_and_do_not_stop_the_others(self):
        np.save("x.npy", np.ones(3))
        open("bad.h5", "w").close()
        done = run("none*.npy", "x.npy", "bad.h5", "x.npy", "--ops", "sum", "--json")
        text = strict_json(done.stdout)
        self.assertEqual([job["input"] for job in text["results"]], ["x.npy", "x.npy"])
        self.assertEqual([failure.split(":")[0] for failure in text["failures"]], ["none*.npy", "bad.h5"])
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 2))
        done = run("missing.npy", "--json")  # a single one as well
        self.assertEqual(len(strict_json(done.stdout)["failures"]), 1)
        self.assertEqual(done.returncode, 1)


class Listings(Case):
    def setUp(self):
        super().setUp()
        with h5py.File("a.h5", "w") as file:
            file.create_dataset("g/x", data=np.zeros((4, 5), ">f4"), chunks=(2, 5), compression="gzip")
            file["g/x"].attrs["units"] = "Pa"
            file["g/x"].attrs["_FillValue"] = np.float32(1)
            file["text"] = np.array([b"ab"])
        np.save("x.npy", np.zeros(3))

    def test_a_file_alone_lists_its_data_sets(self):
        for arguments in (["a.h5"], ["a.h5", "--list"]):
            lines = run(*arguments).stdout.splitlines()
            self.assertEqual(len(lines), 2)
            for word in ("a.h5:/g/x", "big-endian float32 [4 x 5]", "20 elements", "deflate", "units Pa", "missing"):
                self.assertIn(word, lines[0])
            self.assertIn("cannot be reduced", lines[1])

    def test_json(self):
        done = strict_json(run("--list", "a.h5", "x.npy", "none", "--json").stdout)
        self.assertEqual([(d["file"], d["path"], d["dtype"], d["elements"]) for d in done["datasets"]],
                         [("a.h5", "/g/x", "float32", 20), ("a.h5", "/text", None, 1), ("x.npy", "", "float64", 3)])
        self.assertIn("unsupported", done["datasets"][1])
        self.assertEqual(len(done["failures"]), 1)

    def test_asking_for_a_reduction_is_no_listing(self):
        with h5py.File("one.h5", "w") as file:
            file["x"] = np.ones(4)
        self.assertIn("one.h5:/x  ", run("one.h5").stdout)
        for option in (["--self-check"], ["--record", "run.h5"], ["--ops", "sum"], ["--nan", "ignore"]):
            self.assertRegex(run("one.h5", *option).stdout, r"(?m)^  sum +4 ", option)

    def test_several_files_and_what_cannot_be_listed(self):
        h5py.File("empty.h5", "w").close()
        done = run("--list", "missing.h5", "x.npy", "empty.h5")
        self.assertEqual((done.returncode, len(done.stdout.splitlines()), len(done.stderr.splitlines())), (1, 1, 2))
        self.refused(run("empty.h5"), 1, "empty.h5", "no data set")


class Progress(Case):
    """The reader is stopped for a while, so that the work takes longer than two seconds whatever the machine."""

    def progress(self, *args, ranks=0, terminal=True):
        """What comes out on a terminal, or on a pipe."""
        with open("big.bin", "wb") as file:
            file.truncate(8 << 20)
        ours, theirs = pty.openpty() if terminal else os.pipe()
        process = subprocess.Popen(command(["big.bin", "--dtype", "u1", "--ops", "sum", "--chunk", "64", *args], ranks),
                                   stderr=theirs, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        os.close(theirs)
        wait_until(lambda: all(map(children, self.ranks(process, ranks))) and self.ranks(process, ranks))
        time.sleep(0.05)
        readers = [child for rank in self.ranks(process, ranks) for child in children(rank)]
        for reader in readers:
            os.kill(reader, signal.SIGSTOP)
        time.sleep(2.2)
        for reader in readers:
            os.kill(reader, signal.SIGCONT)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # Linux's end of file on a terminal
            pass
        os.close(ours)
        self.assertEqual(process.wait(timeout=60), 0)
        return text.decode()

    def ranks(self, process, ranks):
        return programs(process.pid) if ranks else [process.pid]

    def draws(self, text):
        return re.findall(r"\rbig\.bin \[([#.]{40})\] +(\d+) %", text)

    def test_bar_reaches_the_end(self):
        draws = self.draws(self.progress())
        self.assertGreater(len(draws), 1)
        shares = [int(percent) for _, percent in draws]
        self.assertEqual(shares, sorted(shares))
        self.assertEqual(draws[-1], ("#" * 40, "100"))

    @needs_mpi
    def test_one_bar_for_all_ranks(self):
        draws = self.draws(self.progress(ranks=2))
        self.assertEqual([percent for _, percent in draws].count("100"), 1)

    def test_quiet(self):
        self.assertEqual(self.progress("--quiet"), "")

    def test_no_bar_in_a_log_file(self):
        self.assertEqual(self.progress(terminal=False), "")


if __name__ == "__main__":
    unittest.main()
