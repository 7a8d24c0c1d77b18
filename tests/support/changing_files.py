"""The same rows in files of many kinds, and what may happen to a file while it is read."""

import gzip
import io
import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
from strategies import noisy

X, y = noisy(6000, 3, 0.2)
X = np.round(X, 3)
TABLE = pa.table({f"x{j}": X[:, j] for j in range(3)} | {"y": y.astype(int)})

ROWS = list(zip(*(column.tolist() for column in X.T), y.astype(int).tolist(), strict=True))


def text(line):
    return "".join(f"{line(row)}\n" for row in ROWS).encode()


def written(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


CSV = b"x0,x1,x2,y\n" + text(lambda row: ",".join(map(str, row)))

FILES = {
    "rows.csv": CSV,
    "rows.csv.gz": gzip.compress(CSV),
    "rows.jsonl": text(lambda row: json.dumps(dict(zip(TABLE.column_names, row, strict=True)))),
    "rows.libsvm": text(lambda row: f"{row[3]} " + " ".join(f"{j + 1}:{row[j]}" for j in range(3) if row[j])),
    "rows.parquet": written(lambda file: pq.write_table(TABLE, file, row_group_size=700)),
    "rows.arrow": written(lambda file: pyarrow.feather.write_feather(TABLE, file, "uncompressed", chunksize=700)),
    "rows.npy": written(lambda file: np.save(file, np.column_stack([X, y]))),
}


def vanish(path):
    path.unlink()


def grow(path):
    with path.open("ab") as file:
        file.write(path.read_bytes()[-20:])


def cut_off(path):
    os.truncate(path, path.stat().st_size * 2 // 3)


def replace(path):
    """Put another file of the same size in its place."""
    other = path.with_name("other")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    other.write_bytes(content)
    other.replace(path)


def write_into(path):
    """Change a byte where it stands."""
    content = path.read_bytes()
    with path.open("r+b") as file:
        file.seek(len(content) * 9 // 10)
        file.write(bytes([content[len(content) * 9 // 10] ^ 1]))


DAMAGE = [vanish, grow, cut_off, replace, write_into]
