"""Signals, dead and hanging processes, little memory: steadfold-reduce ends in good order and in time."""

import glob
import os
import signal
import subprocess
import time
import unittest
import zlib

from reduce_support import (Case, children, descendants, gone, h5py, needs_mpi, np, programs, said, start, strict_json,
                            wait_until)

SLOW = ["--dtype", "u1", "--ops", "sum", "--chunk", "32"]  # some 10^5 chunks a second


class Trouble(Case):
    def setUp(self):
        super().setUp()
        with open("big.bin", "wb") as file:
            file.truncate(200 << 20)

    def begin(self, *args, ranks=0):
        """A job that takes a minute, in the middle of its reading, and its ranks."""
        process = start("big.bin", *SLOW, "--record", "run.h5", "--json", *args, ranks=ranks)
        self.addCleanup(self.clear, process)

        def ours():
            return programs(process.pid) if ranks else [process.pid]

        wait_until(lambda: os.path.exists("run.h5.partial") and len(ours()) == max(ranks, 1) and
                   all(map(children, ours())))
        time.sleep(0.3)
        return process, ours()

    def clear(self, process):
        for pid in descendants(process.pid) + [process.pid]:
            if not gone(pid):
                os.kill(pid, signal.SIGKILL)
        if process.returncode is None:
            process.communicate()

    def end(self, process, seconds):
        """Waits for the end; nothing may outlive the job."""
        family = descendants(process.pid)
        began = time.monotonic()
        output, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - began, seconds)
        wait_until(lambda: all(map(gone, family)), 5)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def status(self, name):
        with h5py.File(name) as record:
            return record["run"].attrs["status"], [str(text, "utf-8") for text in record["messages"]["text"]]

    def test_signals_end_the_run_in_good_order(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            with self.subTest(number):
                process, _ = self.begin("--record-existing", "overwrite")
                for pid in children(process.pid):  # terminals and Slurm tell the whole family
                    os.kill(pid, number)
                process.send_signal(number)
                done = self.end(process, 5)
                self.refused(done, 130, f"interrupted by signal {int(number)}")
                self.assertEqual(len(strict_json(done.stdout)["failures"]), 1)
                status, messages = self.status("run.h5")
                self.assertEqual((status, len(messages)), ("interrupted", 1))

    @needs_mpi
    def test_a_signal_to_mpirun_interrupts_every_rank(self):
        process, _ = self.begin(ranks=2)
        process.send_signal(signal.SIGUSR1)
        done = self.end(process, 10)
        self.refused(done, 130, "interrupted by signal")
        self.assertEqual(self.status("run.h5")[0], "interrupted")

    def test_a_stopped_reader_is_given_up_at_the_deadline(self):
        process, _ = self.begin("--deadline", "2")
        os.kill(children(process.pid)[0], signal.SIGSTOP)
        done = self.end(process, 8)
        self.refused(done, 1, "big.bin", "reader process", "--deadline")
        self.assertEqual(self.status("run.h5")[0], "failed")

    def test_a_killed_reader_is_an_error(self):
        process, _ = self.begin()
        os.kill(children(process.pid)[0], signal.SIGKILL)
        self.refused(self.end(process, 5), 1, "big.bin", "reader process was killed")

    @needs_mpi
    def test_a_killed_rank_ends_the_job(self):
        process, ranks = self.begin("--deadline", "5", ranks=2)
        os.kill(ranks[1], signal.SIGKILL)
        done = self.end(process, 15)
        self.assertNotEqual(done.returncode, 0)
        records = glob.glob("run.h5*")
        self.assertEqual(len(records), 1)
        self.status(records[0])  # it opens

    @needs_mpi
    def test_a_stopped_rank_is_given_up_at_the_deadline(self):
        with open("big.bin", "wb") as file:
            file.truncate(4 << 20)  # so that the other rank is done before the deadline
        process, ranks = self.begin("--deadline", "4", ranks=2)
        os.kill(ranks[1], signal.SIGSTOP)
        done = self.end(process, 20)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(said(done)), 1, done.stderr)
        self.assertRegex(said(done)[0], "rank 0: .*rank.* 1")
        self.assertEqual(self.status("run.h5")[0], "failed")

    def test_self_check_fails_loudly_when_a_bit_differs(self):
        with open("big.bin", "wb") as file:
            file.truncate(3 << 20)
        process = start("big.bin", *SLOW, "--self-check")
        self.addCleanup(self.clear, process)
        while not process.stdout.readline().startswith("  1 rank(s)"):
            self.assertIsNone(process.poll())
        with open("big.bin", "r+b") as file:  # the only way in from outside: other data in the second reading
            file.seek(-1, os.SEEK_END)
            file.write(b"\x01")
        self.refused(self.end(process, 60), 1, "self-check failed for big.bin", "sum is 0x0000000000000001, not 0x0000")

    def test_memory_stays_within_its_limit(self):
        with open("raw.bin", "wb") as file:
            file.truncate(600 << 20)
        self.packed("c.h5", (600 << 17,), (1 << 17,))
        self.packed("wide.h5", (96, 12 * 10000), (96, 10000))  # one row of chunks of 7.7 MB, more than the limit
        for arguments in (["raw.bin", "--dtype", "f8"], ["c.h5:x"], ["wide.h5:x"]):
            with self.subTest(arguments):
                process = start(*arguments, "--ops", "all", "--memory", "64M", "--threads", "2")
                peak = 0
                while process.poll() is None:
                    peak = max(peak, sum(map(proportional_bytes, [process.pid] + children(process.pid))))
                    time.sleep(0.003)
                _, errors = process.communicate()
                self.assertEqual(process.returncode, 0, errors)
                self.assertLess(peak, (64 + 24) << 20)  # the program itself takes a few MiB
                self.assertGreater(peak, 4 << 20)

    def packed(self, name, shape, chunk):
        """A large array of ones, compressed once."""
        with h5py.File(name, "w") as file:
            data = file.create_dataset("x", shape, "f8", chunks=chunk, compression="gzip")
            ones = zlib.compress(np.ones(chunk).tobytes(), 1)
            for k in range(data.size // int(np.prod(chunk))):
                data.id.write_direct_chunk(tuple([0] * (len(shape) - 1) + [k * chunk[-1]]), ones)


def proportional_bytes(pid):
    """Memory of a process; what it shares with others is divided among them."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as text:
            return next(int(line.split()[1]) << 10 for line in text if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


if __name__ == "__main__":
    unittest.main()
