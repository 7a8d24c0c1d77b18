"""Where rows come from: files of many kinds, each read into a table of columns or a matrix with labels.

Tables are text (`delimited`), Parquet and Arrow files; matrices are LIBSVM text (`libsvm`), ``.npy`` and ``.npz``. Kinds
are told by the name of a file or, failing that, by its first bytes; compressed files are read as what they hold.
Reading executes nothing: pickles are refused.
"""

from __future__ import annotations

import glob
import os
import re
import secrets
import signal
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

FORMATS = ("csv", "parquet", "arrow", "libsvm", "npy", "npz")

_SUFFIXES = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow",
    ".feather": "arrow", ".ipc": "arrow", ".libsvm": "libsvm", ".svm": "libsvm", ".svmlight": "libsvm", ".npy": "npy",
    ".npz": "npz",
}  # fmt: skip
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".lz4")
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\x93NUMPY": "npy", b"PK\x03\x04": "npz", b"\xff\xff\xff\xff": "arrow"}
_COMPRESSION = {
    rb"\x1f\x8b": "gzip", rb"BZh[1-9](1AY|\x17rE)": "bz2", rb"\xfd7zXZ\x00": "xz",
    rb"\x28\xb5\x2f\xfd": "zstd", rb"\x04\x22\x4d\x18": "lz4",
}  # fmt: skip
_MARK = 8  # bytes that tell
_LIBSVM_LINE = re.compile(rb"[+-]?[0-9.]+(e[+-]?[0-9]+)?([ \t]+qid:[0-9]+)?([ \t]+[0-9]+:[^ \t:]+)+[ \t]*(#.*)?", re.I)
_DOCUMENT = re.compile(rb'\s*\{\s*"format":\s*"separatrix-(model|certificate)/')


class FileError(ValueError):
    """A file cannot be read for what it should be, and why."""


class OtherTable(FileError):  # noqa: N818 (it is what it says)
    """A table is not like the one that was learnt from: it lacks columns, or has values that were not there."""


@dataclass(frozen=True)
class Source:
    """A file to read, by its path; or what it holds, where it can be read only once or is compressed."""

    name: str
    path: Path | None = None
    content: pa.Buffer | None = None

    def open(self) -> Any:
        """Open it for reading, as Arrow does."""
        return pa.OSFile(str(self.path)) if self.content is None else pa.BufferReader(self.content)

    def buffer(self) -> pa.Buffer:
        """Return all its bytes."""
        if self.content is not None:
            return self.content
        with self.open() as file:
            return file.read_buffer()

    def mapped(self) -> pa.Buffer:
        """Return all its bytes, those of a file without reading them all into memory."""
        return self.content if self.content is not None else pa.memory_map(str(self.path)).read_buffer()

    def head(self, size: int = 2**16) -> bytes:
        """Return its first bytes."""
        with self.open() as file:
            return bytes(file.read(size))

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.content.size if self.content is not None else os.path.getsize(str(self.path))


@dataclass(frozen=True)
class Matrix:
    """Rows of numbers, dense or CSR, with or without labels."""

    X: Any
    labels: NDArray[Any] | None
    base: int | None = None
    """The index of the first column, in LIBSVM text."""
    name: str = "The file"
    """What messages call it."""


def sources(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Source]:
    """Find files by their paths: a path may have wildcards, and ``-`` is standard input."""
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not given:
        raise FileError("No file is named.")
    found: list[Source] = []
    for path in given:
        each = os.fspath(path)
        if each == "-":
            found.append(_source("standard input", None))
        elif glob.has_magic(each) and not os.path.exists(each):
            matches = sorted(path for path in glob.glob(each, recursive=True) if not os.path.isdir(path))
            if not matches:
                raise FileError(f"No file matches {each}.")
            found += [_source(path, Path(path)) for path in matches]
        else:
            found.append(_source(each, Path(each)))
    return found


def _source(name: str, path: Path | None) -> Source:
    """Open a file once, to see that it can be read, and whether it is to be kept in memory."""
    try:
        if path is None:
            if sys.stdin is None:
                raise FileError(f"{name} is closed: there is nothing to read.")
            return _unpacked(name, sys.stdin.buffer.read())
        if path.is_dir():
            raise FileError(f"{name} is a folder, not a file; its files are named by {name}/*.")
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return _unpacked(name, file.read())
            if _compression(file.read(_MARK)) is not None:
                file.seek(0)
                return _unpacked(name, file.read())
    except FileNotFoundError:
        raise FileError(f"There is no file {name}.") from None
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror or error}.") from None
    return Source(name, path)


def _compression(head: bytes) -> str | None:
    return next((kind for magic, kind in _COMPRESSION.items() if re.match(magic, head[:_MARK])), None)


def _unpacked(name: str, content: bytes) -> Source:
    """Decompress, as often as it takes nothing: a file packed twice is not for us."""
    kind = _compression(content)
    try:
        if kind is None:
            return Source(name, None, pa.py_buffer(content))
        if kind == "xz":
            import lzma

            return Source(name, None, pa.py_buffer(lzma.decompress(content)))
        with pa.CompressedInputStream(pa.BufferReader(content), kind) as stream:
            return Source(name, None, stream.read_buffer())
    except Exception as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise FileError(f"{name} is compressed ({kind}), but damaged or cut off: {reason}.") from None


def format_of(source: Source, given: str | None = None) -> str:
    """Tell what a file is: as it is said to be, by its name, or by what it holds."""
    if given is not None:
        if given not in FORMATS:
            raise FileError(f"The format {given!r} is not known; it must be one of {', '.join(FORMATS)}.")
        return given
    suffix = _suffix(source.name)
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    head = source.head()
    if head.startswith(b"PK") and suffix == ".zip":
        raise FileError(f"{source.name} is a zip archive: unpack it first, or compress the table with gzip instead.")
    if ours := _DOCUMENT.match(head):
        raise FileError(f"{source.name} is a {ours[1].decode()} of separatrix, not a table.")
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    lines = [line for line in map(bytes.strip, head.split(b"\n")[:50]) if line and not line.startswith(b"#")]
    return "libsvm" if lines and _LIBSVM_LINE.fullmatch(lines[0]) else "csv"


def _suffix(name: str) -> str:
    stem, suffix = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] if suffix in _COMPRESSED else suffix


def is_tab_separated(name: str) -> bool:
    """Whether the name of a file says that its columns are separated by tabs."""
    return _suffix(name) in (".tsv", ".tab")


def read_arrow(source: Source, kind: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a Parquet file, or an Arrow or Feather file: all columns, or some of those that are there."""
    try:
        if kind == "parquet":
            import pyarrow.parquet as pq

            with pq.ParquetFile(source.open()) as file:
                names = file.schema_arrow.names
                wanted = None if columns is None or len(set(names)) < len(names) else [n for n in names if n in set(columns)]
                return _validated(file.read(columns=wanted))
        import pyarrow.ipc as ipc

        if source.head(6) == b"ARROW1":
            return _validated(ipc.open_file(source.buffer()).read_all())
        return _validated(ipc.open_stream(source.buffer()).read_all())
    except (pa.ArrowException, OSError, EOFError, ValueError) as error:
        what = "a Parquet" if kind == "parquet" else "an Arrow or Feather"
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise FileError(f"{source.name} is not {what} file that can be read: {reason}.") from None


def _validated(table: pa.Table) -> pa.Table:
    """See that a table is sound: from a damaged file, it may point beyond its end."""
    table.validate(full=True)
    return table


def read_libsvm(source: Source, *, base: int | None = None, columns: int | None = None) -> Matrix:
    """Read LIBSVM text; labels that are all whole numbers are integers."""
    from . import libsvm

    try:
        parsed = libsvm.parse(source.buffer(), source.name)
        rows, found = libsvm.rows(parsed, base, columns)
    except libsvm.LibsvmError as error:
        raise FileError(str(error)) from None
    return Matrix(rows, _whole(parsed.labels, parsed.long, source.name), found, source.name)


def _whole(labels: NDArray[np.float64], long: dict[int, int | None], name: str) -> NDArray[Any]:
    """Return labels as integers, if they are; ``long`` has those that float64 does not hold."""
    if not np.all(labels == np.floor(labels)):
        return labels
    exact = {row: label for row, label in long.items() if label is not None}
    if len(exact) < len(long):
        row = next(row for row in long if row not in exact)
        raise FileError(f"{name}: the label of row {row}, counted from 0, is a fraction. Classes are whole numbers.")
    if all(-(2**63) <= label < 2**63 for label in exact.values()):
        whole = np.where(np.abs(labels) < 2**53, labels, 0.0).astype(np.int64)
    else:
        whole = np.array([int(label) for label in labels.tolist()], dtype=object)
    whole[list(exact)] = list(exact.values())
    return whole


def read_numpy(source: Source, kind: str, label: str | None) -> Matrix | dict[str, NDArray[Any]]:
    """Read an ``.npy`` file, as named columns, or an ``.npz`` file: a matrix, and labels under the given name or ``y``."""
    try:
        # A reader of zip files wants to seek, which a buffer can.
        loaded = np.load(pa.BufferReader(source.buffer()), allow_pickle=False)
        if kind == "npy":
            return _named(loaded, source.name)
        with loaded:
            return _from_archive({key: loaded[key] for key in loaded.files}, source.name, label)
    except FileError:
        raise
    except Exception as error:  # zip files fail in many ways
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        if "pickle" in reason:
            reason = "it holds Python objects, which are never loaded; save numbers and texts as arrays of their own"
        raise FileError(f"{source.name} is not a NumPy file that can be read: {reason}.") from None


def _named(array: Any, name: str) -> dict[str, NDArray[Any]]:
    """Take an array apart into columns: those of a structured one by their names, others by their positions."""
    if not isinstance(array, np.ndarray):
        raise FileError(f"{name} holds several arrays: name it .npz.")
    if array.dtype.names is not None and array.ndim == 1:
        return {field: array[field] for field in array.dtype.names}
    if array.ndim != 2:
        raise FileError(f"{name} holds an array of {array.ndim} dimensions; a table has 2, a row for each example.")
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


def write_whole(path: str | Path, text: str) -> None:
    """Write a file whole or not at all: never half of it in the place of an old one.

    A file that is replaced keeps its mode and, where that is allowed, its owner. What is written is on the disk before it
    takes the place of the old file; until then it is beside it, under a name that begins with a dot, and is removed if
    anything goes wrong: a full disk, Ctrl-C, or a signal to end, all but one that cannot be heard (``kill -9``).

    Where a link leads to a file, that one is replaced. What is no file, such as a pipe or a device, is written to.
    """
    path = Path(path)
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        target = os.path.realpath(path)
        old = os.stat(target) if os.path.exists(target) else None
        new = os.path.join(os.path.dirname(target), f".{path.name[:40]}.{secrets.token_hex(4)}")
        with _removed_on_ending(new):
            _write_synced(new, text, old)
            os.replace(new, target)
            _sync_folder(os.path.dirname(target))
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.") from None


def _write_synced(name: str, text: str, like: os.stat_result | None) -> None:
    """Write a new file that is on the disk when this returns, with the mode and owner of another if there is one."""
    mode = 0o666 if like is None else stat.S_IMODE(like.st_mode)
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)  # never readable by more than it is to be
    with open(handle, "w", encoding="utf-8", newline="\n") as file:
        if like is not None:
            if hasattr(os, "chown"):
                with suppress(OSError):  # only the superuser can give a file away
                    os.chown(name, like.st_uid, like.st_gid)
            os.chmod(name, mode)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: str) -> None:
    """Have the disk know the new name, too, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _removed_on_ending(name: str) -> Iterator[None]:
    """Remove a file if the work ends early: by an exception, or by a signal that ends the process and is not handled."""

    def end(number: int, _: object) -> None:
        Path(name).unlink(missing_ok=True)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    heard: list[int] = []
    if threading.current_thread() is threading.main_thread():
        deadly = [getattr(signal, each) for each in ("SIGTERM", "SIGHUP") if hasattr(signal, each)]
        heard = [each for each in deadly if signal.getsignal(each) is signal.SIG_DFL]
    try:
        for each in heard:
            signal.signal(each, end)
        yield
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    finally:
        for each in heard:
            signal.signal(each, signal.SIG_DFL)
