"""Reading ahead: the next block is being read while something is done with the last one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any, TypeVar

from ..compiled.environment import checked_arithmetic

Item = TypeVar("Item")

_SECONDS_BETWEEN_LOOKS = 0.1
"""Seconds after which a thread that waits for room looks whether anybody still wants what it has."""


def ahead(items: Iterator[Item]) -> Iterator[Item]:
    """Give what an iterator gives, which goes on in a thread of its own: it is one item ahead of who takes them.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    room: queue.Queue[tuple[Any, BaseException | None, bool]] = queue.Queue(1)
    left = threading.Event()

    def put(told: tuple[Any, BaseException | None, bool]) -> bool:
        while not left.is_set():
            try:
                room.put(told, timeout=_SECONDS_BETWEEN_LOOKS)
                return True
            except queue.Full:
                continue
        return False

    @checked_arithmetic
    def go_through() -> None:
        try:
            for item in items:
                if not put((item, None, False)):
                    return
            put((None, None, True))
        except BaseException as error:
            put((None, error, True))
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()

    thread = threading.Thread(target=go_through, name="separatrix reading", daemon=True)
    thread.start()
    try:
        while True:
            item, error, ended = room.get()
            if error is not None:
                raise error
            if ended:
                return
            yield item
            del item
    finally:
        left.set()
        thread.join()
