#!/usr/bin/env python3
"""Plots what `steadfold-bench --sweep --json FILE` wrote: for each type the ratio to the peer over the size, for each
operation GB/s over the size, and both over the range of exponents.

usage: plot_bench.py FILE [--out DIRECTORY] [--format svg] [--format png]      default: both, beside FILE
"""
import argparse
import collections
import json
import pathlib
import re
import sys

# Distinct without colour too: every line has a marker of its own.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
MARKERS = "osD^v*"


def load(path):
    document = json.loads(path.read_text())
    if document.get("program") != "steadfold-bench" or document.get("schema") != 2:
        sys.exit(f"plot_bench: {path} is no file of steadfold-bench --json, schema 2")
    return document


def groups_of(document):
    """What was measured in the same rounds, in order: (case, operation, data, dtype, elements) -> measurements."""
    groups = collections.OrderedDict()
    for one in document["measurements"]:
        key = tuple(one[name] for name in ("case", "operation", "data", "dtype", "elements"))
        if one["timing"] != "host-to-host" or one["case"] == "sweep:host":
            groups.setdefault(key, []).append(one)
    return groups


def ours(group):
    return next((one for one in group if one["implementation"].startswith("steadfold-exact")), None)


def peer(group):
    return group[0] if group[0]["peer"] else None


def ratio_to_peer(group):
    """Ours over the first peer, and its 95 % interval."""
    one, other = ours(group), peer(group)
    if one is None or other is None:
        return None
    found = next(r for r in one["ratios"] if r["to"] == other["implementation"])
    return found["ratio"], found["interval_95_low"], found["interval_95_high"]


def series(groups, choose, position):
    """Lines of points: what `choose` names a group -> sorted (position, group)."""
    lines = collections.OrderedDict()
    for key, group in groups.items():
        name = choose(*key)
        if name is not None:
            lines.setdefault(name, []).append((position(*key), group))
    return {name: sorted(points, key=lambda point: point[0]) for name, points in lines.items()}


def draw_ratios(axes, lines):
    for i, (name, points) in enumerate(lines.items()):
        found = [(x, ratio_to_peer(group)) for x, group in points]
        found = [(x, r) for x, r in found if r is not None]
        if not found:
            continue
        x, r = [p[0] for p in found], [p[1] for p in found]
        colour = COLOURS[i % len(COLOURS)]
        axes.plot(x, [v[0] for v in r], marker=MARKERS[i % len(MARKERS)], color=colour, label=name, markersize=4)
        axes.fill_between(x, [v[1] for v in r], [v[2] for v in r], color=colour, alpha=0.2, linewidth=0)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_ylabel("speed, exact over peer")
    axes.set_ylim(bottom=0)


def draw_rates(axes, lines):
    for i, (name, points) in enumerate(lines.items()):
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        for choose, style in ((ours, "-"), (peer, ":")):
            drawn = [(x, choose(group)) for x, group in points if choose(group) is not None]
            if drawn:
                label = f"{name}, {'exact' if choose is ours else drawn[-1][1]['implementation']}"
                axes.plot([p[0] for p in drawn], [p[1]["rate_gb_per_s"] for p in drawn], style, marker=marker,
                          color=colour, label=label, markersize=4)
    axes.set_ylabel("GB/s")
    axes.set_ylim(bottom=0)


def over_sizes(axes):
    axes.set_xscale("log", base=2)
    axes.set_xlabel("elements")


def over_binades(axes):
    axes.set_xscale("log", base=2)
    axes.set_xlabel("binades the exponents are spread over")


def binades(data, dtype):
    match = re.fullmatch(r"random-exponents(?::(\d+))?", data)
    if match is None:
        return None
    return int(match[1]) if match[1] else {"float64": 2046, "float32": 246, "float16": 40, "bfloat16": 246}.get(dtype)


def figures(groups):
    """(name of the file, title, what draws, lines, axis)."""
    def sizes_only(data):
        return not data.startswith("random-exponents")

    def by_size(case, operation, data, dtype, elements):
        return elements

    def by_range(case, operation, data, dtype, elements):
        return binades(data, dtype)

    for device in ("cuda", "host"):
        case_name = f"sweep:{device}"

        def types(case, operation, data, dtype, elements):
            return dtype if case == case_name and operation == "sum" and sizes_only(data) else None

        def ranges(case, operation, data, dtype, elements):
            return dtype if case == case_name and operation == "sum" and binades(data, dtype) else None

        yield f"{device}_sum_ratio", "Exact sums beside plain ones", draw_ratios, series(groups, types, by_size), over_sizes
        yield f"{device}_sum_rate", "Sums", draw_rates, series(groups, types, by_size), over_sizes
        for operation in ("dot", "l1", "l2", "one-pass"):
            def of_operation(case, found, data, dtype, elements, wanted=operation):
                return dtype if case == case_name and found == wanted and sizes_only(data) else None

            lines = series(groups, of_operation, by_size)
            yield f"{device}_{operation}_ratio", f"{operation}, exact beside a peer", draw_ratios, lines, over_sizes
            yield f"{device}_{operation}_rate", operation, draw_rates, lines, over_sizes
        lines = series(groups, ranges, by_range)
        yield f"{device}_ranges", "Exact sums of spread exponents", draw_rates, lines, over_binades


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, help="directory of the plots; default: that of FILE")
    parser.add_argument("--format", action="append", choices=["svg", "png"], help="may be given twice; default: both")
    options = parser.parse_args()
    document = load(options.file)
    try:
        import matplotlib  # after the checks, which need none
    except ModuleNotFoundError:
        sys.exit(f"plot_bench: {sys.executable} has no matplotlib (Debian: python3-matplotlib, for /usr/bin/python3)")
    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "steadfold"  # the same file for the same figures
    from matplotlib import pyplot

    out = options.out or options.file.parent
    out.mkdir(parents=True, exist_ok=True)
    machine = document["machine"]
    drawn = 0
    for name, title, draw, lines, scale in figures(groups_of(document)):
        if not lines:
            continue
        figure, axes = pyplot.subplots(figsize=(7, 4.2))
        draw(axes, lines)
        scale(axes)
        axes.set_title(f"{title} ({machine['cpu_model'] if name.startswith('host') else machine['gpu_name']})",
                       fontsize=10)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
        for suffix in options.format or ["svg", "png"]:
            path = out / f"{options.file.stem}_{name}.{suffix}"
            metadata = {"Date": None} if suffix == "svg" else None
            figure.savefig(path, bbox_inches="tight", dpi=150, metadata=metadata)
            print(path)
            drawn += 1
        pyplot.close(figure)
    if drawn == 0:
        sys.exit(f"plot_bench: {options.file} holds no sweep; steadfold-bench --sweep --json makes one")


main()
