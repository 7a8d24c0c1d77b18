"""Reading ahead: the next blocks are being read while something is done with the last one."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Any, TypeVar

from ..compiled.environment import checked_arithmetic

Item = TypeVar("Item")


def ahead(items: Iterator[Item], most: int = 1) -> Iterator[Item]:
    """Give what an iterator gives, which goes on in a thread of its own: so many items ahead of who takes them, at most.

    Where one item takes longer than another, with a single one in between both sides wait for each other in turn.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    made: deque[tuple[Any, BaseException | None, bool]] = deque()
    wanted, there = threading.Semaphore(most), threading.Semaphore(0)
    left = threading.Event()

    def tell(item: Any, error: BaseException | None, ended: bool) -> None:
        made.append((item, error, ended))
        there.release()

    @checked_arithmetic
    def go_through() -> None:
        try:
            while wanted.acquire() and not left.is_set():
                try:
                    item = next(items)
                except StopIteration:
                    tell(None, None, True)
                    return
                tell(item, None, False)
                del item
        except BaseException as error:
            tell(None, error, True)
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()

    thread = threading.Thread(target=go_through, name="separatrix reading", daemon=True)
    thread.start()
    try:
        while True:
            there.acquire()
            item, error, ended = made.popleft()
            if error is not None:
                raise error
            if ended:
                return
            wanted.release()
            yield item
            del item
    finally:
        left.set()
        wanted.release()
        thread.join()
