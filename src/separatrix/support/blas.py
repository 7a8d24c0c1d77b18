"""One thread for linear algebra, while loops of ours call it.

BLAS and LAPACK share even small products among threads that wait for each other without sleeping. Where there are more such
threads than cores, as with two processes, or beside threads of our own, a loop of small products takes fifty times as long.
Whatever is large enough for several threads, we share among our own (`threads`).
"""

from __future__ import annotations

import os
import threading
from contextlib import ContextDecorator
from functools import cached_property
from typing import Any

from threadpoolctl import ThreadpoolController


class _OneThread(ContextDecorator):
    """Keeps BLAS to one thread while any thread of this process is inside; afterwards it has as many as it had before.

    The number of threads is the whole process's. It is therefore set by whoever enters first, and restored by whoever
    leaves last: within computations and in several threads at once, all the others only count. Who changes the number in
    the meantime, by other means, finds it restored to what it was before.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: list[int | None] = []

    @cached_property
    def _libraries(self) -> list[Any]:
        """The libraries that NumPy and SciPy have loaded; finding them takes longer than most of what they compute."""
        import scipy.linalg  # noqa: F401 (it brings its own BLAS along, which is to be found, too)

        return list(ThreadpoolController().select(user_api="blas").lib_controllers)

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._before = [library.get_num_threads() for library in self._libraries]
                self._set([1] * len(self._before))

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside = max(0, self._inside - 1)  # 0 if this is a process that was forked inside
            if not self._inside:
                self._set(self._before)

    def _set(self, numbers: list[int] | list[int | None]) -> None:
        for library, number in zip(self._libraries, numbers, strict=True):
            # Newer versions of threadpoolctl let only one thread set numbers: that which was the first to do so.
            release = getattr(library, "clear_controlling_thread", lambda force: None)
            release(force=True)
            if number is not None:
                library.set_num_threads(number)
            release(force=True)

    def forget(self) -> None:
        """Begin anew in a process that was forked while others were inside: they are not in it."""
        self._lock = threading.Lock()
        if self._inside:
            self._inside = 0
            self._set(self._before)


one_thread = _OneThread()
"""A context, and a decorator of functions: inside, BLAS has one thread."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=one_thread.forget)
