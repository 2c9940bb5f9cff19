#!/usr/bin/env python3
"""Instructions an element of the reduction kernels' main loops, counted in their machine code.

usage: scripts/instruction_budget.py LIBRARY_OR_CUBIN...      (needs cuobjdump and nvdisasm of the CUDA toolkit)

The main loop is taken to be the shortest way round, in instructions, that reads vectors from shared memory, where bulk
copies brought them, and has the adds of all folds and the conversions: what is rare is a detour. Counted for one thread
and divided by the elements (pairs, for products of two arrays) that it takes each time round. Columns: float64 adds,
multiplications and fused ones; conversions; all instructions.
"""

import argparse
import collections
import heapq
import pathlib
import re
import subprocess
import sys
import tempfile

TYPES = {0: ("float64", 8), 1: ("float32", 4), 2: ("float16", 2), 3: ("bfloat16", 2)}
FAMILIES = {1: "sum", 2: "l1", 4: "squares", 5: "moments", 24: "extrema", 31: "all", 36: "pairs"}
KERNEL = re.compile(r"reduce_kernel.*float_passIL\w*?dtypeE(\d+)ELi(\d)ELj(\d+)E")
FLOAT64 = {"DADD", "DMUL", "DFMA"}
VECTOR_LOAD = "LDS.128"
ADDS = FLOAT64 | {"FADD", "FMUL", "FFMA"}


def run(tool, *arguments, cwd=None):
    try:
        return subprocess.run([tool, *arguments], check=True, capture_output=True, text=True, cwd=cwd).stdout
    except FileNotFoundError:
        sys.exit(f"{tool} is not in PATH: it comes with the CUDA toolkit (cuda-cuobjdump, cuda-nvdisasm)")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{tool}: {error.stderr.strip()}")


def disassemble(path):
    """Texts of nvdisasm for every cubin in a file."""
    if path.suffix == ".cubin":
        return [run("nvdisasm", "-c", path)]
    with tempfile.TemporaryDirectory() as folder:
        run("cuobjdump", "-xelf", "all", path.resolve(), cwd=folder)
        return [text for cubin in sorted(pathlib.Path(folder).glob("*.cubin")) for text in disassemble(cubin)]


def basic_blocks(lines):
    """[(labels, [opcode...], target or None, falls through)], in the order of the code."""
    blocks, labels, opcodes = [], [], []

    def close(target, falls):
        nonlocal labels, opcodes
        blocks.append((labels, opcodes, target, falls))
        labels, opcodes = [], []

    for line in lines:
        if label := re.match(r"\s*(\.L_x_\d+):", line):
            if opcodes:
                close(None, True)
            labels.append(label.group(1))
        elif instruction := re.match(r"\s+/\*[0-9a-f]+\*/\s+(.*?);", line):
            text = instruction.group(1)
            guarded = text.startswith("@")
            words = re.sub(r"^@!?U?P[T\d]+\s+", "", text).split()
            opcodes.append(words[0] if words[0] == VECTOR_LOAD else words[0].split(".")[0])
            if opcodes[-1] == "BRA":
                target = re.search(r"\((\.L_x_\d+)\)", text)
                conditional = guarded or ".DIV" in words[0] or bool(re.match(r"!?U?P\d", words[1]))
                close(target.group(1) if target else None, conditional)
            elif opcodes[-1] in ("EXIT", "RET") and not guarded:
                close(None, False)
    close(None, False)
    return blocks


def least_adds(size_bytes, family):
    """Of an element's folds: three for each, but for 16-bit values, which are added whole."""
    values = {8: 6, 4: 3, 2: 1}[size_bytes] if family & 3 else 0
    products = {8: 12, 4: 6, 2: 6}[size_bytes] if family & 4 else 0
    return values + products


def main_loop(blocks, least, conversions):
    """Opcodes of the main loop once round, with at least so many adds and conversions, or None."""
    def adds(way):
        return sum(op in ADDS for block in way for op in blocks[block][1])

    def conversions_of(way):
        return sum(op == "F2F" for block in way for op in blocks[block][1])

    def length(way):
        return sum(len(blocks[block][1]) for block in way)

    starts = [i for i in range(len(blocks)) if adds([i]) >= least / 4]
    loops = [way for start in starts if (way := shortest_loop(blocks, start))]
    loops = [way for way in loops if adds(way) >= least and conversions_of(way) >= conversions]
    if not loops:
        return None
    return collections.Counter(op for block in min(loops, key=length) for op in blocks[block][1])


def shortest_loop(blocks, start):
    """The blocks of the shortest way from one of them by a load of vectors round to itself, or None."""
    index = {label: i for i, (labels, *_) in enumerate(blocks) for label in labels}

    def followers(i):
        _, _, target, falls = blocks[i]
        if target in index:
            yield index[target]
        if falls and i + 1 < len(blocks):
            yield i + 1

    done, queue = set(), [(0, start, False, ())]
    while queue:
        cost, i, loaded, way = heapq.heappop(queue)
        if i == start and loaded:
            return way
        if (i, loaded) in done:
            continue
        done.add((i, loaded))
        for j in followers(i):
            heapq.heappush(queue, (cost + len(blocks[i][1]), j, loaded or VECTOR_LOAD in blocks[i][1], way + (i,)))
    return None


def elements_each_time(size_bytes, components, family):
    # vectors_in_flight of float_pass.cuh
    if family & 32 or (family & 6 == 6 and components == 2):
        vectors = 2
    else:
        vectors = 5 if family == 4 and size_bytes == 8 else 4
    return vectors * 16 // (size_bytes * components)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    print(f"{'type':<11} {'kernel':<8} {'float64':>8} {'convert':>8} {'all':>8}   an element")
    for path in parser.parse_args().files:
        for text in disassemble(path):
            for section in re.split(r"^\s*\.section\s+\.text\.", text, flags=re.M)[1:]:
                name, _, body = section.partition(",")
                kernel = KERNEL.search(name)
                if not kernel:
                    continue
                dtype, components, family = map(int, kernel.groups())
                elements = elements_each_time(TYPES[dtype][1], components, family)
                least = least_adds(TYPES[dtype][1], family) * elements * components
                conversions = 0 if TYPES[dtype][1] == 8 else elements * components
                counts = main_loop(basic_blocks(body.splitlines()), least, conversions) if least else None
                if not counts:
                    continue
                figures = [sum(counts[op] for op in FLOAT64), counts["F2F"], sum(counts.values())]
                shown = TYPES[dtype][0] + (" x2" if components == 2 else "")
                columns = " ".join(f"{figure / elements:8.2f}" for figure in figures)
                print(f"{shown:<11} {FAMILIES[family]:<8} {columns}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
