"""Runs steadfold-bench as a user does and looks at the files it writes. Asserts no speed.

Usage: bench_test.py STEADFOLD_BENCH PLOT_BENCH
"""
import csv
import importlib.util
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

program, plot_script = sys.argv[1:]


def run(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=240)


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def check_document(document):
    check(document["schema"] == 2 and document["program"] == "steadfold-bench", "schema and program")
    check(re.fullmatch(r"\d+\.\d+\.\d+", document["version"]), "version")
    check(document["git_revision"], "git revision")
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["started_utc"]), "date")
    check(document["command_line"][0] == "steadfold-bench" and "2^16" in document["command_line"], "command line")
    check(document["machine"]["allowed_cpus"] >= 1, "allowed CPUs")
    for member in ("cpu_model", "load_average_1_min", "gpu_name", "gpu_driver", "cuda_driver_version"):
        check(member in document["machine"], f"machine has {member}")


def check_measurement(one, names):
    what = one["implementation"]
    check(one["case"] == "host-sum" and one["timing"] == "host-to-host" and one["dtype"] == "float64", f"{what}: label")
    check(one["operation"] == "sum" and one["data"] == "gaussian", f"{what}: operation and data")
    check(one["elements"] == 65536 and one["bytes"] == 8 * 65536, f"{what}: size")
    check(one["samples"] >= 3 and one["calls_per_sample"] >= 1, f"{what}: samples")
    check(one["threads"] == (1 if what.startswith("std-reduce") else 2), f"{what}: threads")
    check(0 < one["min_us"] <= one["p5_us"] <= one["median_us"] <= one["p95_us"], f"{what}: order of times")
    rate = one["bytes"] / one["median_us"] / 1e3
    check(abs(one["rate_gb_per_s"] - rate) <= 1e-3 * rate, f"{what}: rate")
    check({r["to"] for r in one["ratios"]} == names - {what}, f"{what}: a ratio to every other one")
    for r in one["ratios"]:
        check(r["interval_95_low"] <= r["ratio"] <= r["interval_95_high"], f"{what}: interval of the ratio")
    check(one["peer"] == (not what.startswith("steadfold")), f"{what}: peer")


def check_files(folder):
    json_file, csv_file = folder / "out.json", folder / "out.csv"
    done = run("--case", "host-sum", "--elements", "2^16", "--repetitions", "3", "--min-time", "0", "--threads", "2",
               "--json", str(json_file), "--csv", str(csv_file))
    check(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    document = json.loads(json_file.read_text())
    check_document(document)
    measurements = document["measurements"]
    names = {one["implementation"] for one in measurements}
    check({"steadfold-exact", "steadfold-fast", "std-reduce-1-thread"} <= names, f"implementations: {names}")
    for one in measurements:
        check_measurement(one, names)
        check(one["implementation"] in done.stdout, f"{one['implementation']} is in the table")
    with csv_file.open() as lines:
        rows = list(csv.DictReader(lines))
    check([row["implementation"] for row in rows] == [one["implementation"] for one in measurements], "lines of the CSV")
    check(all(row["ratio_to"] == rows[0]["implementation"] for row in rows), "peer of the CSV's ratios")


def check_other_operations():
    done = run("--case", "host-ops", "--elements", "1001", "--dtype", "float32", "float64", "--repetitions", "1",
               "--min-time", "0", "--quiet", "--json", "-")
    check(done.returncode == 0, f"host-ops: exit code {done.returncode}: {done.stderr}")
    names = [one["implementation"].partition(":")[2] for one in json.loads(done.stdout)["measurements"]]
    check(names == 2 * ["sum", "mean+var", "l1", "l2", "extrema", "all", "dot"], f"operations: {names}")


def check_other_types():
    for data in ("lognormal", "uniform", "random-exponents", "random-exponents:64"):
        done = run("--case", "host-sum", "--elements", "10007", "--dtype", "float64", "float32", "float16", "bfloat16",
                   "int32", "int64", "--data", data, "--repetitions", "1", "--min-time", "0", "--quiet", "--json", "-")
        check(done.returncode == 0, f"{data}: exit code {done.returncode}: {done.stderr}")
        exact = [m for m in json.loads(done.stdout)["measurements"] if m["implementation"] == "steadfold-exact"]
        check([m["dtype"] for m in exact] == ["float64", "float32", "float16", "bfloat16", "int32", "int64"], "types")
        check(all(m["data"] == data for m in exact), f"{data} is in the JSON")


def check_sweep(folder):
    sweep = folder / "sweep.json"
    done = run("--sweep", "--device", "host", "--elements", "1", "1000", "--dtype", "float64", "--threads", "1",
               "--json", str(sweep))
    check(done.returncode == 0, f"sweep: exit code {done.returncode}: {done.stderr}")
    sizes = [m["elements"] for m in json.loads(sweep.read_text())["measurements"]]
    check(set(sizes) == {1, 1000}, f"sizes of the sweep: {sizes}")
    not_a_sweep = folder / "other.json"
    not_a_sweep.write_text('{"schema": 1}')
    done = subprocess.run([sys.executable, plot_script, str(not_a_sweep)], capture_output=True, text=True)
    check(done.returncode == 1 and "schema 2" in done.stderr, f"plot of another file: {done.stderr}")
    if importlib.util.find_spec("matplotlib") is None:
        return
    done = subprocess.run([sys.executable, plot_script, str(sweep), "--format", "svg"], capture_output=True, text=True)
    check(done.returncode == 0, f"plot_bench: {done.stderr}")
    plots = done.stdout.split()
    check(len(plots) == 2 and all("<svg" in pathlib.Path(p).read_text() for p in plots), f"plots: {plots}")


def check_interrupted(folder):
    """What was measured before SIGTERM is in the file."""
    file = folder / "interrupted.json"
    sizes = [str(n) for n in range(1000, 1200)]
    with subprocess.Popen([program, "--case", "host-sum", "--elements", *sizes, "--threads", "2", "--min-time", "0.02",
                           "--json", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        while "steadfold-exact" not in (line := running.stdout.readline()):
            check(line, "the table has begun")
        running.send_signal(signal.SIGTERM)
        _, errors = running.communicate(timeout=120)
    check(running.returncode == 130, f"exit code {running.returncode} when interrupted")
    check("interrupted" in errors, f"it says so: {errors}")
    measured = {one["elements"] for one in json.loads(file.read_text())["measurements"]}
    check(1 <= len(measured) < len(sizes), f"{len(measured)} sizes measured before the signal")


def check_self_test():
    done = run("--self-test", "--device", "host", "--elements", "1000", "1", "--threads", "1")
    check(done.returncode == 0 and "every result right" in done.stdout, f"self-test: {done.stdout} {done.stderr}")


def check_words():
    listing = run("--list")
    check(listing.returncode == 0 and all(n in listing.stdout for n in ("host-sum", "cuda-sum")), "--list")
    check(run("--help").returncode == 0 and run("--version").returncode == 0, "--help and --version")
    for wrong in (["--case", "nothing"], ["--elements", "0"], ["--elements", "2^99"], ["--dtype", "uint8"], ["--data", "nothing"],
                  ["--case", "host-sum", "--device", "cuda"], ["--json", "-"], ["--unknown"], ["--threads", "1025"],
                  ["--case", "required:host-simd", "--elements", "1000"], ["ladder", "--dtype", "int32"], ["demo", "--case", "host-sum"],
                  ["ladder", "--csv", "x"], ["--self-test", "--json", "x"], ["--list", "--elements", "5"]):
        check(run(*wrong).returncode == 2, f"{wrong} is wrong usage")
    nowhere = run("--case", "host-sum", "--elements", "10", "--json", "/nowhere/out.json")
    check(nowhere.returncode == 1 and "/nowhere/out.json" in nowhere.stderr, "a file that cannot be written")
    check("required:sum-large" in listing.stdout and "required:host-simd" in listing.stdout, "requirements are cases")
    if "unavailable" in listing.stdout:
        for words in (["demo"], ["ladder"], ["--case", "required:sum-large"]):
            check(run(*words).returncode == 77, f"without a GPU the exit code of {words} is 77")
        done = run("--case", "cuda-sum", "cuda-ops")
        check(done.returncode == 77 and "GPU" in done.stderr + listing.stdout, "without a GPU the exit code is 77")


with tempfile.TemporaryDirectory() as folder:
    check_files(pathlib.Path(folder))
    check_sweep(pathlib.Path(folder))
    check_interrupted(pathlib.Path(folder))
check_other_operations()
check_other_types()
check_self_test()
check_words()
