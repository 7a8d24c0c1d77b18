"""What a report is about: rows, labels, where they came from, and how a person would ask the same again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from .._types import Floats
from ..problem.exact_rows import ExactRows
from ..problem.labels import code_labels, distinct, read_labels
from ..problem.problem import Problem
from ..support.escaping import command
from ..tables.data import Data

_ROWS_AT_A_TIME = 2**14
"""Rows that are measured at once: of a million, copies would take longer than sums."""


@dataclass(frozen=True)
class Origin:
    """How the data is named: the files, and the options of the command line that read them; none of either in Python."""

    title: str = "the data"
    files: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """What the commands that read data take."""
    kind: tuple[str, ...] = ()
    """What `verify` takes besides: how the files are written, where their names do not tell."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """The data of a report."""

    problem: Problem | None
    """The rows with two classes; None if there are more."""
    rows: ExactRows
    labels: NDArray[Any]
    """What classifiers learn: the labels, or whether they are the positive class."""
    classes: tuple[Any, ...]
    data: Data | None
    origin: Origin
    notes: tuple[str, ...] = field(default=())
    positive: Any = None
    """The class that is set against all others, if one was named."""

    @classmethod
    def of(cls, X: Any, y: Any, positive: Any, origin: Origin, notes: Iterable[str] | None = None) -> Material:
        """Validate rows and labels; refuse rows of one class."""
        data = X if isinstance(X, Data) else None
        if data is not None and y is not None:
            raise ValueError("The data has its labels with it: do not give y as well.")
        if data is None and y is None:
            raise TypeError("The labels, y, are missing.")
        labels = data.y if data is not None else read_labels(y)
        found = distinct(labels)
        if len(found) < 2:
            raise ValueError(f"All rows are of one class, {found[0]!r}: there is nothing to tell apart. Give rows of two.")
        if notes is None:
            notes = () if data is None else data.notes()
        if positive is None and len(found) > 2:
            rows = data.rows if data is not None else Problem.of(X, y, positive=found[0]).rows
            return cls(
                problem=None, rows=rows, labels=labels, classes=tuple(found), data=data, origin=origin, notes=tuple(notes)
            )
        problem = data.problem(positive=positive) if data is not None else Problem.of(X, y, positive=positive)
        if positive is not None:
            labels = code_labels(labels, positive=positive)[0] > 0
        return cls(
            problem=problem, rows=problem.rows, labels=labels, classes=problem.classes, data=data, origin=origin,
            notes=tuple(notes), positive=positive,
        )  # fmt: skip

    def asked(self, words: Sequence[str], call: str) -> str:
        """Write how a question is asked again by itself: as a command, if the data came from files, else in Python.

        In the call ``{data}`` stands for rows and labels, and ``{pair}`` for the same where no class can be named besides.
        """
        if self.origin.files:
            return command(["separatrix", words[0], *self.origin.files, *self.origin.options, *words[1:]])
        data, pair = ("X, y", "X, y") if self.data is None else ("data", "data.X, data.y")
        if self.positive is not None:
            named = repr(self.positive)[:200]
            data, pair = f"{data}, positive={named}", f"{pair} == {named}"
        return call.format(data=data, pair=pair)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def d(self) -> int:
        """How many features there are."""
        return self.rows.shape[1]

    @cached_property
    def counts(self) -> list[tuple[Any, int]]:
        """How many rows each class has."""
        if self.problem is not None:
            positive = int(np.count_nonzero(self.problem.y > 0))
            return list(zip(self.classes, (self.n - positive, positive), strict=True))
        values, counts = np.unique(self.labels, return_counts=True)
        return list(zip(values.tolist(), counts.tolist(), strict=True))

    @cached_property
    def spreads(self) -> Floats:
        """The standard deviation of each column, rounded; NaN where float64 cannot hold it."""
        rows, measured = self.rows.nearest(), StandardScaler(with_mean=False)
        with np.errstate(all="ignore"):
            for start in range(0, self.n, _ROWS_AT_A_TIME):
                measured.partial_fit(rows[start : start + _ROWS_AT_A_TIME])
            found: Floats = np.sqrt(measured.var_)
        found[~np.isfinite(found)] = np.nan
        return found
