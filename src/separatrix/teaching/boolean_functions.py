"""All Boolean functions of up to four inputs: the smallest weights of threshold functions, and why others have none.

Nothing rests on theorems. The smallest weights come from trying all whole weights in order of their size, so that the first
ones found are the smallest. Each function without any has a witness, two inputs with output 1 and two with output 0 that
have the same sum: weights would have to give the same total a score above and below the threshold. That every function has
the one or the other is seen when both searches are done.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Floats, Indices
from ..exact.rationals import read_whole
from ..examples.truth_tables import INPUTS, boolean, inputs
from ..perceptron.short_runs import mistakes_of_orders
from ..support.answer import Answer
from ..support.blocks import written
from ..support.counts import counted

_MAX_INPUTS = 4
"""Inputs: of five there are more than four billion functions."""

_MANY = 10**6
"""More mistakes than a run on so few rows makes."""


@dataclass(frozen=True, kw_only=True)
class BooleanFunction(Answer):
    """A Boolean function, and whether a hyperplane separates its outputs.

    Attributes
    ----------
    n : int
        Number of inputs.
    table : str
        The outputs, a digit for each input in counting order: "0110" is exclusive or.
    coding : {"01", "pm1"}
        Whether inputs are 0 and 1, or -1 and 1.
    separable : bool
        Whether it is a threshold function.
    weights, threshold : tuple of int, int; or None
        Of a threshold function: the output is 1 where ``w.x >= threshold``. Among all whole weights and thresholds these
        have the smallest sum of absolute values; where several have it, they are one of them.
    witness : pair of pairs of inputs, or None
        Of any other function: two inputs with output 1 and two with output 0, with equal sums.
    mistakes : int or None
        Mistakes of the perceptron with an intercept, from zero, in counting order, if it is separable.
    """

    n: int
    table: str
    coding: str
    separable: bool
    weights: tuple[int, ...] | None
    threshold: int | None
    witness: tuple[tuple[tuple[int, ...], tuple[int, ...]], tuple[tuple[int, ...], tuple[int, ...]]] | None
    mistakes: int | None

    @property
    def index(self) -> int:
        """The number of the function: its table, read in base 2."""
        return int(self.table, 2)

    @property
    def size(self) -> int | None:
        """The sum of the absolute values of weights and threshold."""
        return None if self.weights is None or self.threshold is None else sum(map(abs, self.weights)) + abs(self.threshold)

    def data(self) -> tuple[Floats, Indices]:
        """Return the rows and labels, as `examples.boolean` does."""
        return boolean(self.n, self.table, coding=self.coding)

    def __repr__(self) -> str:
        return f"<BooleanFunction: {self.table}, {'a' if self.separable else 'not a'} threshold function>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say in a sentence or two whether it is separable, and why; ``format`` as in `Verdict.explain`."""
        return self._said() if format == "text" else written([self._said()], format)

    def _said(self) -> str:
        if self.weights is not None:
            terms = " + ".join(f"{w}*x{j + 1}" for j, w in enumerate(self.weights) if w).replace("+ -", "- ") or "0"
            terms = terms.replace(" 1*", " ").replace("-1*", "-").removeprefix("1*")
            return (
                f"{self.table}: a threshold function, 1 where {terms} >= {self.threshold}. No whole weights and threshold "
                f"are smaller in sum. The perceptron makes {counted(self.mistakes or 0, 'mistake')}."
            )
        assert self.witness is not None
        (a, b), (c, d) = self.witness
        return (
            f"{self.table}: not a threshold function. It is 1 at {_point(a)} and {_point(b)} and 0 at {_point(c)} and "
            f"{_point(d)}, which have the same sum: no weights have the first two above a threshold and the others below."
        )


def boolean_functions(n: int, *, coding: str = "01") -> tuple[BooleanFunction, ...]:
    """Return all Boolean functions of n inputs, in the order of their numbers, each with its verdict.

    Parameters
    ----------
    n : int
        Number of inputs, from 0 to 4. There are ``2^(2^n)`` functions: 65,536 of four inputs.
    coding : {"01", "pm1"}
        Whether inputs are 0 and 1, or -1 and 1. It changes weights and mistakes, not what is separable.

    Examples
    --------
    >>> import separatrix as sx
    >>> functions = sx.exercises.boolean_functions(2)
    >>> len(functions), sum(f.separable for f in functions)
    (16, 14)
    >>> functions[1].weights, functions[1].threshold, functions[1].mistakes
    ((1, 1), 2, 18)
    >>> functions[6].witness
    (((0, 1), (1, 0)), ((0, 0), (1, 1)))
    """
    count = read_whole(n, INPUTS, 0, _MAX_INPUTS)
    X = inputs(count, coding)
    witnesses = _witnesses(X)
    smallest = _smallest(X, 2 ** (2**count) - len(witnesses))
    mistakes = _mistakes(X, sorted(smallest))
    return tuple(_function(X, coding, index, smallest, witnesses, mistakes) for index in range(2 ** (2**count)))


def _function(X: Indices, coding: str, index: int, smallest: dict[int, tuple[int, ...]], witnesses: dict[int, Any],
              mistakes: dict[int, int]) -> BooleanFunction:  # fmt: skip
    found = smallest.get(index)
    return BooleanFunction(
        n=X.shape[1],
        table=f"{index:0{len(X)}b}",
        coding=coding,
        separable=found is not None,
        weights=None if found is None else found[:-1],
        threshold=None if found is None else found[-1],
        witness=witnesses.get(index),
        mistakes=mistakes.get(index),
    )


def _witnesses(X: Indices) -> dict[int, Any]:
    """Find, for each function that has such, two inputs with output 1 and two with output 0 that have the same sum."""
    count, places = 2 ** len(X), 2 ** np.arange(len(X) - 1, -1, -1, dtype=np.int64)
    numbers, found = np.arange(count), np.full(count, -1)
    points = [tuple(row) for row in X.tolist()]
    pairs = list(itertools.combinations(range(len(X)), 2))
    crossing = [
        (p, q) for p, q in itertools.permutations(pairs, 2) if (X[list(p)].sum(axis=0) == X[list(q)].sum(axis=0)).all()
    ]
    for number, (p, q) in enumerate(crossing):
        ones, zeros = int(places[list(p)].sum()), int(places[list(q)].sum())
        found[((numbers & ones) == ones) & ((numbers & zeros) == 0) & (found < 0)] = number
    return {
        int(index): tuple((points[pair[0]], points[pair[1]]) for pair in crossing[found[index]])
        for index in np.flatnonzero(found >= 0)
    }


def _smallest(X: Indices, wanted: int) -> dict[int, tuple[int, ...]]:
    """Find the smallest weights and threshold of so many functions, trying all in order of size."""
    places = 2 ** np.arange(len(X) - 1, -1, -1, dtype=np.int64)
    found: dict[int, tuple[int, ...]] = {}
    for size in itertools.count():
        weights = np.array(list(_of_size(size, X.shape[1] + 1)), np.int64)
        outputs = weights[:, :-1] @ X.T >= weights[:, -1:]
        indices, first = np.unique(outputs @ places, return_index=True)
        for index, place in zip(indices.tolist(), first.tolist(), strict=True):
            found.setdefault(index, tuple(weights[place].tolist()))
        if len(found) == wanted:
            break
    return found


def _of_size(size: int, parts: int) -> Iterator[list[int]]:
    """Go through all whole vectors whose absolute values add up to a number, positive and evenly spread ones first."""
    if parts == 1:
        yield from ([size], [-size]) if size else ([0],)
        return
    for first in range(size + 1):
        for rest in _of_size(size - first, parts - 1):
            yield [first, *rest]
            if first:
                yield [-first, *rest]


def _mistakes(X: Indices, indices: list[int]) -> dict[int, int]:
    """Count the mistakes of the perceptron on each function."""
    order = np.arange(len(X), dtype=np.int64)[None]
    lift = np.hstack([X, np.ones((len(X), 1), np.int64)])
    found = {}
    for index in indices:
        y = np.array([int(bit) * 2 - 1 for bit in f"{index:0{len(X)}b}"], np.int64)
        counts = mistakes_of_orders(lift * y[:, None], y, order, np.array([len(X)]), "update", _MANY)
        found[index] = int(counts[0])
        assert found[index] <= _MANY
    return found


def _point(point: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, point))})"
