"""Where rows come from: files of many kinds, plain or compressed, opened once and recognised.

Kinds are told by the name of a file or, failing that, by its first bytes; compressed files are read as what they hold.
"""

from __future__ import annotations

import glob
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from ..exceptions import FileError
from ..support.escaping import brief
from ..support.limits import enough_memory, exceeded, most_bytes
from . import archives
from .foreign_errors import reason_of

FORMATS = ("csv", "parquet", "arrow", "libsvm", "npy", "npz", "xlsx", "jsonl")

_SUFFIXES = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow",
    ".feather": "arrow", ".ipc": "arrow", ".libsvm": "libsvm", ".svm": "libsvm", ".svmlight": "libsvm", ".npy": "npy",
    ".npz": "npz", ".xlsx": "xlsx", ".xlsm": "xlsx", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip

_NUMPY = (".npy", ".npz")

_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".lz4")

_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\x93NUMPY": "npy", b"\xff\xff\xff\xff": "arrow"}

_COMPRESSION = {
    rb"\x1f\x8b": "gzip", rb"BZh[1-9](1AY|\x17rE)": "bz2", rb"\xfd7zXZ\x00": "xz",
    rb"\x28\xb5\x2f\xfd": "zstd", rb"\x04\x22\x4d\x18": "lz4",
}  # fmt: skip

_CHECKABLE = {"gzip": ".gz", "bz2": ".bz2", "xz": ".xz"}
"""What the stand-alone checker unfolds, if the name of a file ends so."""

_OLD_SPREADSHEET = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""What files of .xls begin with."""

PICKLE = rb"\x80[\x02-\x05]"

MARK_BYTES = 8
"""Bytes at the beginning of a file that tell how it is compressed."""

_BYTES_PER_READ = 2**20
"""Bytes that are read at a time from what may not end."""

_LIBSVM_LINE = re.compile(rb"[+-]?[0-9.]+(e[+-]?[0-9]+)?([ \t]+qid:[0-9]+)?([ \t]+[0-9]+:[^ \t:]+)+[ \t]*(#.*)?", re.I)

_JSON_LINE = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"([^"\\]|\\.)*"\s*:.*\}\s*')

_JSON_ARRAY = re.compile(rb"(\xef\xbb\xbf)?\s*\[\s*[{\[\]]")

_DOCUMENT = re.compile(rb'\s*\{\s*"format":\s*"separatrix-(model|certificate)/')


class Stamp(NamedTuple):
    """What the system says of a file: another stamp, another content."""

    device: int | None
    """None: whichever it is, as a file that several machines share is on another device of each."""
    number: int
    size: int
    changed: int

    def is_that_of(self, found: os.stat_result) -> bool:
        """Whether a file of which the system says so much is the same, and has not changed."""
        there = Stamp.among(found)
        return self == (there if self.device is not None else there._replace(device=None))

    @classmethod
    def of(cls, file: Any) -> Stamp:
        """Return that of an open file."""
        return cls.among(os.fstat(file.fileno()))

    @classmethod
    def among(cls, found: os.stat_result) -> Stamp:
        """Return that of a file of which the system says so much."""
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
    member: str | None = None
    """What it is called in the archive that holds it."""
    is_copy: bool = False
    """Whether the content is not what the stand-alone checker would find: it is unfolded, or written out as text."""
    lines_before: int = 0
    """Lines that a text which was written out has before those of the file; negative where it is a part of these."""
    packed: str | None = None
    """How a file is compressed that is unfolded anew whenever it is read, see `streamed`."""
    unfolded: int = 0
    """How many bytes there are when it is unfolded, once that is known."""
    is_beginning: bool = False
    """Whether the content is but the beginning of a text."""

    def open(self) -> Any:
        """Open it for reading."""
        if self.content is not None:
            return pa.BufferReader(self.content)
        file = self.open_file()
        return file if self.packed is None else Unfolding(self, file)

    def open_file(self) -> Any:
        """Open the file itself, be it compressed or not."""
        assert self.path is not None
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise self._gone(error) from None
        try:
            self._require_same(file)
        except BaseException:
            file.close()
            raise
        return file

    def require_same(self) -> None:
        """Refuse a file that is not what it was when it was looked at first."""
        if self.path is not None and self.stamp is not None:
            try:
                found = os.stat(self.path)
            except OSError as error:
                raise self._gone(error) from None
            if not self.stamp.is_that_of(found):
                raise self.changed()

    def _gone(self, error: OSError) -> FileError:
        return FileError(f"{self.name} cannot be read any more: {error.strerror or error}.")

    def changed(self) -> FileError:
        """Return the error that a file is not what it was."""
        return FileError(f"{self.name} changed while it was read. Read it again, when nobody writes to it.")

    def buffer(self) -> pa.Buffer:
        """Return all its bytes."""
        if self.content is not None:
            return self.content
        if self.packed is not None:
            with self.open() as stream:
                return _drained(stream, self.name, f"is compressed ({self.packed}), and unfolds to")
        with self.open() as file, enough_memory(self.name):
            size = Stamp.of(file).size
            if not size:  # or the system does not know
                return _drained(file, self.name)
            content = pa.allocate_buffer(size)  # Arrow's own: its threads need not wait for Python to give it back
            whole = file.readinto(content) == size and not file.read(1)
            self._require_same(file, whole)
        return content

    def held(self) -> Source:
        """Return it with all its bytes in memory."""
        return self if self.content is not None else replace(self, content=self.buffer())

    def _require_same(self, file: Any, whole: bool = True) -> None:
        if not whole or not (self.stamp is None or self.stamp.is_that_of(os.fstat(file.fileno()))):
            raise self.changed()

    def head(self, size: int = 2**16) -> bytes:
        """Return its first bytes."""
        with self.open() as file:
            return bytes(file.read(size))

    @property
    def suffix(self) -> str:
        """The ending of its name, which tells what it is; that of a compressed file is what is before."""
        stem, suffix = os.path.splitext((self.member or self.name).lower())
        return os.path.splitext(stem)[1] if suffix in _COMPRESSED else suffix

    @property
    def size(self) -> int:
        """How many bytes it has."""
        if self.packed is not None:
            return self.unfolded
        return self.content.size if self.content is not None else os.path.getsize(str(self.path))


class Unfolding(io.BufferedIOBase):
    """A compressed file, or the only one in an archive, that is unfolded while it is read, from its beginning to its end."""

    def __init__(self, source: Source, file: Any) -> None:
        self._source, self._file, self._place = source, file, 0
        with self._told():
            self._stream = self._unfolded()

    def _unfolded(self) -> Any:
        kind = self._source.packed
        if kind == "zip":
            return archives.opened_member(self._source.name, self._file, self._source.member)
        if kind == "xz":
            import lzma

            return lzma.LZMAFile(self._file)
        return pa.CompressedInputStream(pa.PythonFile(self._file, "r"), kind)

    def readable(self) -> bool:
        """Say so."""
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def read(self, size: int | None = -1) -> bytes:
        """Read so many bytes, fewer only at the end."""
        left = sys.maxsize if size is None or size < 0 else size
        parts = []
        with self._told():
            while left and (part := bytes(self._stream.read(min(left, _BYTES_PER_READ)))):
                parts.append(part)
                left -= len(part)
        found = b"".join(parts)
        self._place += len(found)
        return found

    read1 = read

    def seek(self, place: int, _whence: int = 0) -> int:
        """Go on, or back to where all that comes before is read anew."""
        if place < self._place:
            self._file.close()
            self._file, self._place = self._source.open_file(), 0
            with self._told():
                self._stream = self._unfolded()
        while self._place < place and self.read(min(place - self._place, _BYTES_PER_READ)):
            pass
        return self._place

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Have errors tell of the file; each kind of compression has errors of its own."""
        try:
            yield
        except (FileError, MemoryError):
            raise
        except Exception as error:
            self._source.require_same()
            raise _damaged(self._source.name, self._source.packed or "", error) from None


def streamed(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Source]:
    """Find files as `sources` does, but have those that are compressed be unfolded anew whenever they are read."""
    return sources(paths, _source_unfolding)


def _source_unfolding(name: str, path: Path | None) -> Source:
    """Look at a file as `_source` does; one that is compressed is not unfolded yet."""
    if path is None or not path.is_file():
        return _source(name, path)
    try:
        with path.open("rb") as file:
            plain, head = Source(name, path, None, Stamp.of(file)), file.read(MARK_BYTES)
            kind = _compression(head)
            if kind is not None:
                return replace(plain, packed=kind, is_copy=_is_copy(name, kind))
            if not _is_archive(head) or plain.suffix in _NUMPY or archives.kind_of(name, file) != "zip":
                return plain
            found = replace(plain, packed="zip", member=archives.name_of_only_member(name, file), is_copy=True)
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror or error}.") from None
    begins = found.head(MARK_BYTES)
    if _compression(begins) is not None or _is_archive(begins):
        raise _packed_twice(name, found.member or "")
    return found


def sources(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    look: Callable[[str, Path | None], Source] | None = None,
) -> list[Source]:
    """Find files by their paths: a path may have wildcards, and ``-`` is standard input."""
    look = look or _source
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not given:
        raise FileError("No file is named.")
    found: list[Source] = []
    for path in given:
        each = os.fspath(path)
        if each == "-":
            found.append(look("standard input", None))
        elif glob.has_magic(each) and not os.path.exists(each):
            matches = sorted(path for path in glob.glob(each, recursive=True) if not os.path.isdir(path))
            if not matches:
                raise FileError(f"No file matches {each}.")
            found += [look(path, Path(path)) for path in matches]
        else:
            found.append(look(each, Path(each)))
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
            source, head = Source(name, path, None, Stamp.of(file)), file.read(MARK_BYTES)
            if _compression(head) is not None or _is_archive(head):
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
        while part := stream.read(_BYTES_PER_READ):
            sink.write(part)
            if sink.tell() > most:
                raise FileError(exceeded(f"{name} {what}", most))
        return sink.getvalue()


def _compression(head: bytes) -> str | None:
    return next((kind for magic, kind in _COMPRESSION.items() if re.match(magic, head[:MARK_BYTES])), None)


def _is_archive(head: bytes) -> bool:
    return head.startswith((archives.MARK + b"\x03\x04", archives.MARK + b"\x05\x06"))


def _unpacked(name: str, content: pa.Buffer) -> Source:
    """Decompress, or take the only file of an archive, but once: a file packed twice is not for us."""
    head = content[:MARK_BYTES].to_pybytes()
    kind = _compression(head)
    if _is_archive(head):
        plain = Source(name, None, content)
        if plain.suffix in _NUMPY or archives.kind_of(name, content) not in ("zip", "npz" if plain.suffix == ".zip" else ""):
            return plain
        member, inside = archives.only_member(name, content)
        begins = inside[:MARK_BYTES].to_pybytes()
        if _compression(begins) is not None or (_is_archive(begins) and archives.kind_of(name, inside) == "zip"):
            raise _packed_twice(name, member)
        return Source(name, None, inside, member=member, is_copy=True)
    if kind is None:
        return Source(name, None, content)
    packed = pa.BufferReader(content)
    try:
        import lzma

        with lzma.LZMAFile(packed) if kind == "xz" else pa.CompressedInputStream(packed, kind) as stream:
            unfolded = _drained(stream, name, f"is compressed ({kind}), and unfolds to")
            return Source(name, None, unfolded, is_copy=_is_copy(name, kind))
    except (FileError, MemoryError):
        raise
    except Exception as error:  # each kind of compression has errors of its own
        raise _damaged(name, kind, error) from None


def _is_copy(name: str, kind: str) -> bool:
    """Whether the stand-alone checker cannot unfold a file."""
    return not name.lower().endswith(_CHECKABLE.get(kind, "\0"))


def _damaged(name: str, kind: str, error: Exception) -> FileError:
    return FileError(f"{name} is compressed ({kind}), but damaged or cut off: {reason_of(error)}.")


def _packed_twice(name: str, member: str) -> FileError:
    return FileError(f"{name} is packed twice: it holds {brief(member)}, which is compressed. Unpack it first.")


def read_document(path: str | os.PathLike[str], most: int) -> bytes:
    """Read a file, whatever it is, but not more than one byte beyond the most that it may have."""
    with open(path, "rb") as file, enough_memory(os.fspath(path)):
        parts, left = [], most + 1
        while left and (part := file.read(min(left, _BYTES_PER_READ))):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)


def format_of(source: Source, given: str | None = None) -> str:
    """Tell what a file is: as it is said to be, by its name, or by what it holds."""
    if given is not None and given not in FORMATS:
        raise FileError(f"The format {given!r} is not known; it must be one of {', '.join(FORMATS)}.")
    head = source.head()
    _refuse_others(source.name, head)
    if _is_archive(head):
        return _kind_of_archive(source, given)
    if given is not None:
        return given
    if source.suffix in _SUFFIXES:
        return _SUFFIXES[source.suffix]
    if ours := _DOCUMENT.match(head):
        raise FileError(f"{source.name} is a {ours[1].decode()} of separatrix, not a table.")
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    if _JSON_ARRAY.match(head):
        raise FileError(
            f"{source.name} is a JSON array, which is not read. Write it as JSON lines, an object in each line without "
            "commas between them, as jq -c '.[]' does, or as CSV."
        )
    lines = [line for line in map(bytes.strip, head.split(b"\n")[:50]) if line and not line.startswith(b"#")]
    if lines and _JSON_LINE.fullmatch(lines[0]):
        return "jsonl"
    return "libsvm" if lines and _LIBSVM_LINE.fullmatch(lines[0]) else "csv"


def format_of_all(found: Sequence[Source], given: str | None = None) -> str:
    """Tell what files are, all of which are to be of one kind."""
    return alike(found, [format_of(source, given) for source in found])


def alike(found: Sequence[Source], formats: Sequence[str]) -> str:
    """Return what files are, given what each of them is; they are to be of one kind."""
    other = next((k for k, each in enumerate(formats) if each != formats[0]), None)
    if other is not None:
        raise FileError(
            f"{found[0].name} is {formats[0]}, but {found[other].name} {formats[other]}: name files of one kind."
        )
    return formats[0]


def _kind_of_archive(source: Source, given: str | None) -> str:
    """Tell what an archive is that is a table by itself: whatever it is called, its members tell."""
    if source.suffix in _NUMPY:  # it knows best what is wrong with them
        return given or source.suffix[1:]
    kind = archives.kind_of(source.name, source.buffer())
    if kind == "office":
        raise _of_office(source.name)
    if kind == "xlsx" and given not in (None, "xlsx"):
        raise FileError(f"{source.name} is a spreadsheet (xlsx), not {given}.")
    return "xlsx" if kind == "xlsx" else given or "npz"


def _refuse_others(name: str, head: bytes) -> None:
    """Refuse what is known, and is no table that can be read, whatever it is called."""
    if head.startswith(_OLD_SPREADSHEET):
        raise _of_office(name)
    if re.match(PICKLE, head):
        raise FileError(
            f"{name} is a pickle, which could execute anything and is never loaded. Save the table as Parquet or CSV, or "
            "an array with numpy.save."
        )


def _of_office(name: str) -> FileError:
    return FileError(
        f"{name} is a document of an office program that cannot be read. Save the table in it as an Excel workbook (.xlsx) "
        "or as CSV (in UTF-8), and name that file."
    )


def is_tab_separated(source: Source) -> bool:
    """Whether the name of a file says that its columns are separated by tabs."""
    return source.suffix in (".tsv", ".tab")
