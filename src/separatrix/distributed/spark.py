"""Rows on Spark: the functions that workers of Dask call, called by Spark with the batches of Arrow of each partition."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from .elsewhere import Elsewhere
from .survey import Survey, survey
from .tasks import Failure, OnBlock, OnRows, applied

Result = TypeVar("Result")

State = TypeVar("State")

_RETURNED = "part int, found binary"
"""What a partition returns, as Spark writes it: its number, and the pickled result."""


class SparkRows(Elsewhere):
    """Labelled rows in a Spark DataFrame.

    All that takes rows in blocks takes them, as it takes `DaskRows`. Each partition is a block; its rows must be the same,
    in the same order, whenever they are computed, as those of files are, and those after a shuffle need not be. Whatever
    hands a state from block to block, as a perceptron that learns, takes a job for each partition, through the driver.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The rows: columns of numbers, and one of labels.
    label : str
        The column with the labels.
    """

    def __init__(self, frame: Any, label: str) -> None:
        if label not in frame.columns:
            raise ValueError(f"There is no column {label!r}: the frame has {', '.join(map(repr, frame.columns))}.")
        self._frame, self._label = frame, label
        self._label_place = list(frame.columns).index(label)

    @property
    def at_once(self) -> int:
        """How many blocks are computed with at the same time."""
        return max(1, int(self._frame.sparkSession.sparkContext.defaultParallelism))

    def map(
        self, function: Callable[..., Result], *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each block with ``function(block, first row, *given)``."""
        facts = self.facts
        numbers = range(len(facts.sizes)) if blocks is None else blocks
        chosen = {self._kept[k]: int(k) for k in numbers}
        starts = {part: int(facts.starts[k]) for part, k in chosen.items()}
        for part, found in self._job(OnBlock(function, replace(facts, sizes=()), self._label), given, starts):
            yield chosen[part], found

    def fold(
        self, function: Callable[..., State], state: State, *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, State]]:
        """Hand a state from block to block, a job for each; yield the number of each with the state after it."""
        for k in range(len(self.facts.sizes)) if blocks is None else blocks:
            ((_, state),) = self.map(function, state, *given, blocks=[k])
            yield int(k), state

    def _surveys(self, *given: Any) -> Iterator[tuple[int, Survey | None]]:
        yield from self._job(OnRows(survey, self._label), given)

    def _job(
        self, function: Any, given: tuple[Any, ...] = (), starts: dict[int, int] | None = None
    ) -> list[tuple[int, Any]]:
        """Call a function with each partition, or with those whose first rows are told; return what comes of them."""
        import cloudpickle

        message = cloudpickle.dumps((function, given), pickle.HIGHEST_PROTOCOL)

        def on_partition(batches: Iterable[Any]) -> Iterator[Any]:
            from pyspark import TaskContext

            part = TaskContext.get().partitionId()
            yield called(message, part, 0 if starts is None else starts[part], batches)

        found = self._frame.mapInArrow(on_partition, _RETURNED).rdd
        chosen = None if starts is None else list(starts)  # other partitions are not computed
        rows = self._frame.sparkSession.sparkContext.runJob(found, list, chosen)
        pairs = [(row["part"], pickle.loads(row["found"])) for row in rows]
        for _, found in pairs:
            if isinstance(found, Failure):
                raise found.error
        return pairs


def called(message: bytes, part: int, start: int, batches: Iterable[Any]) -> Any:
    """Call a pickled function with the batches of a partition; return one batch, with what it returned."""
    import pyarrow as pa

    some = list(batches)
    rows = pa.Table.from_batches(some) if some else None
    found = None if rows is None else applied(message, rows, part, start)
    return pa.RecordBatch.from_pydict(
        {"part": pa.array([part], pa.int32()), "found": pa.array([pickle.dumps(found)], pa.binary())}
    )
