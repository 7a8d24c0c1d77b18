"""Records that memory has no room for: written to temporary files, divided into parts that are read back one by one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Spill:
    """Records in temporary files, one for each part; the files are gone when it is closed, or no longer there.

    Records with equal keys come into the same part, so that whoever counts different ones may count part by part. The files
    are where Python has its temporary files; the environment variable TMPDIR names another folder.

    >>> with Spill(4) as spill:
    ...     spill.add(np.array([7, 8], np.uint64), np.array([70, 80]))
    ...     spill.add(np.array([7], np.uint64), np.array([71]))
    ...     sorted(part.tolist() for part in spill)
    [[70, 71], [80]]
    """

    def __init__(self, parts: int) -> None:
        self._bits = max(1, parts - 1).bit_length()
        self._folder = tempfile.TemporaryDirectory(prefix="separatrix-")
        self._dtype: Any = None
        self._there: set[int] = set()

    def add(self, keys: NDArray[np.uint64], records: NDArray[Any]) -> None:
        """Write records to the parts that their keys tell."""
        self._dtype = records.dtype
        mixed = (keys ^ (keys >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        parts = (mixed >> np.uint64(64 - self._bits)).astype(np.uint16)  # at most 16 bits, which are sorted the fastest
        order = np.argsort(parts, kind="stable")
        ends = np.cumsum(np.bincount(parts, minlength=1))
        for part in np.flatnonzero(np.diff(ends, prepend=0)).tolist():
            self._append(part, records[order[ends[part - 1] if part else 0 : ends[part]]].tobytes())
            self._there.add(part)

    def _append(self, part: int, content: bytes) -> None:
        try:
            with self._path(part).open("ab") as file:
                file.write(content)
        except OSError as error:
            what = f"{error.strerror}, for temporary files, which TMPDIR names another folder for"
            raise OSError(error.errno, what, self._folder.name) from None

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Read each part that has any records, all of it."""
        for part in sorted(self._there):
            yield np.fromfile(self._path(part), self._dtype)

    @property
    def count(self) -> int:
        """How many parts have any records."""
        return len(self._there)

    def _path(self, part: int) -> Path:
        return Path(self._folder.name, str(part))

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def parts_for(size: int, room: int) -> int:
    """Return into how many parts so many bytes are to be divided, if each should fit in a room; as many as make sense.

    >>> parts_for(10**9, 10**8), parts_for(10**15, 1), parts_for(1, 10)
    (20, 1024, 2)
    """
    return max(2, min(1024, -(-2 * size // max(1, room))))
