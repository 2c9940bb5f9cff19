#!/usr/bin/env python3
"""Prints a run record.  usage: scripts/show_record.py RUN.h5"""
import sys

import h5py


def text(value):
    value = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    return value if len(value) <= 60 else value[:57] + "..."


def show_table(dataset):
    columns = list(dataset.dtype.names)
    units = [dataset.attrs.get(f"{column}_units", "") for column in columns]
    titles = [f"{c} [{text(u)}]" if u not in ("", "1") else c for c, u in zip(columns, units)]
    rows = [[text(row[column]) for column in columns] for row in dataset[:8]]
    widths = [max(map(len, cells)) for cells in zip(titles, *rows)]
    for cells in [titles, *rows]:
        print("   ", "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())
    if len(dataset) > 8:
        print(f"    ... {len(dataset) - 8} more rows")


def show(name, thing):
    kind = f"{thing.shape}" if isinstance(thing, h5py.Dataset) else "group"
    print(f"/{name}  {kind}")
    for key, value in thing.attrs.items():
        if not key.endswith("_units"):
            print(f"    {key} = {text(value)}")
    if isinstance(thing, h5py.Dataset) and thing.dtype.names and len(thing) > 0:
        show_table(thing)


def main():
    if len(sys.argv) != 2 or sys.argv[1] == "--help":
        sys.exit(__doc__)
    with h5py.File(sys.argv[1], "r") as record:
        record.visititems(show)


if __name__ == "__main__":
    main()
