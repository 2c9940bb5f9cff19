"""Bad input to steadfold-reduce: one line that names the thing and the fix, the documented exit code, no hang."""

import os
import pwd
import shutil
import subprocess
import tempfile
import unittest

from reduce_support import PROGRAM, Case, h5py, np, run


class Files(Case):
    def setUp(self):
        super().setUp()
        with h5py.File("a.h5", "w") as file:
            file["x"], file["y"], file["i"] = np.arange(1000.0), np.arange(999.0), np.arange(1000, dtype="i4")
            file["table"] = np.zeros(3, [("a", "f8"), ("b", "i4")])
            file["text"], file["words"] = np.array([b"ab"]), ["variable", "length"]
            file["group/z"] = np.zeros(3, "c16")
            file.create_dataset("lzf", data=np.zeros(100), compression="lzf")
            file["dangling"] = h5py.SoftLink("/nowhere")
            file["outside"] = h5py.ExternalLink("missing.h5", "/x")
        np.save("x.npy", np.arange(10.0))

    def test_what_cannot_be_reduced(self):
        open("empty.h5", "w").close()
        os.mkdir("folder")
        os.mkfifo("fifo")
        with open("notes.txt", "w") as file:
            file.write("1.0 2.0\n")
        for name, *words in (("missing.h5:/x", "missing.h5", "no file matches"), ("none_*.h5", "no file matches"),
                             ("a.h5:/pressure", "no data set /pressure", "/x"), ("a.h5:/group", "group/z"),
                             ("a.h5", "choose one", "/x"), ("a.h5:table", "/table", "compound"),
                             ("a.h5:text", "/text", "string"), ("a.h5:words", "/words", "string"),
                             ("a.h5:lzf", "lzf", "h5repack"), ("a.h5:dangling", "dangling"),
                             ("a.h5:outside", "outside"), ("empty.h5", "is empty"), ("folder", "directory"),
                             ("fifo", "not a regular file"), ("/dev/zero", "not a regular file"),
                             ("notes.txt", "text file"), ("x.npy:/x", "x.npy"), (":x", "no file"), ("", "empty")):
            with self.subTest(name):
                self.refused(run(name, "--ops", "sum", timeout=20), 1, *words)

    def test_operations_a_type_does_not_have(self):
        self.refused(run("a.h5:group/z", "--ops", "max"), 1, "a.h5:group/z", "complex", "max")

    def test_damaged_hdf5(self):
        with open("a.h5", "rb") as file:
            whole = bytearray(file.read())
        damaged = {"cut": whole[: len(whole) // 2], "short": whole[:100], "signature": whole[:8] + b"\xff" * 2000}
        rng = np.random.default_rng(51)
        for k in range(6):
            copy = bytearray(whole)
            for place in rng.integers(8, 3000, 60):
                copy[place] = int(rng.integers(0, 256))
            damaged[f"random{k}"] = copy
        for name, content in damaged.items():
            with self.subTest(name):
                with open("d.h5", "wb") as file:
                    file.write(content)
                done = run("d.h5:/x", "--ops", "sum", "--deadline", "10", timeout=30)
                if name.startswith("random") and done.returncode == 0:
                    continue  # the damage was elsewhere
                self.refused(done, 1, "d.h5")

    def test_damaged_npy(self):
        with open("x.npy", "rb") as file:
            whole = file.read()
        for name, content in (("cut", whole[:-1]), ("head", whole[:20]), ("type", whole.replace(b"<f8", b"|O8")),
                              ("shape", whole.replace(b"(10,)", b"(-1,)")), ("magic", whole[:6])):
            with self.subTest(name), open("d.npy", "wb") as file:
                file.write(content)
                file.flush()
                self.refused(run("d.npy", "--ops", "sum"), 1, "d.npy")

    def test_raw_files(self):
        with open("r.bin", "wb") as file:
            file.write(bytes([200] * 13))
        self.refused(run("r.bin", "--ops", "sum"), 1, "r.bin", "--dtype")
        self.refused(run("r.bin", "--dtype", "f4"), 1, "r.bin", "13 bytes", "float32")
        self.refused(run("r.bin", "--dtype", "u1", "--offset", "14"), 1, "r.bin", "offset")
        self.refused(run("r.bin", "--dtype", "decimal"), 2, "decimal", "float64")

    def test_a_type_the_file_does_not_have(self):
        self.refused(run("x.npy", "--dtype", "f4"), 1, "x.npy", "float32", "float64", "--dtype")
        self.refused(run("a.h5:i", "--dtype", "f8", "--ops", "sum"), 1, "a.h5:/i", "float64", "int32")
        self.assertEqual(run("x.npy", "--dtype", "f8", "--ops", "sum").returncode, 0)

    def test_dot_of_arrays_that_do_not_fit(self):
        self.refused(run("--dot", "a.h5:x", "a.h5:y"), 1, "a.h5:/x 1000", "a.h5:/y 999")
        self.refused(run("--dot", "a.h5:x", "a.h5:i"), 1, "a.h5:/x float64", "a.h5:/i int32")
        self.refused(run("--dot", "a.h5:x", "missing.npy"), 1, "missing.npy")
        self.refused(run("--dot", "a.h5:x", "a.h5:text"), 1, "/text", "string")

    @unittest.skipUnless(os.getuid() == 0, "only root can become somebody else")
    def test_no_permission(self):
        os.chmod(self.folder, 0o755)
        os.chmod("x.npy", 0o000)
        nobody = pwd.getpwnam("nobody").pw_uid
        with tempfile.TemporaryDirectory() as folder:  # the build may be where others cannot look
            os.chmod(folder, 0o755)
            program = shutil.copy(PROGRAM, folder)
            done = subprocess.run([program, "x.npy"], user=nobody, group=nobody, timeout=20, encoding="utf-8",
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.refused(done, 1, "x.npy", "permission")
            done = subprocess.run([program, "a.h5:x", "--record", "run.h5"], user=nobody, group=nobody, timeout=20,
                                  encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.refused(done, 0, "warning", "run.h5")
            self.assertIn("  sum ", done.stdout)


class Usage(Case):
    def test_mistakes(self):
        np.save("x.npy", np.arange(10.0))
        for arguments, *words in (
            ([], "no input", "--help"), (["--list"], "no input"), (["x.npy", "--sum"], "--sum", "--help"),
            (["x.npy", "--ops", "produkt"], "produkt", "sum"), (["x.npy", "--ops", ""], "no operation"),
            (["x.npy", "--ops", "dot"], "--dot"), (["x.npy", "--mode", "quick"], "--mode", "exact"),
            (["x.npy", "--nan", "drop"], "--nan", "ignore"), (["x.npy", "--ddof", "2"], "--ddof", "0 to 1"),
            (["x.npy", "--result-type", "int3"], "int3", "int32"), (["x.npy", "--device", "tpu"], "--device", "host"),
            (["x.npy", "--memory", "5Q"], "--memory", "5Q"), (["x.npy", "--memory", "-1"], "--memory"),
            (["x.npy", "--memory", "99999999999999T"], "--memory"), (["x.npy", "--memory", "1K"], "at least 1M"),
            (["x.npy", "--chunk", "0"], "--chunk"), (["x.npy", "--chunk", "7"], "--chunk", "16"),
            (["x.npy", "--chunk", "3G"], "--chunk", "--memory"), (["x.npy", "--threads", "0"], "--threads"),
            (["x.npy", "--threads", "100000000"], "--threads", "1024"), (["x.npy", "--gpus", "0"], "--gpus"),
            (["x.npy", "--gpus", "1", "--device", "host"], "--gpus", "--device"),
            (["x.npy", "--deadline", "0"], "--deadline"), (["x.npy", "--deadline", "nan"], "--deadline"),
            (["x.npy", "--deadline", "1e300"], "--deadline"), (["x.npy", "--deadline", "5s"], "--deadline"),
            (["x.npy", "--offset", "-1"], "--offset"), (["x.npy", "--combine", "tcp"], "--combine", "mpi"),
            (["--dot", "x.npy"], "--dot"), (["--dot", "x.npy", "x.npy", "--list"], "--list", "--dot"),
            (["x.npy", "--record"], "--record"), (["x.npy", "--record", ""], "--record"),
            (["x.npy", "--record-required"], "--record FILE"),
            (["x.npy", "--record", "r.h5", "--record-existing", "keep"], "--record-existing", "unique"),
            (["x.npy", "--self-check", "--mode", "fast"], "--self-check", "exact")):
            with self.subTest(arguments):
                done = run(*arguments)
                self.refused(done, 2, *words)
                self.assertEqual((done.stdout, len(done.stderr.splitlines())), ("", 1))
        self.assertEqual(os.listdir("."), ["x.npy"])

    def test_hardware_that_is_not_there(self):
        np.save("x.npy", np.arange(10.0))
        hidden = {"env": os.environ | {"CUDA_VISIBLE_DEVICES": ""}}
        self.refused(run("x.npy", "--gpus", "1", **hidden), 1, "--gpus 1")
        self.refused(run("x.npy", "--device", "cuda", **hidden), 1, "--device cuda", "--device host")
        self.refused(run("x.npy", "--combine", "nccl", **hidden), 1, "--combine nccl", "--combine mpi")


if __name__ == "__main__":
    unittest.main()
