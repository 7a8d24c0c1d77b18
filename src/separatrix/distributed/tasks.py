"""What workers do: pure functions of parts of the rows.

A call goes to the workers once, pickled; each task makes the function and what it is given of that anew, so that nothing
which a task changes is seen by another, or by the same task when it is done once more because a worker has died. What is
wrong with the rows comes back as a value: done once more, it would be the same.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..compiled.environment import checked_arithmetic
from ..problem.blocks import Block, Facts
from .labelled import Labelled, block_of, read_part


@dataclass(frozen=True)
class Failure:
    """An error that doing it once more would not mend."""

    error: Exception


@dataclass(frozen=True)
class OnRows:
    """Reads a part, and calls a function with its rows and labels."""

    function: Callable[..., Any]
    label: Any = None

    def __call__(self, part: Any, start: int, *given: Any) -> Any:
        """Do it."""
        return self.function(read_part(part, self.label), *given)


@dataclass(frozen=True)
class OnBlock:
    """Reads a part, makes a block of it, and calls a function with that and the number of its first row."""

    function: Callable[..., Any]
    facts: Facts
    label: Any = None

    def __call__(self, part: Any, start: int, *given: Any) -> Any:
        """Do it."""
        found = read_part(part, self.label)
        assert isinstance(found, Labelled)  # parts without rows are no blocks
        block: Block = block_of(found, self.facts)
        return self.function(block, start, *given)


def as_given(message: bytes) -> bytes:
    """Hold what all tasks of a pass need, where they can get it from each other."""
    return message


@checked_arithmetic
def applied(message: bytes, part: Any, k: int, start: int) -> Any:
    """Call a function with a part."""
    function, given = pickle.loads(message)
    return _tried(function, part, k, start, *given)


@checked_arithmetic
def stepped(message: bytes, part: Any, k: int, start: int, state: bytes | Failure) -> bytes | Failure:
    """Call a function with a part and the state before it; return the state after it."""
    if isinstance(state, Failure):
        return state
    function, given = pickle.loads(message)
    after = _tried(function, part, k, start, pickle.loads(state), *given)
    return after if isinstance(after, Failure) else pickle.dumps(after, pickle.HIGHEST_PROTOCOL)


def _tried(function: Callable[..., Any], part: Any, k: int, start: int, *given: Any) -> Any:
    try:
        return function(part, start, *given)
    except (OSError, MemoryError):  # it may do better elsewhere
        raise
    except Exception as error:
        error.add_note(f"This was in part {k} of the rows, counted from 0.")
        return Failure(error.with_traceback(None))
