"""Rows on the workers of a Dask cluster."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, TypeVar

from ..problem.blocks import Facts
from ..problem.provenance import POSITIONS, Choice, Column, Layout, Places
from ..streaming.files import TableBlocks
from ..streaming.libsvm_blocks import LibsvmBlocks
from ..streaming.memory import bytes_of
from ..streaming.one_against_rest import against_rest, on_one_against_rest
from ..streaming.opening import table_again
from ..support import progress
from ..tables.asked import asked
from ..tables.description_text import Description
from ..tables.frame import is_file
from ..tables.learnt import Learnt
from ..tables.libsvm_pieces import LibsvmPieces
from ..tables.opened_pieces import Room, opened_in_pieces
from ..tables.reading import Known
from .cluster import client_in_use, closing, connected, local_client, require_alike, require_dask
from .elsewhere import Elsewhere
from .file_pieces import OnRowsOfPiece, OnWorkers, PiecesElsewhere
from .parts import parts_of
from .submission import Submission, Workers
from .survey import Survey, survey
from .tasks import OnBlock, OnRows

Result = TypeVar("Result")

State = TypeVar("State")


class DaskRows(Elsewhere):
    r"""Labelled rows on the workers of a Dask cluster; they may be more than any one machine holds.

    All that takes rows in blocks takes them: `decide`, `verify`, `margin`, `least_errors`, `describe`, the ``fit`` of a
    perceptron. Answers are those of memory. Rows stay on the workers, which compute each part of them anew for every pass
    over the data; ``X.persist()`` keeps them there in between.

    Parameters
    ----------
    X : dask.array, dask.dataframe, list of delayed values or futures, path or paths
        The rows, in chunks of rows, whose sizes need not be known; a table; or parts that each give rows, as an array or a
        CSR matrix, and labels. The rows of each part follow those of the part before it. Or files, with wildcards or
        without, which the workers read: they need to find them by the same paths.
    y : dask.array or array, optional
        The labels, for rows that are an array. Those of a Dask array stay on the workers, others go there in each pass.
    label : str or int, optional
        The column of a table that has the labels; of files, by its name or by its position.
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
    memory : str or int, default="1GB"
        Of files: about how much memory the rows in work may take on each worker, as for `Stream`; it says how large the
        pieces are that files are read in.
    **reading
        Of files: how they are written, and what is chosen of them, as for `Stream`: drop, only, text, missing, header and
        so on.

    Examples
    --------
    >>> import dask.array as da, distributed
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("iris-setosa")
    >>> with distributed.Client(processes=False, dashboard_address=None) as client:
    ...     rows = sx.DaskRows(da.from_array(X, chunks=(40, -1)), y)
    ...     rows.facts.n, rows.facts.sizes
    (150, (40, 40, 40, 30))

    Files are read by the workers:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, paid in (("1.csv", 0), ("2.csv", 1)):
    ...         with open(f"{folder}/{name}", "w") as file:
    ...             _ = file.write(f"age,job,paid\n{30 + paid},cook,{paid}\n40,clerk,{paid}\n")
    ...     with distributed.Client(processes=False, dashboard_address=None) as client:
    ...         rows = sx.DaskRows(f"{folder}/*.csv", label="paid")
    ...         rows.facts.n, rows.names
    (4, ['age', 'job=clerk', 'job=cook'])
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
        memory: str | int = "1GB",
        **reading: Any,
    ) -> None:
        self._connect(client, workers, memory_limit, retries)
        if _names_files(X):
            if y is not None:
                raise ValueError(
                    "y was given, but files have their labels in a column: name it with label, and leave y out."
                )
            layout, choice = asked(label, **reading)
            self._open(X, layout, choice, bytes_of(memory))
            return
        if reading:
            raise TypeError(f"{next(iter(reading))} says how files are read, but X is no file: {type(X).__name__}.")
        named = list(getattr(X, "columns", ()))
        self._label, self._label_place = label, named.index(label) if label in named else None
        self._parts = parts_of(X, y, label, self._lengths)

    @classmethod
    def of(
        cls, source: Any, layout: Layout, choice: Choice, memory: int, client: Any, workers: int | None = None
    ) -> DaskRows:
        """Return the rows of files, read and chosen as said, in so many bytes of memory of each worker."""
        rows = cls.__new__(cls)
        rows._connect(client, workers)
        rows._open(source, layout, choice, memory)
        return rows

    @classmethod
    def again(cls, source: list[str], known: Known, memory: int, client: Any, workers: int | None = None) -> DaskRows:
        """Return the rows of files in the columns that a model has learnt from."""
        rows = cls.__new__(cls)
        rows._connect(client, workers)
        rows._files = table_again(source, known, Room(memory), rows._reach())
        assert rows._files is not None  # what cannot be read in pieces is refused, and what has no names of columns
        return rows

    def _connect(
        self, client: Any, workers: int | None = None, memory_limit: str | int = "auto", retries: int = 3
    ) -> None:  # fmt: skip
        """Find the workers, or start some."""
        require_dask()
        self._retries, self._label = int(retries), None
        self._files: TableBlocks | LibsvmBlocks | None = None
        self._against: int | None = None
        """The class that all others are set against; ``_before`` is what was known before."""
        self._before: Facts | None = None
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

    def _open(self, source: Any, layout: Layout, choice: Choice, memory: int) -> None:
        """Have the workers open files."""
        room = Room(memory)
        found = opened_in_pieces(source, layout, choice, room, self._reach())
        assert found is not None  # what cannot be read in pieces is refused
        self._files = LibsvmBlocks(found) if isinstance(found, LibsvmPieces) else TableBlocks(found, choice, room)

    def _reach(self) -> OnWorkers:
        """Return what has the workers open and read files; they must be as this process is."""
        require_alike(self.client)
        return OnWorkers(Workers(self.client, self._retries))

    # ---- What is known.

    @cached_property
    def facts(self) -> Facts:
        """What the first pass tells; it is made when first asked for."""
        if self._files is None:
            return super().facts
        return self._files.facts()

    @property
    def known(self) -> Learnt | None:
        """What there is to know of the table that the rows come from, if they come from the files of one."""
        return self._files.learnt if isinstance(self._files, TableBlocks) else None

    @property
    def table_columns(self) -> tuple[str, ...] | None:
        """What the columns of the table are called that the rows come from, if they come from the files of one."""
        return self._files.table_columns if isinstance(self._files, TableBlocks) else None

    @property
    def places(self) -> Places:
        """What tells where rows are: in which file, if they come from files, or their numbers."""
        return POSITIONS if self._files is None else self._files.places

    def in_columns(self, columns: tuple[Column, ...] | None, unseen: str) -> DaskRows:
        """Return the rows of a table in columns that were learnt before; ``unseen`` as in `read_data`."""
        if columns is None or not isinstance(self._files, TableBlocks) or self.facts.columns == columns:
            return self
        return self._like(_files=self._files.in_columns(columns, unseen))

    def against_rest(self, label: Any) -> DaskRows:
        """Return the same rows, labelled by whether they are of a class: True or False."""
        facts = self.facts
        return self._like(_against=facts.classes.index(label), _before=facts, facts=against_rest(facts, label))

    def _like(self, **changed: Any) -> DaskRows:
        """Return rows on the same workers; these keep the connection open, as long as there are those."""
        other = copy.copy(self)
        other.__dict__.pop("facts", None)
        other.__dict__.update(changed, _owner=self)
        return other

    def describe(self, positive: str | None = None) -> Description:
        """Answer `separatrix.describe`."""
        files, held = self._files, 2 * self.most_numbers
        if files is None or self._against is not None:
            found: Description = super().describe(positive)
            return found
        if isinstance(files, TableBlocks):
            return files.describe(self, positive, held, lambda blocks: self._like(_files=blocks))
        return files.describe(self, positive, held)

    # ---- What is done with them.

    def __repr__(self) -> str:
        known = f"{self.facts.n:,} rows, {self.facts.d:,} columns, " if "facts" in self.__dict__ else ""
        if self._files is None:
            return f"<DaskRows: {known}{len(self._parts):,} parts>"
        return f"<DaskRows: {known}{len(self.facts.sizes):,} parts>" if known else "<DaskRows: files, not read yet>"

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

    def _on_block(self, function: Callable[..., Any]) -> OnBlock | OnRowsOfPiece:
        """Return what workers do with a part, to call a function with the block that it is."""
        if self._against is not None:
            function = partial(on_one_against_rest, function, self._against, len(self.facts.classes) == 1)
        if self._files is None:
            return OnBlock(function, replace(self.facts if self._before is None else self._before, sizes=()), self._label)
        return OnRowsOfPiece(function, self._files.way)

    def _chosen(self, blocks: Sequence[int] | None) -> list[tuple[int, int, Any]]:
        """Return the numbers of blocks, those of their first rows, and where they are."""
        starts = self.facts.starts
        chosen = range(len(self.facts.sizes)) if blocks is None else blocks
        return [(int(k), int(starts[k]), self._part(int(k))) for k in chosen]

    def _part(self, k: int) -> Any:
        """Return what a block is made of."""
        if self._files is None:
            return self._parts[self._kept[k]]
        pieces = self._files.pieces
        assert isinstance(pieces, PiecesElsewhere)
        return pieces.piece(self._files.numbers[k], self._files.first(k))

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


def _names_files(X: Any) -> bool:
    """Whether something names a file, or files."""
    return is_file(X) and X != [] and X != ()


def _so_many(done: int, total: int) -> str:
    return f"{done:,} of {total:,} parts"


def _length(part: Any, start: int) -> int:
    return int(part.shape[0])
