"""Reads a run record as people do who know nothing of steadfold: with h5py, pandas and h5dump.

Usage: read_with_h5py.py RECORD_WRITE_SAMPLE
"""
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

try:
    import h5py
    import pandas
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def check_attributes(file):
    assert file.attrs["software"] == "steadfold"
    assert file.attrs["softwareVersion"] == "0.1.0"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000", file.attrs["date"])
    run = file["run"].attrs
    for key in ("library_version", "git_revision", "build", "command_line", "start_time", "end_time", "status",
                "slurm_job_id", "slurm_job_nodelist"):
        assert type(run[key]) is str, key
    assert run["schema_version"] == 1 and run["ranks"] == 4
    assert run["command_line"] == "steadfold-reduce 'größe µ.h5:/p' --ops sum,l2"
    assert run["slurm_job_id"] == "4711"
    assert ISO.fullmatch(run["start_time"])
    assert list(file["run/hosts"].asstr()) == ["node-a", "node-ü"]
    assert dict(file["environment"].attrs) == {"OMP_NUM_THREADS": "3", "CUDA_VISIBLE_DEVICES": ""}
    assert json.loads(file["topology/json"].asstr()[()]) == {"hosts": ["node-ü"]}
    assert file["topology"].attrs["devices"] == 8


def check_columns(file):
    for name in ("partition", "operations", "results", "messages"):
        table = file[name]
        assert table.maxshape == (None,), name
        for column in table.dtype.names:
            text = h5py.check_string_dtype(table.dtype[column])
            if text:
                assert text.encoding == "utf-8" and text.length, column
                assert f"{column}_units" not in table.attrs
            else:
                assert type(table.attrs[f"{column}_units"]) is str, column
    units = file["operations"].attrs
    assert units["seconds_read_units"] == "s" and units["bandwidth_units"] == "GB/s" and units["bytes_units"] == "B"


def check_rows(file):
    rows = file["operations"][:]
    assert len(rows) == 1000
    for i in (0, 1, 500, 999):
        row = rows[i]
        assert row["input"].decode("utf-8") == f"größe.h5:/p/{i}"
        assert row["operations"].decode() == "sum|mean|l2"
        assert row["device"] == i % 5 - 1
        assert row["elements"] == 2**40 + i
        assert row["seconds_read"] == 0.1 * i and row["bandwidth"] == 4493.25 + i
    for row in file["results"]:
        assert row["bits"].decode() == "0x" + struct.pack(">d", row["value"]).hex()
    assert file["partition"]["count"].tolist() == [10, 2**50, 0]
    assert file["messages"]["text"][0].decode("utf-8") == "rank 3 is slow: größer als sonst"


def check_pandas(file):
    frame = pandas.DataFrame(file["operations"][:])
    for column in frame.select_dtypes(object):
        frame[column] = frame[column].str.decode("utf-8")
    assert len(frame) == 1000
    assert set(frame["dtype"]) == {"float64", "int8"}
    assert frame.groupby("dtype")["elements"].count().to_dict() == {"float64": 500, "int8": 500}
    assert frame["bandwidth"].max() == 4493.25 + 999


def main(writer):
    with tempfile.TemporaryDirectory() as folder:
        closed = pathlib.Path(folder) / "closed.h5"
        killed = pathlib.Path(folder) / "killed.h5"
        subprocess.run([writer, closed], check=True)
        subprocess.run([writer, killed, "partial"], check=True)
        partial = pathlib.Path(str(killed) + ".partial")
        for path, status in ((closed, "interrupted"), (partial, "running")):
            with h5py.File(path, "r") as file:
                check_attributes(file)
                assert file["run"].attrs["status"] == status
                assert bool(ISO.fullmatch(file["run"].attrs["end_time"])) == (status != "running")
                check_columns(file)
                check_rows(file)
                check_pandas(file)
            if shutil.which("h5dump"):
                subprocess.run(["h5dump", path], check=True, stdout=subprocess.DEVNULL)
            else:
                print("h5dump is not installed: not tried")
    print("read with h5py, pandas" + (" and h5dump" if shutil.which("h5dump") else ""))


main(sys.argv[1])
