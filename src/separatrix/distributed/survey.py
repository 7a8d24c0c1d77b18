"""What each part tells of its rows, and what that comes to for all: `Facts`, whatever the order in which parts are heard."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem.blocks import Facts
from ..problem.exact_rows import Reading
from ..problem.labels import class_array, distinct
from ..problem.provenance import Column
from ..problem.rows import is_dense
from .labelled import Labelled, in_fractions


@dataclass(frozen=True)
class Survey:
    """What a part tells of its rows."""

    n: int
    d: int
    counts: dict[Any, int]
    """The labels, and how many rows have each."""
    kind: str
    """What labels are: "text" or "number"."""
    names: tuple[str, ...] | None
    reading: Reading
    denominator: int
    sparse: bool
    largest: float
    smallest: float
    longest: int


def survey(found: Labelled | None, denominator: int | None = None) -> Survey | None:
    """Look at a part; with a denominator, as it is over that one. None for a part without rows."""
    if found is None:
        return None
    rows, labels = found
    if denominator is not None:
        rows = in_fractions(rows).over(denominator)
    values = distinct(labels)
    codes = np.searchsorted(class_array(values), labels)
    n, d = rows.shape
    return Survey(
        n=n, d=d, counts=dict(zip(values, np.bincount(codes, minlength=len(values)).tolist(), strict=True)),
        kind="text" if isinstance(values[0], str) else "number", names=rows.names, reading=rows.reading,
        denominator=rows.denominator, sparse=not is_dense(rows.numerators), largest=rows.measures.largest,
        smallest=rows.measures.smallest, longest=rows.measures.longest,
    )  # fmt: skip


def together(surveys: Iterable[tuple[int, Survey | None]]) -> tuple[Facts, list[int]]:
    """Return what is known of all rows, and the numbers of the parts that have any.

    Where parts have different denominators, extremes are those of different units: see `is_uniform`.
    """
    found = sorted((k, each) for k, each in surveys if each is not None)
    if not found:
        raise ValueError("There are no rows.")
    _require_alike(found)
    parts = [each for _, each in found]
    first, counts = parts[0], _merged([each.counts for each in parts])
    classes = sorted(counts)
    reading, denominator = _common([(each.reading, each.denominator) for each in parts])
    facts = Facts(
        sizes=tuple(each.n for each in parts), d=first.d, classes=tuple(classes), counts=tuple(counts[c] for c in classes),
        columns=None if first.names is None else tuple(map(Column, first.names)), reading=reading, denominator=denominator,
        sparse=any(each.sparse for each in parts), largest=max(each.largest for each in parts),
        smallest=min(each.smallest for each in parts), longest=max(each.longest for each in parts),
        given=sum(each.n for each in parts),
    )  # fmt: skip
    return facts, [k for k, _ in found]


def is_uniform(surveys: Iterable[Survey | None]) -> bool:
    """Whether all parts that have rows are over one denominator, and read alike, so that their extremes compare."""
    return len({(each.reading, each.denominator) for each in surveys if each is not None}) < 2


def _require_alike(found: list[tuple[int, Survey]]) -> None:
    """Refuse parts that do not go together."""
    at, first = found[0]
    for k, each in found:
        if each.d != first.d:
            raise ValueError(f"Part {k} has {each.d} columns, but part {at} has {first.d}: all must have the same.")
        if each.names != first.names:
            raise ValueError(f"The columns of part {k} are {each.names}, but those of part {at} are {first.names}.")
        if each.kind != first.kind:
            raise ValueError(
                f"Unknown label type: unknown. y mixes texts and numbers: the labels of part {k} are {each.kind}s, those of "
                f"part {at} {first.kind}s. Give all bools, all integers or all strings."
            )


def _merged(counts: list[dict[Any, int]]) -> dict[Any, int]:
    """Add up how many rows have each label; labels are of the type that one array of all would have."""
    kinds = {type(label) for each in counts for label in each}
    widest: Any = next((kind for kind in (str, float, int, bool) if kind in kinds), None)
    total: dict[Any, int] = {}
    for each in counts:
        for label, number in each.items():
            label = label if widest is None else widest(label)
            total[label] = total.get(label, 0) + number
    return total


def _common(known: list[tuple[Reading, int]]) -> tuple[Reading, int]:
    """Return what all numbers are read as, and over which denominator."""
    readings = {reading for reading, _ in known}
    reading: Reading = next(each for each in ("rational", "decimal", "float64") if each in readings)
    return reading, math.lcm(*(denominator for _, denominator in known))
