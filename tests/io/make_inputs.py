"""Writes the input files of the io tests and, for each, the bytes a reader must deliver.

usage: make_inputs.py DIRECTORY

manifest.tsv has one line per data set: file, path, element type, extents, name of the file with the expected bytes
(native byte order, row-major), options ("unpack", "keep_missing", "missing=VALUE", "layout=TEXT", comma-separated).
"""
import pathlib
import shutil
import sys

import h5py
import numpy as np

rng = np.random.default_rng(20240611)
names = {"f8": "float64", "f4": "float32", "f2": "float16", "c8": "complex64", "c16": "complex128"}
names |= {f"{sign}{bytes}": f"{'u' * (sign == 'u')}int{8 * bytes}" for sign in "iu" for bytes in (1, 2, 4, 8)}
all_types = list(names)


class Inputs:
    def __init__(self, directory):
        self.directory = directory
        self.lines = []

    def expect(self, file, path, array, options="", type_name=None):
        """`array` in native order holds what must be delivered for file:path."""
        oracle = f"expected_{len(self.lines):04d}.bin"
        array = np.asarray(array)
        (self.directory / oracle).write_bytes(array.tobytes("C"))
        kind = type_name or names[array.dtype.str[1:]]
        self.lines.append("\t".join([file, path, kind, "x".join(map(str, array.shape)), oracle, options]))

    def close(self):
        (self.directory / "manifest.tsv").write_text("\n".join(self.lines) + "\n")


def random_bits(kind, shape):
    """Every bit pattern, NaN payloads, infinities and subnormal numbers included."""
    size = np.dtype(kind).itemsize
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(rng.bytes(count * size), dtype=kind).reshape(shape)


def swapped(array):
    """The same values, big-endian, without a conversion that could change a NaN."""
    return array.byteswap().view(array.dtype.newbyteorder(">"))


def npy_inputs(out):
    shapes = [(), (0,), (1,), (7,), (100,), (5, 9), (1, 6), (6, 1), (33, 70), (3, 0, 4), (4, 3, 5), (2, 35, 40),
              (3, 4, 2, 5), (1, 7, 1, 3)]
    for kind in all_types:
        for shape in shapes if kind in ("f4", "u1", "c16") else [(), (13,), (6, 11), (3, 4, 5)]:
            data = random_bits(kind, shape)
            for order, label in (("C", "c"), ("F", "f")):
                for stored, end in ((data, "le"), (swapped(data), "be")):
                    file = f"{kind}_{'x'.join(map(str, shape)) or 'scalar'}_{label}_{end}.npy"
                    np.save(out.directory / file, np.asarray(stored, order=order))
                    out.expect(file, "", data)
    flags = rng.integers(0, 2, (4, 5)).astype(bool)
    np.save(out.directory / "bool.npy", np.asfortranarray(flags))
    out.expect("bool.npy", "", flags.astype("i1"), "layout=contiguous Fortran order")
    for version in ((1, 0), (2, 0), (3, 0)):
        data = random_bits("f4", (3, 5))
        with open(out.directory / f"version{version[0]}.npy", "wb") as file:
            np.lib.format.write_array(file, data, version=version)
        out.expect(f"version{version[0]}.npy", "", data)
    np.save(out.directory / "text.npy", np.array(["a", "b"]))
    np.save(out.directory / "object.npy", np.array([None, 1], dtype=object), allow_pickle=True)
    np.save(out.directory / "record.npy", np.zeros(3, dtype=[("a", "f4"), ("b", "i4")]))
    np.save(out.directory / "long_double.npy", np.zeros(3, dtype=np.longdouble))
    whole = (out.directory / "f4_100_c_le.npy").read_bytes()
    (out.directory / "truncated.npy").write_bytes(whole[:-5])
    (out.directory / "only_magic.npy").write_bytes(whole[:7])
    (out.directory / "short_header.npy").write_bytes(whole[:40])
    (out.directory / "large_shape.npy").write_bytes(whole[:128].replace(b"(100,), }       ", b"(1000000000,), }"))
    (out.directory / "overflow.npy").write_bytes(
        whole[:128].replace(b"(100,), }                     ", b"(4611686018427387905,), }     "))


def raw_inputs(out):
    data = random_bits("f8", (1000,))
    (out.directory / "le.raw").write_bytes(data.tobytes())
    (out.directory / "be.raw").write_bytes(swapped(data).tobytes())
    (out.directory / "offset.raw").write_bytes(b"#header" + data.tobytes())
    (out.directory / "empty.raw").write_bytes(b"")
    (out.directory / "raw.bin").write_bytes(data.tobytes())
    (out.directory / "notes.txt").write_text("just text\n")
    (out.directory / "classic.nc").write_bytes(b"CDF\x01" + bytes(60))
    (out.directory / "packed.gz").write_bytes(b"\x1f\x8b\x08" + bytes(60))


def hdf5_types(out):
    with h5py.File(out.directory / "types.h5", "w") as file:
        for kind in all_types:
            for shape in [(), (1,), (17,), (5, 7), (3, 4, 5), (2, 3, 4, 5)]:
                data = random_bits(kind, shape)
                for stored, end in ((data, "le"), (swapped(data), "be")):
                    path = f"/{kind}/{end}{len(shape)}_{data.size}"
                    file[path] = stored
                    out.expect("types.h5", path, data, "layout=contiguous")
        flags = rng.integers(0, 2, 20).astype(bool)
        file["bool"] = flags
        out.expect("types.h5", "bool", flags.astype("i1"))
        color = h5py.enum_dtype({"red": 1, "blue": -300}, basetype=">i2")
        file.create_dataset("color", data=np.array([1, -300, 1], ">i2"), dtype=color)
        out.expect("types.h5", "/color", np.array([1, -300, 1], "i2"))
        for label, order in (("le", h5py.h5t.ORDER_LE), ("be", h5py.h5t.ORDER_BE)):
            kind = h5py.h5t.IEEE_F16LE.copy()
            kind.set_fields(15, 7, 8, 0, 7)
            kind.set_ebias(127)
            kind.set_order(order)
            bits = random_bits("u2", (41,))
            stored = bits if label == "le" else bits.byteswap()
            dataset = h5py.h5d.create(file.id, f"bf16{label}".encode(), kind, h5py.h5s.create_simple((41,)))
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, stored.copy(), mtype=kind)
            out.expect("types.h5", f"/bf16{label}", bits, type_name="bfloat16")


def hdf5_layouts(out):
    with h5py.File(out.directory / "layouts.h5", "w") as file:
        def add(name, data, layout, **options):
            file.create_dataset(name, data=data, **options)
            out.expect("layouts.h5", name, data, "layout=" + layout)

        cube = random_bits("f4", (23, 17, 29))
        add("/chunked", cube, "chunked 5x4x7", chunks=(5, 4, 7))
        add("/deflated", cube, "chunked 5x17x8 shuffle deflate 6 fletcher32", chunks=(5, 17, 8), compression="gzip",
            compression_opts=6, shuffle=True, fletcher32=True)
        add("/swapped", cube, "chunked 23x1x1 deflate 1", chunks=(23, 1, 1), compression="gzip", compression_opts=1)
        file["/big"] = swapped(cube)
        line = random_bits("i2", (1001,))
        add("/line", line, "chunked 100 deflate", chunks=(100,), compression="gzip")
        add("/resizable", line, "chunked 64", chunks=(64,), maxshape=(None,))
        partial = file.create_dataset("/partial", (100, 10), "i4", chunks=(7, 3), fillvalue=-5)
        partial[30:40, 2:5] = 9
        out.expect("layouts.h5", "/partial", partial[...])
        file.create_dataset("/empty", (0, 5), "f8")
        out.expect("layouts.h5", "/empty", np.zeros((0, 5)))
        file["/null"] = h5py.Empty("f4")
        out.expect("layouts.h5", "/null", np.zeros((0,), "f4"))
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_layout(h5py.h5d.COMPACT)
        compact = h5py.h5d.create(file.id, b"compact", h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((6,)), properties)
        compact.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(6, dtype="i4"))
        out.expect("layouts.h5", "/compact", np.arange(6, dtype="i4"), "layout=compact")
        layout = h5py.VirtualLayout(shape=(2, 1001), dtype="i2")
        layout[0], layout[1] = h5py.VirtualSource(file["/line"]), h5py.VirtualSource(file["/resizable"])
        file.create_virtual_dataset("/virtual", layout)
        out.expect("layouts.h5", "/virtual", np.stack([line, line]), "layout=virtual")
        file["/links/soft"] = h5py.SoftLink("/line")
        out.expect("layouts.h5", "/links/soft", line)
        file["/links/external"] = h5py.ExternalLink("types.h5", "/f8/le1_17")
        with h5py.File(out.directory / "types.h5") as other:
            out.expect("layouts.h5", "/links/external", other["/f8/le1_17"][...])
        file["/links/loop"] = h5py.SoftLink("/links/loop")
        file["/links/up"] = h5py.SoftLink("/")
        file["/links/hard_up"] = file["/"]
        file["/links/dangling"] = h5py.SoftLink("/nowhere")
        file["/links/gone"] = h5py.ExternalLink("no_such_file.h5", "/x")

    block = random_bits("f4", (8, 512, 512))  # a row of its chunks is larger than HDF5's own cache
    with h5py.File(out.directory / "chunk_rows.h5", "w") as file:
        file.create_dataset("x", data=block, chunks=(4, 64, 64), compression="gzip", compression_opts=1)
    out.expect("chunk_rows.h5", "/x", block)
    with h5py.File(out.directory / "huge.h5", "w") as file:
        file.create_dataset("x", (2**20, 2**22), "i1", chunks=(1, 4096), fillvalue=7)
        file["x"][2**19, 5:8] = [1, 2, 3]

    single = random_bits("u4", (3, 3))
    with h5py.File(out.directory / "single.h5", "w", userblock_size=1024, libver="latest") as file:
        file["deep/inside/only"] = single
        file["note"] = "a string is no choice"
    out.expect("single.h5", "", single)
    shutil.copy(out.directory / "single.h5", out.directory / "single_h5_without_extension")
    out.expect("single_h5_without_extension", "/deep/inside/only", single)


def missing_and_packed(out):
    with h5py.File(out.directory / "missing.nc", "w") as file:
        def add(name, data, **attributes):
            file[name] = data
            for key, value in attributes.items():
                file[name].attrs[key] = value
            return data

        fill = np.float32(9.96921e36)
        data = add("f4", np.array([1, fill, -0.0, 5, fill], "f4"), _FillValue=np.array([fill]), units="hPa")
        quiet = np.where(data == fill, np.float32(np.nan), data)
        out.expect("missing.nc", "/f4", quiet)
        out.expect("missing.nc", "/f4", data, "keep_missing")
        data = add("f4_wide", np.array([np.float32(1e20), 2, np.inf], ">f4"), missing_value=1e20)
        out.expect("missing.nc", "/f4_wide", np.array([np.nan, 2, np.inf], "f4"))
        add("f4_out_of_range", np.array([np.inf, 2], "f4"), missing_value=1e300)
        out.expect("missing.nc", "/f4_out_of_range", np.array([np.inf, 2], "f4"))
        add("f8", np.array([-999, -998, 3, 0.0]), _FillValue=-999.0, missing_value=np.array([-999.0, -998.0]))
        out.expect("missing.nc", "/f8", np.array([np.nan, np.nan, 3, 0.0]))
        add("f8_nan", np.array([np.nan, 1.0]), _FillValue=np.nan)
        out.expect("missing.nc", "/f8_nan", np.array([np.nan, 1.0]))
        add("f2", np.array([1, -9, 0.5, -9], "f2"), missing_value=np.float16(-9))
        out.expect("missing.nc", "/f2", np.array([1, np.nan, 0.5, np.nan], "f2"))
        data = add("i2", np.array([1, -32767, 3, -1], ">i2"), _FillValue=np.int16(-32767))
        out.expect("missing.nc", "/i2", data.astype("i2"), "missing=-32767")
        out.expect("missing.nc", "/i2", data.astype("i2"), "keep_missing")
        add("i4_two", np.array([1, -1, -2, 7, -3], "i4"), _FillValue=np.int32(-1), missing_value=np.array([-2, -3], "i8"))
        out.expect("missing.nc", "/i4_two", np.array([1, -1, -1, 7, -1], "i4"), "missing=-1")
        data = add("i2_real", np.array([1, -999, 32767], "i2"), missing_value=-999.0)
        out.expect("missing.nc", "/i2_real", data, "missing=-999")
        data = add("i2_impossible", np.array([1, 32767], "i2"), missing_value=1e20, _FillValue=40000)
        out.expect("missing.nc", "/i2_impossible", data)
        data = add("u8", np.array([1, 2**64 - 1], "u8"), _FillValue=np.uint64(2**64 - 1))
        out.expect("missing.nc", "/u8", data, "missing=-1")
        data = add("u1", np.array([1, 255], "u1"), _FillValue=np.uint8(255))
        out.expect("missing.nc", "/u1", data, "missing=255")
        data = add("text", np.array([1, 2], "i4"), missing_value="none")
        out.expect("missing.nc", "/text", data)

        stored = rng.integers(-30000, 30000, (50, 7)).astype(">i2")
        stored[3, 3] = -32768
        scale, offset = np.float64(0.0021847), np.float64(273.15)
        add("packed", stored, scale_factor=scale, add_offset=np.array([offset]), _FillValue=np.int16(-32768))
        values = np.where(stored == -32768, np.nan, stored.astype("f8") * scale + offset)
        out.expect("missing.nc", "/packed", values, "unpack")
        out.expect("missing.nc", "/packed", stored.astype("i2"), "missing=-32768")
        data = add("scaled", np.array([-0.0, 3, np.inf], "f4"), scale_factor=np.float32(0.1))
        out.expect("missing.nc", "/scaled", data.astype("f8") * np.float64(np.float32(0.1)), "unpack")
        data = add("shifted", np.array([2**53 + 1, -3], "i8"), add_offset=0.5)
        out.expect("missing.nc", "/shifted", data.astype("f8") + 0.5, "unpack")
        data = add("half_packed", random_bits("f2", (64,)) , scale_factor=3.0)
        data = np.where(np.isnan(data), np.float16(1), data)
        file["half_packed"][...] = data
        out.expect("missing.nc", "/half_packed", data.astype("f8") * 3.0, "unpack")
        data = add("plain", np.array([1.5, 2.5], "f4"))
        out.expect("missing.nc", "/plain", data, "unpack")


def bad_hdf5(out):
    with h5py.File(out.directory / "bad.h5", "w") as file:
        file["fine"] = np.arange(10.0)
        file["string"] = "hello"
        file["fixed"] = np.array([b"abc", b"de"])
        file["compound"] = np.zeros(3, dtype=[("x", "f4"), ("n", "i4")])
        file["long_double"] = np.zeros(3, dtype=np.longdouble)
        file["opaque"] = np.zeros(3, dtype="V5")
        file["array"] = np.zeros(3, dtype=[("r", "f4", (2,))])
        file.create_dataset("vlen", (2,), dtype=h5py.vlen_dtype(np.dtype("i4")))
        file.create_dataset("reference", (2,), dtype=h5py.ref_dtype)
        file.create_dataset("lzf", data=np.arange(1000), compression="lzf", chunks=(100,))
        bits = h5py.h5t.STD_B16LE
        h5py.h5d.create(file.id, b"bitfield", bits, h5py.h5s.create_simple((4,)))
        odd = h5py.h5t.STD_I32LE.copy()
        odd.set_size(3)
        h5py.h5d.create(file.id, b"int24", odd, h5py.h5s.create_simple((4,)))
        file.create_group("group")
        for i in range(12):
            file[f"many/temperature_{i:02d}"] = np.zeros(1)
    with h5py.File(out.directory / "strings.h5", "w") as file:
        file["only"] = "text"
    with h5py.File(out.directory / "none.h5", "w") as file:
        file.create_group("nothing")
    with h5py.File(out.directory / "damaged_chunk.h5", "w") as file:
        data = file.create_dataset("x", data=np.arange(1000), chunks=(100,), fletcher32=True)
        at = data.id.get_chunk_info(5).byte_offset
    raw = bytearray((out.directory / "damaged_chunk.h5").read_bytes())
    raw[at + 17] ^= 0x40
    (out.directory / "damaged_chunk.h5").write_bytes(raw)
    with h5py.File(out.directory / "large_chunk.h5", "w") as file:
        file.create_dataset("x", data=np.zeros(4 << 20), chunks=(4 << 20,), compression="gzip")
    whole = (out.directory / "layouts.h5").read_bytes()
    (out.directory / "truncated.h5").write_bytes(whole[: len(whole) // 2])
    with h5py.File(out.directory / "seed.h5", "w") as file:  # the base of random damage
        file.create_dataset("a/deflated", data=np.arange(600.0).reshape(20, 30), chunks=(7, 8), compression="gzip")
        file["a/plain"] = np.arange(100, dtype="i4")
        file["a/plain"].attrs["_FillValue"] = np.int32(4)
        file["a/plain"].attrs["units"] = "m"


def main():
    directory = pathlib.Path(sys.argv[1])
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    out = Inputs(directory)
    for write in (npy_inputs, raw_inputs, hdf5_types, hdf5_layouts, missing_and_packed, bad_hdf5):
        write(out)
    out.close()


if __name__ == "__main__":
    main()
