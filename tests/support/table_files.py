"""Files of tables, as bytes, and where they are put."""

import bz2
import gzip
import io
import lzma
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def compressed(content, suffix):
    packed = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    if suffix in packed:
        return packed[suffix](content)
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, {".zst": "zstd", ".lz4": "lz4"}[suffix]) as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def write(folder, name, content):
    path = Path(folder, name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


SMALL = pa.table({"a": [0.5, 1.5, 2.5] * 40, "c": ["u", "v", "u"] * 40, "y": [0, 1, 1] * 40})


def parquet(table=SMALL):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def arrow_file(table=SMALL):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)
    return sink.getvalue().to_pybytes()


def arrow_stream(table=SMALL):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()


def npz(**arrays):
    sink = io.BytesIO()
    np.savez(sink, **arrays)
    return sink.getvalue()


def npy(array):
    sink = io.BytesIO()
    np.save(sink, array)
    return sink.getvalue()
