"""Rows on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from ..support import progress
from .cluster import client_in_use, closing, connected, local_client, require_dask
from .elsewhere import Elsewhere
from .parts import parts_of
from .submission import Submission
from .survey import Survey, survey
from .tasks import OnBlock, OnRows

Result = TypeVar("Result")

State = TypeVar("State")


class DaskRows(Elsewhere):
    """Labelled rows on the workers of a Dask cluster; they may be more than any one machine holds.

    All that takes rows in blocks takes them: `decide`, `verify`, `margin`, `least_errors`, `describe`, the ``fit`` of a
    perceptron. Answers are those of memory. Rows stay on the workers, which compute each part of them anew for every pass
    over the data; ``X.persist()`` keeps them there in between.

    Parameters
    ----------
    X : dask.array, dask.dataframe, or list of delayed values or futures
        The rows, in chunks of rows, whose sizes need not be known; a table; or parts that each give rows, as an array or a
        CSR matrix, and labels. The rows of each part follow those of the part before it.
    y : dask.array or array, optional
        The labels, for rows that are an array. Those of a Dask array stay on the workers, others go there in each pass.
    label : str, optional
        The column of a table that has the labels.
    client : distributed.Client or str, optional
        The client of the cluster, or the address of its scheduler, such as ``"tcp://10.0.0.1:8786"``. If it is left out, the
        client in use; if there is none, processes are started on this machine.
    workers : int, optional
        How many processes are started, if any are; as many as the machine has cores if not given.
    memory_limit : str or int, default="auto"
        The memory that each of these may take, such as ``"2GB"``.
    retries : int, default=3
        How often a task is tried again that fails for reasons such as a file that cannot be read. A worker that dies is no
        failure: what it was to do is done by another.

    Examples
    --------
    >>> import dask.array as da, distributed
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("iris-setosa")
    >>> with distributed.Client(processes=False, dashboard_address=None) as client:
    ...     rows = sx.DaskRows(da.from_array(X, chunks=(40, -1)), y)
    ...     rows.facts.n, rows.facts.sizes
    (150, (40, 40, 40, 30))
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        label: Any = None,
        *,
        client: Any = None,
        workers: int | None = None,
        memory_limit: str | int = "auto",
        retries: int = 3,
    ) -> None:
        require_dask()
        self._retries = int(retries)
        self._label = label
        named = list(getattr(X, "columns", ()))
        self._label_place = named.index(label) if label in named else None
        self.client = client
        closed: list[Any] = []
        if isinstance(client, str):
            self.client = connected(client)
            closed = [self.client]
        elif client is None:
            self.client = client_in_use()
            if self.client is None:
                self.client, cluster = local_client(workers, memory_limit)
                closed = [self.client, cluster]
        self._close = closing(self, *closed)
        self._parts = parts_of(X, y, label, self._lengths)

    def __repr__(self) -> str:
        known = f"{self.facts.n:,} rows, {self.facts.d:,} columns, " if "facts" in self.__dict__ else ""
        return f"<DaskRows: {known}{len(self._parts):,} parts>"

    def close(self) -> None:
        """End what was started for these rows: processes, or the connection to a scheduler given by its address."""
        self._close()

    def __enter__(self) -> DaskRows:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def map(
        self, function: Callable[..., Result], *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each block with ``function(block, first row, *given)``, as workers come to an end with it."""
        chosen = self._chosen(blocks)
        with Submission.of(self.client, self._retries, self._on_block(function), *given) as submission:
            yield from submission.each(chosen)

    def fold(
        self, function: Callable[..., State], state: State, *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, State]]:
        """Hand a state from worker to worker; yield the number of each block with the state after it."""
        chosen = self._chosen(blocks)
        with Submission.of(self.client, self._retries, self._on_block(function), *given) as submission:
            for _, k, after in submission.in_turn([chosen], state):
                yield k, after

    def folds(
        self, function: Callable[..., State], state: State, *given: Any, groups: Sequence[Sequence[int]]
    ) -> Iterator[tuple[int, State]]:
        """Fold groups of blocks at once, each from the same state; yield the number of each with the state at its end."""
        chains = [self._chosen(group) for group in groups]
        with Submission.of(self.client, self._retries, self._on_block(function), *given) as submission:
            steps = ((g, (k, after)) for g, k, after in submission.in_turn(chains, state))
            for g, (k, after) in self._told(steps, sum(map(len, chains))):
                if k == groups[g][-1]:
                    yield g, after

    @property
    def at_once(self) -> int:
        """How many blocks are computed with at the same time."""
        return max(1, sum(self.client.nthreads().values()))

    def _on_block(self, function: Callable[..., Any]) -> OnBlock:
        return OnBlock(function, replace(self.facts, sizes=()), self._label)

    def _chosen(self, blocks: Sequence[int] | None) -> list[tuple[int, int, Any]]:
        """Return the numbers of blocks, those of their first rows, and where they are."""
        starts = self.facts.starts
        chosen = range(len(self.facts.sizes)) if blocks is None else blocks
        return [(int(k), int(starts[k]), self._parts[self._kept[k]]) for k in chosen]

    def _surveys(self, *given: Any) -> Iterator[tuple[int, Survey | None]]:
        parts = [(k, 0, part) for k, part in enumerate(self._parts)]
        with Submission.of(self.client, self._retries, OnRows(survey, self._label), *given) as submission:
            yield from self._told(submission.each(parts), len(parts))

    def _lengths(self, rows: list[Any]) -> list[int]:
        parts = [(k, 0, part) for k, part in enumerate(rows)]
        with Submission.of(self.client, self._retries, _length) as submission:
            return [size for _, size in sorted(submission.each(parts))]

    @staticmethod
    def _told(found: Iterator[tuple[int, Result]], total: int) -> Iterator[tuple[int, Result]]:
        """Tell of the progress of a pass."""
        for done, each in enumerate(found, 1):
            progress.report(partial(_so_many, done, total), done, total, "parts")
            yield each


def _so_many(done: int, total: int) -> str:
    return f"{done:,} of {total:,} parts"


def _length(part: Any, start: int) -> int:
    return int(part.shape[0])
