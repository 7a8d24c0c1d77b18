"""Parquet and Arrow files, and NumPy's ``.npy`` and ``.npz``. Reading executes nothing: pickles are refused."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..compiled.decimals import NEAREST
from ..exceptions import FileError
from ..problem.provenance import POSITIONS, Place, Places
from ..support.limits import enough_memory, exceeded, most_bytes
from .decimals import Decimals, Digits
from .foreign_errors import is_about_objects, reason_of
from .sources import MARK_BYTES, Source

_MAX_UNFOLDING = 100
"""Times its size that a Parquet file may unfold to in any case."""


@dataclass(frozen=True)
class Matrix:
    """Rows of numbers, dense or CSR, with or without labels."""

    X: Any
    labels: NDArray[Any] | None
    base: int | None = None
    """The index of the first column, in LIBSVM text."""
    name: str = "The file"
    """What messages call it."""
    decimals: Decimals | None = None
    """How LIBSVM text is read as decimals; None: as float64."""
    places: Places = POSITIONS
    """Where rows are."""


def read_arrow(source: Source, kind: str) -> pa.Table:
    """Read a Parquet file, or an Arrow or Feather file."""
    content = source.buffer()
    try:
        with enough_memory(source.name):
            if kind == "parquet":
                return _validated(_read_parquet(content, source.name))
            import pyarrow.ipc as ipc

            open_ = ipc.open_file if content[:6].to_pybytes() == b"ARROW1" else ipc.open_stream
            return _validated(open_(content).read_all())
    except (FileError, MemoryError):
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError) as error:
        what = "a Parquet" if kind == "parquet" else "an Arrow or Feather"
        raise FileError(f"{source.name} is not {what} file that can be read: {reason_of(error)}.") from None


def _read_parquet(content: pa.Buffer, name: str) -> pa.Table:
    import pyarrow.parquet as pq

    with pq.ParquetFile(pa.BufferReader(content)) as file:
        # A page of one value takes a few bytes, whatever the number of its rows.
        most, cells = most_bytes(), file.metadata.num_rows * file.metadata.num_columns
        if 8 * cells > max(most, _MAX_UNFOLDING * content.size):
            raise FileError(exceeded(f"{name}, of {content.size:,} bytes, unfolds to {cells:,} cells,", most))
        return file.read()


def _validated(table: pa.Table) -> pa.Table:
    """See that a table is sound: from a damaged file, it may point beyond its end."""
    table.validate(full=True)
    return table


def read_libsvm(source: Source, base: int | None = None, decimals: int = NEAREST) -> tuple[Matrix, Digits]:
    """Read LIBSVM text; labels that are all whole numbers are integers. ``decimals`` says how entries are read."""
    from .text import libsvm

    try:
        with enough_memory(source.name):
            parsed = libsvm.parse(source.buffer(), source.name, decimals)
            rows, found = libsvm.rows(parsed, base)
    except libsvm.LibsvmError as error:
        raise FileError(str(error)) from None

    def places(wanted: Sequence[int]) -> list[Place]:
        with suppress(FileError):  # it may have changed since, and its lines with it
            lines = libsvm.lines_of(source.buffer(), wanted)
            return [Place(source.name, "line", line) for line in lines]
        return POSITIONS(wanted)

    labels = whole_labels(parsed.labels, parsed.long, source.name)
    return Matrix(rows, labels, found, source.name, places=Places(places)), parsed.digits


def whole_labels(labels: NDArray[np.float64], long: dict[int, int | None], name: str, before: int = 0) -> NDArray[Any]:
    """Return labels as integers, if they are; ``long`` has those that float64 does not hold. So many rows come before."""
    if not np.all(labels == np.floor(labels)):
        return labels
    exact = {row: label for row, label in long.items() if label is not None}
    if len(exact) < len(long):
        row = next(row for row in long if row not in exact)
        raise FileError(
            f"{name}: the label of row {before + row}, counted from 0, is a fraction. Classes are whole numbers."
        )
    if all(-(2**63) <= label < 2**63 for label in exact.values()):
        whole = np.where(np.abs(labels) < 2**53, labels, 0.0).astype(np.int64)
    else:
        whole = np.array([int(label) for label in labels.tolist()], dtype=object)
    whole[list(exact)] = list(exact.values())
    return whole


def read_numpy(source: Source, kind: str, label: str | None) -> Matrix | dict[str, NDArray[Any]]:
    """Read an ``.npy`` file, as named columns, or an ``.npz`` file: a matrix, and labels under the given name or ``y``."""
    content = source.buffer()
    if not content[:MARK_BYTES].to_pybytes().startswith((b"\x93NUMPY", b"PK")):  # NumPy would take it for a pickle
        raise FileError(f"{source.name} is not a NumPy file that can be read: it does not begin as one.")
    try:
        with enough_memory(source.name):
            if content[:2].to_pybytes() == b"PK":
                _refuse_large(content, source.name)
            else:
                _refuse_short(content)
            # A reader of zip files wants to seek, which a buffer can.
            loaded = np.load(pa.BufferReader(content), allow_pickle=False)
            if kind == "npy":
                return columns_of_array(loaded, source.name)
            with loaded:
                return _from_archive({key: loaded[key] for key in loaded.files}, source.name, label)
    except (FileError, MemoryError):
        raise
    except Exception as error:  # zip files fail in many ways
        reason = reason_of(error)
        if is_about_objects(error):
            reason = "it holds Python objects, which are never loaded; save numbers and texts as arrays of their own"
        raise FileError(f"{source.name} is not a NumPy file that can be read: {reason}.") from None


def _refuse_short(content: pa.Buffer) -> None:
    """Refuse an array that says it is larger than the file: room would be made for all of it."""
    file = pa.BufferReader(content)
    header = array_header(file)
    if header is None:  # NumPy itself notices
        return
    shape, _, dtype = header
    there = content.size - file.tell()
    if not dtype.hasobject and math.prod(shape) * dtype.itemsize > there:
        size = math.prod(shape) * dtype.itemsize
        raise ValueError(f"an array of shape {shape} and type {dtype} takes {size:,} bytes, and {there:,} are there")


def array_header(file: Any) -> tuple[tuple[int, ...], bool, Any] | None:
    """Read what an array is: its shape, whether its columns follow each other, its type. None: its fields have odd names."""
    version = np.lib.format.read_magic(file)
    if version > (2, 0):  # names that are not Latin
        return None
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return read(file)


def _refuse_large(content: pa.Buffer, name: str) -> None:
    """Refuse an archive that unfolds to too much; what its list says is the most that is read."""
    with zipfile.ZipFile(pa.BufferReader(content)) as archive:
        if sum(member.file_size for member in archive.infolist()) > max(most_bytes(), content.size):
            raise FileError(exceeded(f"{name} is an archive that unfolds to", most_bytes()))


def columns_of_array(array: Any, name: str) -> dict[str, NDArray[Any]]:
    """Take an array apart into columns: those of a structured one by their names, others by their positions."""
    if not isinstance(array, np.ndarray):
        raise FileError(f"{name} holds several arrays: name it .npz.")
    if array.dtype.names is not None and array.ndim == 1 and array.nbytes:
        return {field: array[field] for field in array.dtype.names}
    if array.ndim != 2:
        raise FileError(f"{name} holds an array of {array.ndim} dimensions; a table has 2, a row for each example.")
    if not array.nbytes:  # its shape may say anything then
        raise FileError(f"{name} holds an array of shape {array.shape} and type {array.dtype}, in which there is nothing.")
    return {str(j + 1): array[:, j] for j in range(array.shape[1])}


def _from_archive(arrays: dict[str, NDArray[Any]], name: str, label: str | None) -> Matrix:
    import scipy.sparse as sp

    key = "y" if label is None else label
    labels = arrays.pop(key, None)
    if labels is None and label is not None:
        raise FileError(f"{name} holds no array {label!r} for the labels. Its arrays are: {', '.join(map(repr, arrays))}.")
    if labels is not None and labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if {"data", "indices", "indptr", "shape"} <= set(arrays):
        X = sp.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"].tolist()))
        X.check_format(full_check=True)
        if str(arrays.get("format", np.array(b"csr")).item()) not in ("csr", "b'csr'"):
            raise FileError(f"{name} holds a sparse matrix that is not CSR. Convert it with .tocsr() before saving it.")
        return Matrix(X, labels, name=name)
    if "X" in arrays:
        return Matrix(arrays["X"], labels, name=name)
    if len(arrays) == 1:
        return Matrix(next(iter(arrays.values())), labels, name=name)
    raise FileError(
        f"{name} holds the arrays {', '.join(map(repr, arrays)) or 'none'}: call the rows 'X' and the labels 'y', or save a "
        "CSR matrix as scipy.sparse.save_npz does."
    )
