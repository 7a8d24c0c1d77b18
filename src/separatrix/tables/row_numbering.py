"""Whether a column numbers the rows, found out piece by piece in bounded memory."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from .._types import Floats

_PAGE = 2**16
"""Whole numbers that a page tells of."""

_NOTHING = np.zeros(_PAGE, bool)

_FIRST = 1000
"""Numbers of a piece that are looked at before all are."""


class RowNumbering:
    """Watches whether numbers are whole, and no two of them the same; pages of those that came are kept while they fill.

    >>> watch = RowNumbering(10**6)
    >>> for piece in ([3.0, 4.0, 5.0], [2.0, 1.0]):
    ...     watch.see(np.array(piece))
    >>> watch.are_dense(5), watch.is_certain
    (True, True)
    >>> twice = RowNumbering(10**6)
    >>> twice.see(np.array([1.0]))
    >>> watch.add(twice)
    >>> watch.are_dense(6)
    False
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._pages: dict[int, np.ndarray[tuple[int], np.dtype[np.bool_]] | None] = {}
        self._least, self._largest = np.inf, -np.inf
        self._distinct = True
        self.is_certain = True
        """Whether there was room to find it out."""

    def see(self, values: Floats) -> None:
        """See the next numbers, which are finite."""
        if not self._distinct or not values.size:
            return
        some = values[:_FIRST]
        if np.any(some != np.floor(some)) or np.unique(some).size < some.size:
            self._give_up(certain=True)
            return
        self._least, self._largest = min(self._least, values.min()), max(self._largest, values.max())
        if max(-self._least, self._largest) >= 2.0**53 or not np.array_equal(values, np.floor(values)):
            self._give_up(certain=True)
            return
        whole = np.sort(values.astype(np.int64))
        if np.any(whole[1:] == whole[:-1]):
            self._give_up(certain=True)
            return
        pages = whole // _PAGE
        ends = np.flatnonzero(np.diff(pages)) + 1
        for part in np.split(whole, ends):
            page = np.zeros(_PAGE, bool)
            page[part % _PAGE] = True
            self._see_page(int(part[0] // _PAGE), page)
            if not self._distinct:
                return
        self._require_room()

    def add(self, after: RowNumbering) -> None:
        """See the numbers that another one has seen."""
        if not self._distinct:
            return
        if not after._distinct:
            self._give_up(after.is_certain)
            return
        self._least, self._largest = min(self._least, after._least), max(self._largest, after._largest)
        for number, page in after._pages.items():
            self._see_page(number, np.ones(_PAGE, bool) if page is None else page)
            if not self._distinct:
                return
        self._require_room()

    def __getstate__(self) -> dict[str, Any]:
        """Have pages take as little room as they can on their way from one process to another."""
        packed = {
            k: None if page is None else zlib.compress(np.packbits(page).tobytes(), 1) for k, page in self._pages.items()
        }
        return {**self.__dict__, "_pages": packed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take pages as they came."""
        pages = {
            k: None if page is None else np.unpackbits(np.frombuffer(zlib.decompress(page), np.uint8)).astype(bool)
            for k, page in state["_pages"].items()
        }
        self.__dict__.update(state, _pages=pages)

    def _require_room(self) -> None:
        if sum(page is not None for page in self._pages.values()) * _PAGE + 100 * len(self._pages) > self._most:
            self._give_up(certain=False)

    def _see_page(self, number: int, places: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> None:
        page = self._pages.get(number, _NOTHING)
        if page is None or (page & places).any():  # full, or some of them are there
            self._give_up(certain=True)
            return
        page = page | places
        self._pages[number] = None if page.all() else page

    def _give_up(self, certain: bool) -> None:
        self._distinct, self.is_certain = False, certain
        self._pages.clear()

    def are_dense(self, n: int) -> bool:
        """Whether all of n numbers were different, without much room between them."""
        return self._distinct and bool(self._largest - self._least < 2 * n)
