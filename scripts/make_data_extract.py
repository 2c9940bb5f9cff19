#!/usr/bin/env python3
"""Makes data/gshhg_polygon_areas.{h5,npy} from a file of the Debian/Ubuntu package gmt-gshhg-low.

usage: scripts/make_data_extract.py [SOURCE.nc [OUTPUT_DIRECTORY]]

The extract is one data set, the areas of the GSHHG coastline polygons, with its provenance and licence as attributes.
Running it again gives the same bytes.
"""
import pathlib
import subprocess
import sys

import h5py
import numpy as np

DATASET = "The_km_squared_area_of_polygons"
DEFAULT_SOURCE = "/usr/share/gmt-gshhg/binned_GSHHS_l.nc"


def package_version():
    """Version of the installed package, or why it is not known."""
    query = ["dpkg-query", "--show", "--showformat=${Version}", "gmt-gshhg-low"]
    try:
        return subprocess.run(query, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown (not installed as a package)"


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def main():
    if len(sys.argv) > 3 or "--help" in sys.argv:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else DEFAULT_SOURCE)
    output = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent.parent / "data")
    if not source.exists():
        sys.exit(f"{source} does not exist: install the package gmt-gshhg-low, or name the file")

    with h5py.File(source, "r") as file:
        areas = file[DATASET][...].astype("<f8")
        origin = {name: text(file.attrs[name]) for name in ("title", "source", "version") if name in file.attrs}

    provenance = {
        "description": "Areas of the coastline polygons of GSHHG, low resolution",
        "gshhg_version": origin.get("version", "unknown"),
        "gshhg_title": origin.get("title", ""),
        "gshhg_source": origin.get("source", ""),
        "extracted_from": f"{source.name}, data set {DATASET}, package gmt-gshhg-low {package_version()}",
        "license": "GNU Lesser General Public License, version 3 or later (GSHHG: copyright the GMT team)",
        "made_by": "scripts/make_data_extract.py",
    }
    with h5py.File(output / "gshhg_polygon_areas.h5", "w", track_order=True) as file:
        dataset = file.create_dataset(DATASET, data=areas, chunks=(2048,), shuffle=True, compression="gzip",
                                      track_times=False)
        dataset.attrs["units"] = "km2"
        for name, value in provenance.items():
            file.attrs[name] = value
    np.save(output / "gshhg_polygon_areas.npy", areas)
    print(f"{areas.size} areas in {output}/gshhg_polygon_areas.h5 and .npy")


if __name__ == "__main__":
    main()
