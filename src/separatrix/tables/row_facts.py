"""What `describe` finds out about the rows of the problem: equal ones, contradictions, columns that depend on others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..problem import spans
from ..problem.blocks import Facts
from ..problem.duplicates import contradicting, inevitable_in, points_of
from ..problem.equal_rows import Equal
from ..problem.problem import Problem
from ..problem.provenance import Column, Place
from ..problem.rows import column_ends, is_dense
from .cells import is_called
from .column_notes import identifies_rows
from .data import Data
from .decimals import Misfit
from .facts import Dependence, RowsDescription


class CountedRows(NamedTuple):
    """What all rows together tell."""

    equal: Equal
    example: Sequence[Place]
    """Where the first two rows are that contradict each other."""
    constant: list[int]
    relations: spans.Relations | None
    """None if there are too many columns to find out."""


class KnownRows(NamedTuple):
    """What is known of the rows before they are looked at, whether they are in memory or come in blocks."""

    n: int
    given: int
    names: Sequence[str]
    columns: Sequence[Column]
    """What the columns are; none if that is not known."""
    sparse: bool
    reading: str
    denominator: int
    misfit: Misfit | None
    classes: tuple[Any, ...]
    texts: Sequence[str]
    counts: Sequence[int]
    """How many rows each class has; none without labels."""

    @classmethod
    def of(cls, data: Data, given: int | None = None) -> KnownRows:
        """Return what is known of rows in memory; so many rows of a table were given."""
        counts = [] if data.codes is None else np.bincount(data.codes, minlength=len(data.classes)).tolist()
        return cls(
            n=data.shape[0], given=data.given if given is None else given, names=data.names, columns=data.columns or (),
            sparse=not is_dense(data.rows.numerators), reading=data.rows.reading, denominator=data.rows.denominator,
            misfit=None if data.decimals is None else data.decimals.misfit, classes=data.classes, texts=data.texts,
            counts=counts,
        )  # fmt: skip

    @classmethod
    def of_facts(cls, facts: Facts, names: Sequence[str], texts: Sequence[str], misfit: Misfit | None) -> KnownRows:
        """Return what is known of rows in blocks."""
        return cls(
            n=facts.n, given=facts.given, names=names, columns=facts.columns or (), sparse=facts.sparse,
            reading=facts.reading, denominator=facts.denominator, misfit=misfit, classes=facts.classes, texts=texts,
            counts=facts.counts if facts.classes else (),
        )  # fmt: skip

    def expected(self, constant: Sequence[int]) -> list[int]:
        """Return the columns that surely depend on others, if some are constant."""
        return [*constant, *inevitable_in(self.columns)[1]]

    def meant(self, positive: str | None) -> NDArray[np.int64]:
        """Return for each class the place of the one that it counts as: 1 for the positive one, and 0 for all others."""
        if positive is None:
            return np.arange(len(self.classes))
        named = [is_called(positive, value, text) for value, text in zip(self.classes, self.texts, strict=True)]
        return np.array(named, np.int64)

    def described(self, found: CountedRows) -> tuple[RowsDescription, set[str]]:
        """Describe the rows; return also the columns of the table that depend on others."""
        names, columns = self.names, self.columns
        categories = Counter(column.source for column in columns if column.category is not None)
        identifying = tuple(
            source for source, count in categories.items() if count == self.n and identifies_rows(count, self.n)
        )
        dependent, sources = None, set[str]()
        if found.relations is not None:
            dependent = tuple(
                Dependence(names[j], None if terms is None else tuple((c, None if k < 0 else names[k]) for k, c in terms))
                for j, terms in found.relations.items()
            )
            if not identifying:  # else it is said once, of all columns
                sources = {columns[j].source if columns else names[j] for j in found.relations}
        labelled = bool(self.classes)
        about = RowsDescription(
            rows=self.n,
            left_out=self.given - self.n,
            columns=len(names),
            of_categories=sum(column.category is not None for column in columns),
            of_gaps=sum(column.gap for column in columns),
            sparse=self.sparse,
            numbers=self.reading,
            places=len(str(self.denominator)) - 1 if self.reading == "decimal" else None,
            misfit=self.misfit,
            classes=tuple(zip(self.classes, self.counts, strict=True)),
            duplicates=self.n - found.equal.points,
            contradictory_groups=found.equal.groups if labelled else None,
            contradictory_rows=found.equal.wrong if labelled else None,
            example=tuple(found.example),
            constant=tuple(names[j] for j in found.constant),
            inevitable=inevitable_in(columns)[0],
            identifying=identifying,
            dependent=dependent,
        )
        return about, sources


def rows_counted(data: Data, positive: str | None) -> CountedRows:
    """Look at rows in memory."""
    known = KnownRows.of(data)
    problem = Problem.bare(data.rows, True, columns=data.columns)
    points = points_of(problem)
    equal = Equal(int(points.max()) + 1)
    if data.codes is not None:
        groups, wrong, pair = contradicting(points, known.meant(positive)[data.codes])
        equal = equal._replace(groups=groups, wrong=wrong, pair=(pair[0], pair[1]) if pair else None)
    constant = constant_columns(*column_ends(problem.X))
    relations = spans.dependent_columns(problem, known.expected(constant)) if problem.d <= spans.MAX_COLUMNS else None
    return CountedRows(equal, data.places_of(equal.pair or ()), constant, relations)


def constant_columns(least: Floats, largest: Floats) -> list[int]:
    """Return the columns whose smallest number is their largest."""
    found: list[int] = np.flatnonzero(least == largest).tolist()
    return found
