#!/usr/bin/env python3
"""Turns the steps of gpu_check.sh into one JSON and a short table.

usage: scripts/gpu_check_report.py STEPS.tsv RESULTS.json

Needs nothing but Python itself; with h5py the run records are read too. Exit code 1 if a step failed.
"""
import datetime
import json
import pathlib
import re
import subprocess
import sys

try:
    import h5py
except ImportError:
    h5py = None

SKIPPED = 77


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def gpus():
    lines = output_of("nvidia-smi", "--query-gpu=index,name,driver_version,memory.total", "--format=csv,noheader")
    names = ("index", "name", "driver", "memory")
    return [dict(zip(names, (part.strip() for part in line.split(",")))) for line in lines.splitlines()]


def ctest_counts(log):
    match = re.search(r"(\d+)% tests passed, (\d+) tests failed out of (\d+)", log)
    if not match:
        return {}
    counts = {"failed": int(match[2]), "total": int(match[3])}
    counts["skipped"] = len(re.findall(r"\*\*\*Skipped", log))
    return counts


def record_operations(path):
    """The rows of a run record's table of operations."""
    if h5py is None or not path.exists():
        return []
    with h5py.File(path, "r") as record:
        table = record.get("operations")
        if table is None:
            return []
        plain = lambda v: v.decode(errors="replace") if isinstance(v, bytes) else v.item()
        return [{name: plain(row[name]) for name in table.dtype.names} for row in table[:]]


def answer_in(log):
    """The JSON that the program printed, if there is one among the other lines."""
    start = log.find("{")
    if start < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(log[start:])[0]
    except ValueError:
        return None


def read_step(line):
    name, code, seconds, log_path = line.rstrip("\n").split("\t")
    log_path = pathlib.Path(log_path)
    log = log_path.read_text(errors="replace") if log_path.exists() else ""
    code = int(code)
    step = {"name": name, "exit_code": code, "seconds": int(seconds),
            "verdict": "passed" if code == 0 else "skipped" if code == SKIPPED else "failed"}
    if name.startswith("ctest"):
        step["tests"] = ctest_counts(log)
    if name.startswith("job_"):
        step["answer"] = answer_in(log)
        step["operations"] = record_operations(log_path.with_suffix(".h5"))
    if name.startswith(("memcheck", "racecheck")):
        step["summary"] = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (.*)", log)
    if step["verdict"] == "failed":
        step["last_lines"] = log.splitlines()[-40:]
    return step


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        steps = [read_step(line) for line in file]
    failed = [step["name"] for step in steps if step["verdict"] == "failed"]
    report = {
        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "revision": output_of("git", "describe", "--always", "--dirty"),
        "gpus": gpus(),
        "verdict": "failed" if failed else "passed",
        "steps": steps,
    }
    pathlib.Path(sys.argv[2]).write_text(json.dumps(report, indent=1) + "\n")
    for step in steps:
        note = step.get("tests") or step.get("summary") or ""
        print(f"{step['verdict']:8s} {step['seconds']:4d} s  {step['name']:32s} {note}")
    print(f"gpu_check: {'FAILED: ' + ', '.join(failed) if failed else 'all passed'}; details in {sys.argv[2]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
