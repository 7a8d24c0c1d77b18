"""A pass in which all blocks are asked the same, whichever comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ..problem.batches import Batches, ended
from ..support import progress

Result = TypeVar("Result")


def each_block(batches: Batches, doing: str, function: Callable[..., Result], *given: Any) -> Iterator[Result]:
    """Yield what a function makes of each block that has rows, in any order; tell of the progress."""
    sizes, n, done = batches.facts.sizes, batches.facts.n, 0
    with (
        progress.part(doing),
        ended(batches.map(function, *given, blocks=[k for k, size in enumerate(sizes) if size])) as all_,
    ):
        for k, found in all_:
            done += sizes[k]
            progress.report(lambda: f"{done:,} of {n:,} rows", done, n, "rows")  # noqa: B023
            yield found
