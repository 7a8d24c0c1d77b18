"""Labelled rows that come in blocks, anew for each pass: more than memory holds, or on other machines.

`Batches` is what such rows have in common, wherever they are: blocks, numbered from 0, which add up to the rows in their
order; and two ways to compute with them. `map` gives every block to a pure function and returns what comes of each; `fold`
hands a state from block to block. A function and what it returns go to other machines and back, so that both must be
picklable, and small beside a block.

What the first pass tells of all rows, `blocks.Facts`, makes a `Problem` of any block (`blocks.Setting`): over the
denominator of all rows, with the classes of all rows. A `BatchedProblem` is the question: batches in a setting.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._types import Indices
from .blocks import Block, Facts, Setting
from .exact_rows import ExactRows, Reading
from .multiclass import Classes
from .problem import Problem
from .provenance import POSITIONS, Column, Places, Table
from .row_names import Origin

Result = TypeVar("Result")

State = TypeVar("State")


class Batches(ABC):
    """Labelled rows in blocks.

    The public functions ask these rows, as they would ask an array: `decide` and the others, which `streaming` answers.
    """

    @property
    @abstractmethod
    def facts(self) -> Facts:
        """What the first pass tells; it is made when first asked for."""

    @abstractmethod
    def map(
        self, function: Callable[..., Result], *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each block with ``function(block, number of its first row, *given)``, in any order.

        All blocks, or some of them, each once.
        """

    @abstractmethod
    def fold(
        self, function: Callable[..., State], state: State, *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, State]]:
        """Go through blocks one after another, in the order given: ``state = function(block, first row, state, *given)``.

        Yield the number of each block with the state after it.
        """

    def folds(
        self, function: Callable[..., State], state: State, *given: Any, groups: Sequence[Sequence[int]]
    ) -> Iterator[tuple[int, State]]:
        """Fold groups of blocks, each from the same state; yield the number of each group with the state at its end.

        In any order, and at once where there are several workers; no group is empty.
        """
        for number, group in enumerate(groups):
            last = state
            for _, last in self.fold(function, state, *given, blocks=group):  # noqa: B007 (the last one is wanted)
                pass
            yield number, last

    @abstractmethod
    def digest(self, setting: Setting) -> str:
        """Return the digest of all rows and labels, as `digest.digest` defines it."""

    here: ClassVar[bool] = False
    """Whether the states of `fold` stay in this process; if not, they must be picklable."""

    @property
    def most_numbers(self) -> int:
        """How many numbers of rows may be held at a time, about."""
        return 2**26

    @property
    def places(self) -> Places:
        """What tells where rows are, by their numbers."""
        return POSITIONS

    @property
    def at_once(self) -> int:
        """How many blocks are computed with at the same time."""
        return 1

    def stamp(self) -> Any:
        """Return what tells at little cost that the rows are those that they were, as sizes and times of files do.

        It is compared with what it was; None if nothing tells.
        """
        return None

    def as_certificate_says(self, subject: Any) -> Batches:
        """Return the rows as a certificate reads them, in its columns; ``subject`` is its `proof.certificate.Subject`."""
        return self

    def refuse_besides(self, y: Any = None, kernel: str | None = None) -> None:
        """Refuse labels that are given besides, and kernels."""
        if y is not None:
            raise ValueError("Rows in blocks have their labels with them: do not give y as well.")
        if kernel is not None:
            raise ValueError(
                "A kernel takes the products of all rows with each other, which rows in blocks are too many for. Take some "
                "of the rows into memory, or write its features out as columns."
            )

    @abstractmethod
    def decide(self, **options: Any) -> Any:
        """Answer `separatrix.decide`; the options are its parameters but for X and y."""

    @abstractmethod
    def verify(self, certificate: Any) -> None:
        """Answer `separatrix.verify`."""

    @abstractmethod
    def margin(self, **options: Any) -> Any:
        """Answer `separatrix.margin`."""

    @abstractmethod
    def least_errors(self, **options: Any) -> Any:
        """Answer `separatrix.least_errors`."""

    @abstractmethod
    def describe(self, **options: Any) -> Any:
        """Answer `separatrix.describe`."""

    @abstractmethod
    def fit(self, estimator: Any, **options: Any) -> Any:
        """Have an estimator learn, and return it."""

    @abstractmethod
    def audit(self, estimator: Any, **options: Any) -> Any:
        """Answer `separatrix.audit`."""

    @abstractmethod
    def mistake_bound(self, **options: Any) -> Any:
        """Answer `separatrix.mistake_bound`."""

    @abstractmethod
    def predict(self, estimator: Any, method: str = "predict") -> Iterator[NDArray[Any]]:
        """Yield what an estimator predicts, or another of its methods says, block by block, in the order of rows."""

    @abstractmethod
    def score(self, estimator: Any) -> float:
        """Return the share of rows that an estimator predicts right."""


@dataclass(frozen=True, kw_only=True)
class BatchedProblem:
    """Batches in a setting: what is asked about. Its names are those of `Problem` wherever they mean the same."""

    batches: Batches
    setting: Setting

    @classmethod
    def of(cls, batches: Batches, *, positive: Any = None, intercept: bool = True, several: bool = False) -> BatchedProblem:
        """Return the problem; parameters as in `Setting.of`."""
        setting = Setting.of(batches.facts, positive=positive, intercept=intercept, several=several)
        return cls(batches=batches, setting=setting)

    @property
    def facts(self) -> Facts:
        """What is known of all rows."""
        return self.setting.facts

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.facts.n

    @property
    def d(self) -> int:
        """Number of features, the intercept not counted."""
        return self.facts.d

    @property
    def intercept(self) -> bool:
        """Whether the lifted rows end with a constant."""
        return self.setting.intercept

    @property
    def width(self) -> int:
        """Number of weights of a hyperplane, the intercept counted."""
        return self.d + self.intercept

    @property
    def vectors(self) -> int:
        """Number of vectors of weights that tell the classes apart: one for two classes."""
        return 1 if self.setting.signs else len(self.setting.classes)

    @property
    def classes(self) -> tuple[Any, ...]:
        """What -1 and 1 stand for; just one class if all rows have the same."""
        return self.setting.classes

    @property
    def columns(self) -> tuple[Column, ...] | None:
        """What the features are, where that is known."""
        return self.facts.columns

    @property
    def names(self) -> list[str] | None:
        """The names of the features, where they have any."""
        return None if self.columns is None else [str(column) for column in self.columns]

    @property
    def table(self) -> Table | None:
        """How the rows came from a table, where they did."""
        return self.facts.table

    @property
    def reading(self) -> Reading:
        """What the numbers are read as."""
        return self.facts.reading

    @property
    def denominator(self) -> int:
        """The denominator of all rows."""
        return self.facts.denominator

    @property
    def largest(self) -> float:
        """The largest magnitude of the numerators."""
        return self.facts.largest

    @property
    def origin(self) -> Origin:
        """Where the rows come from, for whoever names them."""
        return Origin(self.batches.places)

    @property
    def kept(self) -> None:
        """None: rows that are left out have no number."""
        return None

    @property
    def constant(self) -> int:
        """What follows the numerators in a lifted row: their denominator; 0 without an intercept."""
        return self.facts.denominator if self.intercept else 0

    @property
    def blocks(self) -> list[int]:
        """The numbers of the blocks that have rows."""
        return [k for k, size in enumerate(self.facts.sizes) if size]

    def map(
        self, function: Callable[..., Result], *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each block with ``function(problem, number of its first row, *given)``, in any order.

        Blocks without rows are left out, unless they are asked for.
        """
        some = self.blocks if blocks is None else blocks
        return self.batches.map(partial(_on_problem, self.setting, function), *given, blocks=some)

    def fold(
        self, function: Callable[..., State], state: State, *given: Any, blocks: Sequence[int] | None = None
    ) -> Iterator[tuple[int, State]]:
        """Do ``state = function(problem, first row, state, *given)`` block by block; yield each with the state after it."""
        return self.batches.fold(partial(_on_problem, self.setting, function), state, *given, blocks=blocks)

    def folds(
        self, function: Callable[..., State], state: State, *given: Any, groups: Sequence[Sequence[int]]
    ) -> Iterator[tuple[int, State]]:
        """Fold groups of blocks, each from the same state, as `Batches.folds` does; the function is given problems."""
        return self.batches.folds(partial(_on_problem, self.setting, function), state, *given, groups=groups)

    def digest(self) -> str:
        """Return the digest of rows and labels."""
        return self.batches.digest(self.setting)

    def take(self, rows: Sequence[int]) -> Problem:
        """Return the problem of some of its rows only, each once, in the order given; they are read anew."""
        wanted = np.asarray(rows, np.int64)
        blocks = self.facts.blocks_of(wanted)
        parts: list[tuple[Indices, Problem]] = []
        for k, part in self.map(_take, wanted, blocks=np.unique(blocks).tolist() or self.blocks[:1]):
            parts.append((np.flatnonzero(blocks == k), part))
        return joined(parts)


class AskedRows(Protocol):
    """Labelled rows that are asked block by block: in blocks, or in one."""

    @property
    def n(self) -> int:
        """Number of rows."""

    @property
    def d(self) -> int:
        """Number of features."""

    @property
    def intercept(self) -> bool:
        """Whether the lifted rows end with a constant."""

    def map(self, function: Callable[..., Result], *given: Any) -> Iterator[tuple[int, Result]]:
        """Yield the number of each block with ``function(problem, number of its first row, *given)``, in any order."""

    def take(self, rows: Sequence[int]) -> Problem:
        """Return the problem of some of its rows only, each once, in the order given."""


@dataclass(frozen=True)
class InOneBlock:
    """A problem in memory, which is asked as rows in blocks are."""

    problem: Problem

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.problem.n

    @property
    def d(self) -> int:
        """Number of features."""
        return self.problem.d

    @property
    def intercept(self) -> bool:
        """Whether the lifted rows end with a constant."""
        return self.problem.intercept

    def map(self, function: Callable[..., Result], *given: Any) -> Iterator[tuple[int, Result]]:
        """Ask the one block."""
        yield 0, function(self.problem, 0, *given)

    def take(self, rows: Sequence[int]) -> Problem:
        """Return the problem of some of its rows only."""
        return self.problem.with_rows(list(rows))


def joined(parts: Sequence[tuple[Indices, Problem]]) -> Problem:
    """Put problems of some rows together, at least one, each row at the place that is given for it."""
    places = np.concatenate([place for place, _ in parts])
    return one_after_another([part for _, part in parts]).with_rows(np.argsort(places))


def one_after_another(parts: Sequence[Problem]) -> Problem:
    """Put problems of rows that follow each other together, at least one."""
    first = parts[0]
    if len(parts) == 1:
        return first
    rows = ExactRows.concatenated([part.rows for part in parts])
    known: Any = {"rows": rows, "y": np.concatenate([part.y for part in parts]), "given": len(rows)}
    if isinstance(first, Classes):
        known["codes"] = np.concatenate([part.codes for part in parts if isinstance(part, Classes)])
    return replace(first, **known)


@contextmanager
def ended(found: Iterator[Result]) -> Iterator[Iterator[Result]]:
    """Take what `Batches.map` or `fold` yields; when that is over, however it ends, no more is read ahead."""
    try:
        yield found
    finally:
        close = getattr(found, "close", None)
        if close is not None:
            close()


AnyProblem: TypeAlias = Problem | BatchedProblem
"""A problem in memory or in blocks: what words need of either has the same names."""


def _on_problem(setting: Setting, function: Callable[..., Result], block: Block, start: int, *given: Any) -> Result:
    return function(setting.problem(block), start, *given)


def _take(problem: Problem, start: int, wanted: Indices) -> Problem:
    """Return the rows of a block that are wanted, by their numbers among all rows."""
    here = wanted[(wanted >= start) & (wanted < start + problem.n)] - start
    return problem.with_rows(here)
