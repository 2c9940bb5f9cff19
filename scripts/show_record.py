#!/usr/bin/env python3
"""Prints a run record.  usage: scripts/show_record.py RUN.h5"""
import sys

try:
    import h5py
except ImportError:
    sys.exit(f"show_record: {sys.executable} has no h5py; the system's may have: /usr/bin/python3 scripts/show_record.py")


rows_shown = 16  # all operations of one array


def text(value):
    value = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    return value if len(value) <= 60 else value[:57] + "..."


def show_table(dataset):
    columns = list(dataset.dtype.names)
    units = [dataset.attrs.get(f"{column}_units", "") for column in columns]
    titles = [f"{c} [{text(u)}]" if u not in ("", "1") else c for c, u in zip(columns, units)]
    rows = [[text(row[column]) for column in columns] for row in dataset[:rows_shown]]
    widths = [max(map(len, cells)) for cells in zip(titles, *rows)]
    for cells in [titles, *rows]:
        print("   ", "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())
    if len(dataset) > rows_shown:
        print(f"    ... {len(dataset) - rows_shown} more rows")


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
    try:
        with h5py.File(sys.argv[1], "r") as record:
            record.visititems(show)
    except OSError as error:
        sys.exit(f"show_record: {sys.argv[1]}: {error}")


if __name__ == "__main__":
    main()
