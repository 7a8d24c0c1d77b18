"""Clocks that are up after so many looks, so that tests of time limits do not depend on time."""

from contextlib import contextmanager
from unittest import mock

from separatrix.support.clock import Clock


@contextmanager
def looks(count):
    """Have clocks with a limit run out after so many looks at any of them."""
    left = [count]

    def look(clock):
        if clock.limit is None:
            return float("inf")
        left[0] -= 1
        return 1.0 if left[0] >= 0 else 0.0

    with mock.patch.object(Clock, "left", look):
        yield
