"""One thread for linear algebra, while loops of ours call it.

BLAS and LAPACK share even small products among threads that wait for each other without sleeping. Where there are more such
threads than cores, as with two processes, or beside threads of our own, a loop of small products takes fifty times as long.
Whatever is large enough for several threads, we share among our own (`kernels.threads`).
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
        self._limit: Any = None

    @cached_property
    def _libraries(self) -> ThreadpoolController:
        """The libraries that NumPy and SciPy have loaded; finding them takes longer than most of what they compute."""
        import scipy.linalg  # noqa: F401 (it brings its own BLAS along, which is to be found, too)

        return ThreadpoolController().select(user_api="blas")

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._take_control()
                self._limit = self._libraries.limit(limits=1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._restore()

    def _take_control(self) -> None:
        """Let this thread set numbers, which newer versions of threadpoolctl grant to the first one that has set any."""
        for library in self._libraries.lib_controllers:
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread(force=True)

    def _restore(self) -> None:
        self._take_control()
        self._limit.restore_original_limits()
        self._take_control()  # for whoever is next

    def forget(self) -> None:
        """Begin anew in a process that was forked while others were inside: they are not in it."""
        self._lock = threading.Lock()
        if self._inside:
            self._inside = 0
            self._restore()


one_thread = _OneThread()
"""A context, and a decorator of functions: inside, BLAS has one thread."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=one_thread.forget)
