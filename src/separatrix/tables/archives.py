"""Archives in the format of zip: a table that is packed in one, and the clean copy of a spreadsheet.

Nothing is written to the disk, and no path of an archive is used. What an archive says it unfolds to is checked before it is
unfolded, and nothing beyond that is read.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from ..exceptions import FileError
from ..support.counts import few_of
from ..support.escaping import brief
from ..support.limits import exceeded, most_bytes
from .foreign_errors import reason_of

MARK = b"PK"
"""What archives begin with."""

_MAX_MEMBERS = 10_000
"""Members that an archive may have: more are no table, and looking at them would take long."""

_MAX_NAMES = 8
"""Members that a message names."""

_BYTES_PER_READ = 2**20

_DECLARATION = re.compile(rb"<\s*!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)
"""What XML needs to declare entities, which may unfold without an end, or name other files."""


def kind_of(name: str, content: Any) -> str:
    """Tell what an archive is, by the names of its members: "npz", "xlsx", "office", or "zip" if it is none of these."""
    with _opened(name, content) as archive:
        names = archive.namelist()
    if "[Content_Types].xml" in names:
        return "xlsx" if any(each.startswith("xl/") for each in names) else "office"
    if "mimetype" in names:
        return "office"
    return "npz" if names and all(each.endswith(".npy") for each in names) else "zip"


def only_member(name: str, content: pa.Buffer) -> tuple[str, pa.Buffer]:
    """Return the only file in an archive, with what it is called there; folders and what macOS adds do not count."""
    with _opened(name, content) as archive:
        member = _only_file(name, archive)
        if member.file_size > most_bytes():
            raise FileError(exceeded(f"{name} is a zip archive that unfolds to", most_bytes()))
        return member.filename, pa.py_buffer(_unfolded(archive, member))


def name_of_only_member(name: str, file: Any) -> str:
    """Return what the only file in an archive is called there."""
    with _opened(name, file) as archive:
        return str(_only_file(name, archive).filename)


def opened_member(name: str, file: Any, member: str | None) -> Any:
    """Open a file in an archive, to be unfolded while it is read."""
    with _opened(name, file) as archive:
        return archive.open(member)


def _only_file(name: str, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    files = [each for each in archive.infolist() if not each.is_dir() and not _is_extra(each.filename)]
    if len(files) != 1:
        some = few_of([brief(each.filename) for each in files], _MAX_NAMES, in_all=True)
        holds = f"{len(files):,} files: {some}" if files else "no file"
        raise FileError(f"{name} is a zip archive, and holds {holds}. Pack one table in it, or unpack it first.")
    return files[0]


def clean_copy(name: str, content: pa.Buffer) -> tuple[io.BytesIO, list[bytes]]:
    """Return a copy of a spreadsheet, stored and not compressed, and its sheets as XML; refuse what could do harm.

    Whoever reads the copy unfolds nothing, and finds what was looked at here and nothing else.
    """
    copy, sheets = io.BytesIO(), []
    with _opened(name, content) as archive, zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as clean:
        members = [each for each in archive.infolist() if not each.is_dir()]
        if sum(each.file_size for each in members) > max(most_bytes(), content.size):
            raise FileError(exceeded(f"{name} is an archive that unfolds to", most_bytes()))
        if len({each.filename for each in members}) < len(members):
            raise FileError(f"{name} is not a spreadsheet that can be read: it holds two parts of one name.")
        for member in members:
            if not member.filename.endswith((".xml", ".rels")):
                continue  # pictures, macros and the like
            part = _unfolded(archive, member)
            # In UTF-16, which XML may be, there is a NUL beside each letter.
            if _DECLARATION.search(part.replace(b"\0", b"")):
                raise FileError(f"{name} declares entities of XML, which no spreadsheet needs: it is not read.")
            if member.filename.startswith("xl/worksheets/"):
                sheets.append(part)
            clean.writestr(zipfile.ZipInfo(member.filename), part)
    copy.seek(0)
    return copy, sheets


def _is_extra(name: str) -> bool:
    return name.startswith("__MACOSX/") or name.rpartition("/")[2] == ".DS_Store"


def _unfolded(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Unfold a member, as far as the archive says that it goes; its sum is checked."""
    with archive.open(member) as file:
        return b"".join(iter(lambda: file.read(_BYTES_PER_READ), b""))


@contextmanager
def _opened(name: str, content: Any) -> Iterator[Any]:
    """Open an archive: its bytes, or a file, which stays open."""
    try:
        with zipfile.ZipFile(pa.BufferReader(content) if isinstance(content, pa.Buffer) else content) as archive:
            if len(archive.infolist()) > _MAX_MEMBERS:
                raise FileError(f"{name} is a zip archive of more than {_MAX_MEMBERS:,} files. Pack one table in it.")
            if any(each.flag_bits & 1 for each in archive.infolist()):
                raise FileError(f"{name} is an archive with a password. Unpack it first.")
            yield archive
    except (FileError, MemoryError):
        raise
    except Exception as error:  # damaged archives fail in many ways
        raise FileError(f"{name} is a zip archive, but damaged or cut off: {reason_of(error)}.") from None
