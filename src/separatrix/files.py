"""Where rows come from: files of many kinds, each read into a table of columns or a matrix with labels.

Tables are text (`delimited`), Parquet and Arrow files; matrices are LIBSVM text (`libsvm`), ``.npy`` and ``.npz``. Kinds
are told by the name of a file or, failing that, by its first bytes; compressed files are read as what they hold.
Reading executes nothing: pickles are refused.
"""

from __future__ import annotations

import glob
import math
import os
import re
import secrets
import signal
import stat
import sys
import threading
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .limits import enough_memory, exceeded, most_bytes

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
_SPREADSHEETS = (
    rb"PK\x03\x04.{26}(\[Content_Types\]\.xml|_rels/|docProps/|xl/)",  # .xlsx
    rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument\.spreadsheet",  # .ods
    rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",  # .xls
)
_PICKLE = rb"\x80[\x02-\x05]"
_MARK = 8  # bytes that tell
_UNFOLDED = 100  # times its size that a Parquet file may unfold to in any case
_PART = 2**20  # bytes to read at a time from what may not end
_LIBSVM_LINE = re.compile(rb"[+-]?[0-9.]+(e[+-]?[0-9]+)?([ \t]+qid:[0-9]+)?([ \t]+[0-9]+:[^ \t:]+)+[ \t]*(#.*)?", re.I)
_DOCUMENT = re.compile(rb'\s*\{\s*"format":\s*"separatrix-(model|certificate)/')


class FileError(ValueError):
    """A file cannot be read for what it should be, and why."""


class OtherTable(FileError):  # noqa: N818 (it is what it says)
    """A table is not like the one that was learnt from: it lacks columns, or has values that were not there."""


class Stamp(NamedTuple):
    """What the system says of a file: another stamp, another content."""

    device: int
    number: int
    size: int
    changed: int

    @classmethod
    def of(cls, file: Any) -> Stamp:
        """Return that of an open file."""
        found = os.fstat(file.fileno())
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


@dataclass(frozen=True)
class Source:
    """A file to read, by its path; or what it holds, where it can be read only once or is compressed.

    A file is never mapped: whoever shortens it would end this process, and whoever writes to it would change what has been
    counted already. It is read in one go into memory that is ours, by `held`; and it is refused if it changes between one
    look at it and the next, by ``stamp``.
    """

    name: str
    path: Path | None = None
    content: pa.Buffer | None = None
    stamp: Stamp | None = None

    def open(self) -> Any:
        """Open it for reading."""
        if self.content is not None:
            return pa.BufferReader(self.content)
        assert self.path is not None
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise FileError(f"{self.name} cannot be read any more: {error.strerror or error}.") from None
        try:
            self._require_same(file)
        except BaseException:
            file.close()
            raise
        return file

    def buffer(self) -> pa.Buffer:
        """Return all its bytes."""
        if self.content is not None:
            return self.content
        with self.open() as file, enough_memory(self.name):
            size = Stamp.of(file).size
            if not size:  # or the system does not know
                return _drained(file, self.name)
            content = np.empty(size, np.uint8)
            whole = file.readinto(content) == size and not file.read(1)
            self._require_same(file, whole)
        return pa.py_buffer(content)

    def held(self) -> Source:
        """Return it with all its bytes in memory."""
        return self if self.content is not None else replace(self, content=self.buffer())

    def _require_same(self, file: Any, whole: bool = True) -> None:
        if not whole or self.stamp not in (None, Stamp.of(file)):
            raise FileError(f"{self.name} changed while it was read. Read it again, when nobody writes to it.")

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
            return _unpacked(name, _drained(sys.stdin.buffer, name))
        if path.is_dir():
            raise FileError(f"{name} is a folder, not a file; its files are named by {name}/*.")
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return _unpacked(name, _drained(file, name))
            source = Source(name, path, None, Stamp.of(file))
            if _compression(file.read(_MARK)) is not None:
                return _unpacked(name, source.buffer())
            return source
    except FileNotFoundError:
        raise FileError(f"There is no file {name}.") from None
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror or error}.") from None


def _drained(stream: Any, name: str, what: str = "goes on for") -> pa.Buffer:
    """Read all of what has no size, up to the limit."""
    most, sink = most_bytes(), pa.BufferOutputStream()
    with enough_memory(name):
        while part := stream.read(_PART):
            sink.write(part)
            if sink.tell() > most:
                raise FileError(exceeded(f"{name} {what}", most))
        return sink.getvalue()


def _compression(head: bytes) -> str | None:
    return next((kind for magic, kind in _COMPRESSION.items() if re.match(magic, head[:_MARK])), None)


def _unpacked(name: str, content: pa.Buffer) -> Source:
    """Decompress, as often as it takes nothing: a file packed twice is not for us."""
    kind = _compression(content[:_MARK].to_pybytes())
    if kind is None:
        return Source(name, None, content)
    packed = pa.BufferReader(content)
    try:
        import lzma

        with lzma.LZMAFile(packed) if kind == "xz" else pa.CompressedInputStream(packed, kind) as stream:
            return Source(name, None, _drained(stream, name, f"is compressed ({kind}), and unfolds to"))
    except (FileError, MemoryError):
        raise
    except Exception as error:  # each kind of compression has errors of its own
        raise FileError(f"{name} is compressed ({kind}), but damaged or cut off: {reason_of(error)}.") from None


def reason_of(error: BaseException) -> str:
    """Return what an error says in its first line, or what it is."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def read_document(path: str | os.PathLike[str], most: int) -> bytes:
    """Read a file, whatever it is, but not more than one byte beyond the most that it may have."""
    with open(path, "rb") as file, enough_memory(os.fspath(path)):
        parts, left = [], most + 1
        while left and (part := file.read(min(left, _PART))):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)


def format_of(source: Source, given: str | None = None) -> str:
    """Tell what a file is: as it is said to be, by its name, or by what it holds."""
    if given is not None and given not in FORMATS:
        raise FileError(f"The format {given!r} is not known; it must be one of {', '.join(FORMATS)}.")
    head = source.head()
    _refuse_others(source.name, head)
    if given is not None:
        return given
    suffix = _suffix(source.name)
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if head.startswith(b"PK") and suffix == ".zip":
        raise FileError(f"{source.name} is a zip archive: unpack it first, or compress the table with gzip instead.")
    if ours := _DOCUMENT.match(head):
        raise FileError(f"{source.name} is a {ours[1].decode()} of separatrix, not a table.")
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    lines = [line for line in map(bytes.strip, head.split(b"\n")[:50]) if line and not line.startswith(b"#")]
    return "libsvm" if lines and _LIBSVM_LINE.fullmatch(lines[0]) else "csv"


def _refuse_others(name: str, head: bytes) -> None:
    """Refuse what is known, and is no table that can be read, whatever it is called."""
    if any(re.match(magic, head, re.DOTALL) for magic in _SPREADSHEETS):
        raise FileError(
            f"{name} is a spreadsheet, or another document of an office program. Save the table in it as CSV (in UTF-8), "
            "and name that file."
        )
    if re.match(_PICKLE, head):
        raise FileError(
            f"{name} is a pickle, which could execute anything and is never loaded. Save the table as Parquet or CSV, or "
            "an array with numpy.save."
        )


def _suffix(name: str) -> str:
    stem, suffix = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] if suffix in _COMPRESSED else suffix


def is_tab_separated(name: str) -> bool:
    """Whether the name of a file says that its columns are separated by tabs."""
    return _suffix(name) in (".tsv", ".tab")


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
        if 8 * cells > max(most, _UNFOLDED * content.size):
            raise FileError(exceeded(f"{name}, of {content.size:,} bytes, unfolds to {cells:,} cells,", most))
        return file.read()


def _validated(table: pa.Table) -> pa.Table:
    """See that a table is sound: from a damaged file, it may point beyond its end."""
    table.validate(full=True)
    return table


def read_libsvm(source: Source, *, base: int | None = None, columns: int | None = None) -> Matrix:
    """Read LIBSVM text; labels that are all whole numbers are integers."""
    from . import libsvm

    try:
        with enough_memory(source.name):
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
    content = source.buffer()
    if not content[:_MARK].to_pybytes().startswith((b"\x93NUMPY", b"PK")):  # NumPy would take it for a pickle
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
                return _named(loaded, source.name)
            with loaded:
                return _from_archive({key: loaded[key] for key in loaded.files}, source.name, label)
    except (FileError, MemoryError):
        raise
    except Exception as error:  # zip files fail in many ways
        reason = reason_of(error)
        if "pickle" in reason or "Object arrays" in reason:
            reason = "it holds Python objects, which are never loaded; save numbers and texts as arrays of their own"
        raise FileError(f"{source.name} is not a NumPy file that can be read: {reason}.") from None


def _refuse_short(content: pa.Buffer) -> None:
    """Refuse an array that says it is larger than the file: room would be made for all of it."""
    file = pa.BufferReader(content)
    version = np.lib.format.read_magic(file)
    if version > (2, 0):  # with field names that are not Latin; NumPy itself notices
        return
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    there = content.size - file.tell()
    if not dtype.hasobject and math.prod(shape) * dtype.itemsize > there:
        size = math.prod(shape) * dtype.itemsize
        raise ValueError(f"an array of shape {shape} and type {dtype} takes {size:,} bytes, and {there:,} are there")


def _refuse_large(content: pa.Buffer, name: str) -> None:
    """Refuse an archive that unfolds to too much; what its list says is the most that is read."""
    with zipfile.ZipFile(pa.BufferReader(content)) as archive:
        if sum(member.file_size for member in archive.infolist()) > max(most_bytes(), content.size):
            raise FileError(exceeded(f"{name} is an archive that unfolds to", most_bytes()))


def _named(array: Any, name: str) -> dict[str, NDArray[Any]]:
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
