"""A stream: rows in blocks that are read one after another, ahead of what is done with them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from ..problem.batches import ended
from ..problem.blocks import Facts, Setting
from ..problem.digest import parts_of
from ..problem.provenance import Choice, Column, Layout, Missing, NumbersAs, Places
from ..support.ahead import ahead
from ..tables.asked import asked
from ..tables.data import Data
from ..tables.description_text import Description
from ..tables.learnt import Learnt
from ..tables.reading import Known
from .block_source import BlockSource, Describing, HeldRows
from .files import TableBlocks
from .known_rows import KnownRows
from .memory import bytes_of
from .one_against_rest import OneAgainstRest
from .opening import opened, opened_again

Result = TypeVar("Result")

State = TypeVar("State")

__all__ = ["BlockSource", "HeldRows", "Stream"]


class Stream(KnownRows):
    """Rows that are read in blocks, anew for each pass, in bounded memory.

    Functions such as `decide`, and estimators such as `Perceptron`, take it in place of rows and labels, and answer the same
    as of all rows in memory.

    Parameters
    ----------
    source : path, paths, table, rows and labels, or function
        Files as `read_data` takes them; a table in memory; a pair of arrays, rows and labels; or a function without
        parameters that gives batches anew each time that it is called, an iterable of such tables or pairs.
    label : str or int, optional
        The column that holds the labels, by name or by position: 1 is the first, -1 the last.
    memory : str or int
        About how much memory the rows in work may take, as in "500MB" or "2GiB", beside what the library takes itself.
    drop, only, text, missing, header, separator, encoding, gaps, usual_gaps, format, numbers, skip_lines, comment, \
decimal, thousands, sheet, ignore_case, drop_unlabelled
        As in `read_data`.

    Notes
    -----
    CSV, also compressed, Parquet and tables in memory are read piece by piece; other files are read as a whole, if
    they are not larger than ``memory``. The first pass is a survey, which finds out columns, categories and classes; it is
    made when first asked for. A file that changes between passes is refused.

    Examples
    --------
    >>> import separatrix as sx
    >>> table = {"age": [20, 30, 40], "job": ["clerk", "cook", "clerk"], "paid": [0, 1, 1]}
    >>> stream = sx.Stream(table, label="paid")
    >>> stream
    <Stream: not read yet>
    >>> stream.facts.d, stream
    (3, <Stream: 3 rows, 3 columns, classes 0, 1>)
    """

    here = True

    def __init__(
        self,
        source: Any,
        label: str | int | None = None,
        *,
        memory: str | int = "1GB",
        drop: Iterable[str | int] = (),
        only: Iterable[str | int] = (),
        text: Iterable[str | int] = (),
        missing: Missing = "refuse",
        header: bool | None = None,
        separator: str | None = None,
        encoding: str | None = None,
        gaps: str | Iterable[str] = (),
        usual_gaps: bool = True,
        format: str | None = None,  # noqa: A002 (what users call it)
        numbers: NumbersAs = "auto",
        skip_lines: int | None = None,
        comment: str | None = None,
        decimal: str | None = None,
        thousands: str | None = None,
        sheet: str | int | None = None,
        ignore_case: bool = False,
        drop_unlabelled: bool = False,
    ) -> None:
        layout, choice = asked(
            label, drop=drop, only=only, text=text, missing=missing, header=header, separator=separator, encoding=encoding,
            gaps=gaps, usual_gaps=usual_gaps, format=format, numbers=numbers, skip_lines=skip_lines, comment=comment,
            decimal=decimal, thousands=thousands, sheet=sheet, ignore_case=ignore_case, drop_unlabelled=drop_unlabelled,
        )  # fmt: skip
        self._memory = bytes_of(memory)
        self._source: BlockSource = opened(source, layout, choice, self._memory)

    @classmethod
    def of(cls, source: Any, layout: Layout, choice: Choice, memory: int) -> Stream:
        """Return the stream of files, read and chosen as said, in so many bytes of memory."""
        stream = cls.__new__(cls)
        stream._memory, stream._source = memory, opened(source, layout, choice, memory)
        return stream

    @classmethod
    def again(cls, source: Any, known: Known, memory: int) -> Stream:
        """Return the stream of files in the columns that a model has learnt from."""
        stream = cls.__new__(cls)
        stream._memory, stream._source = memory, opened_again(source, known, memory)
        return stream

    @cached_property
    def facts(self) -> Facts:
        """What the first pass tells; it is made when first asked for."""
        return self._source.facts()

    @property
    def most_numbers(self) -> int:
        """How many numbers of rows may be held at a time: a quarter of the memory, as some are in work besides."""
        return self._memory // 32

    @property
    def places(self) -> Places:
        """What tells where rows are, by their numbers."""
        return self._source.places

    def against_rest(self, label: Any) -> Stream:
        """Return the same rows, labelled by whether they are of a class: True or False."""
        return Stream(OneAgainstRest(self._source, self.facts, label))

    def in_columns(self, columns: tuple[Column, ...] | None, unseen: str) -> Stream:
        """Return the rows of a table in columns that were learnt before; ``unseen`` as in `read_data`."""
        source = self._source
        if columns is None or not isinstance(source, TableBlocks) or self.facts.columns == columns:
            return self
        return Stream(source.in_columns(columns, unseen))

    @property
    def table_columns(self) -> tuple[str, ...] | None:
        """What the columns of the table are called that the rows come from, if it is read in pieces; that takes no pass."""
        return self._source.table_columns if isinstance(self._source, TableBlocks) else None

    @property
    def known(self) -> Data | Learnt | None:
        """What there is to know of the table that the rows come from, if they come from one."""
        return self._source.learnt if isinstance(self._source, TableBlocks) else self.whole

    @property
    def whole(self) -> Data | None:
        """The rows as they were read, where they could only be read as a whole."""
        return self._source.data if isinstance(self._source, HeldRows) else None

    def describe(self, positive: str | None = None) -> Description:
        """Answer `separatrix.describe`."""
        from .describing import describe_rows

        source = self._source
        if isinstance(source, Describing):
            return source.describe(self, positive, 2 * self.most_numbers)
        return describe_rows(self, positive)

    def __repr__(self) -> str:
        if "facts" not in self.__dict__:
            return "<Stream: not read yet>"
        facts = self.facts
        of = f" of {facts.given:,}" if facts.given > facts.n else ""
        classes = ", ".join(map(repr, facts.classes[:4])) + (", …" if len(facts.classes) > 4 else "")
        return f"<Stream: {facts.n:,}{of} rows, {facts.d:,} columns, classes {classes or 'unknown'}>"

    def _numbers(self, blocks: Sequence[int] | None) -> Sequence[int]:
        return range(len(self.facts.sizes)) if blocks is None else blocks

    def map(
        self, function: Callable[..., Result], *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each block with ``function(block, first row, *given)``."""
        starts = self.facts.starts
        for k, block in self._source.blocks(self._numbers(blocks)):
            yield k, function(block, int(starts[k]), *given)

    def fold(
        self, function: Callable[..., State], state: State, *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, State]]:
        """Hand a state from block to block; yield the number of each with the state after it."""
        starts = self.facts.starts
        for k, block in self._source.blocks(self._numbers(blocks)):
            state = function(block, int(starts[k]), state, *given)
            yield k, state

    def digest(self, setting: Setting) -> str:
        """Return the digest of all rows and labels; they are written out ahead of being hashed."""
        total, blocks = hashlib.sha256(), self._source.blocks(self._numbers(None))
        with ended(ahead(part for _, block in blocks for part in parts_of(setting.problem(block)))) as parts:
            for part in parts:
                total.update(part)
        return f"sha256:{total.hexdigest()}"
