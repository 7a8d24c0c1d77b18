"""Whether a column numbers the rows, found out piece by piece in bounded memory."""

from __future__ import annotations

import numpy as np

from .._types import Floats

_PAGE = 2**16
"""Whole numbers that a page tells of."""

_FIRST = 1000
"""Numbers of a piece that are looked at before all are."""


class RowNumbering:
    """Watches whether numbers are whole, and no two of them the same; pages of those that came are kept while they fill.

    >>> watch = RowNumbering(10**6)
    >>> for piece in ([3.0, 4.0, 5.0], [2.0, 1.0]):
    ...     watch.see(np.array(piece))
    >>> watch.are_dense(5), watch.is_certain
    (True, True)
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
            self._see_page(int(part[0] // _PAGE), part % _PAGE)
            if not self._distinct:
                return
        if sum(page is not None for page in self._pages.values()) * _PAGE + 100 * len(self._pages) > self._most:
            self._give_up(certain=False)

    def _see_page(self, number: int, places: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
        page = self._pages.get(number, np.zeros(0, bool))
        if page is None:  # full
            self._give_up(certain=True)
            return
        if not page.size:
            page = np.zeros(_PAGE, bool)
        if page[places].any():
            self._give_up(certain=True)
            return
        page[places] = True
        self._pages[number] = None if page.all() else page

    def _give_up(self, certain: bool) -> None:
        self._distinct, self.is_certain = False, certain
        self._pages.clear()

    def are_dense(self, n: int) -> bool:
        """Whether all of n numbers were different, without much room between them."""
        return self._distinct and bool(self._largest - self._least < 2 * n)
