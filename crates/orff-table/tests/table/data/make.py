"""Writes the fixtures of this folder with NumPy and PyArrow (run by hand; the tests only read them)."""
import datetime
import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

x = np.array([[1, 2.5, -3], [4, 5.25, 6], [7, -8.5, 9], [10, 11, 12.75]])
y = np.array([0.5, -1.5, 2.5, 3.5])
for name, a in {
    "f8": x, "f8_fortran": np.asfortranarray(x), "f4": x.astype("<f4"), "f2": x.astype("<f2"), "f8_big": x.astype(">f8"),
    "i8": (4 * x).astype("<i8"), "i4": (4 * x).astype("<i4"), "i2_big": (4 * x).astype(">i2"), "i1": (4 * x).astype("i1"),
    "u8": (4 * x + 100).astype("<u8"), "u1": (4 * x + 100).astype("u1"), "bool": x > 3, "flat": y,
    "complex": x + 1j, "cube": np.zeros((2, 2, 2)), "text": np.array(["a", "b"]), "scalar": np.float64(3),
    "objects": np.array([None, "a"], object),
}.items():
    np.save(f"{name}.npy", a)
np.savez("stored.npz", X=x, y=y, name=np.array(["a", "b", "c", "d"]))
np.savez_compressed("deflated.npz", X=np.asfortranarray(x), y=y)
np.savez("unequal.npz", X=x, y=y[:3])
table = pa.table({
    "x1": pa.array([1.5, 2.5, None, 4.5]), "x2": pa.array([1, -2, 3, 4], pa.int16()),
    "flag": pa.array([True, False, True, True]), "colour": pa.array(["red", "blue", None, "red"]),
    "kind": pa.array(["p", "q", "p", "p"]).dictionary_encode(), "price": pa.array([1, 2, 3, 4]).cast(pa.decimal128(21, 2)),
    "when": pa.array([datetime.datetime(2020, 1, k) for k in range(1, 5)]), "u": pa.array([0.25, None, 0.75, 1.0], pa.float32()),
    "list": pa.array([[1], [2], [3], [4]]),
})
pq.write_table(table, "mixed.parquet", row_group_size=3)
pq.write_table(table, "zstd.parquet", compression="zstd", data_page_version="2.0")
for codec in ("gzip", "brotli", "lz4"):
    pq.write_table(table, f"{codec}.parquet", compression=codec)
plain = table.drop_columns(["list"])
feather.write_feather(plain, "lz4.feather", compression="lz4", chunksize=3)
feather.write_feather(plain, "zstd.feather", compression="zstd")
feather.write_feather(plain, "plain.feather", compression="uncompressed")
with pa.ipc.new_stream("stream.arrows", plain.schema) as w:
    for b in plain.to_batches(max_chunksize=3):
        w.write_batch(b)
pq.write_table(table.slice(0, 0), "empty.parquet")
