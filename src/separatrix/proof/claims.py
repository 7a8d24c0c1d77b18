"""The claims of a certificate, and the objects that prove them.

An object of these is what it should be from the moment it is made, or is refused there, whether it comes from a file or is
made by hand: `Proof` is what they have in common.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from reprlib import repr as brief
from typing import Any, Self

import flint

from ..checker import KINDS, refuse
from ..exact.dyadic import Dyadic
from ..exact.linear_algebra import primitive
from ..problem.problem import Problem


class Claim(StrEnum):
    """What a certificate proves."""

    SEPARABLE = "separable"
    NOT_SEPARABLE = "not-separable"
    QUASI_SEPARABLE = "quasi-separable"
    OVERLAPPING = "overlapping"
    MARGIN_AT_LEAST = "margin-at-least"
    MARGIN_AT_MOST = "margin-at-most"
    ERRORS_AT_LEAST = "errors-at-least"


_RATIONAL = {"weights", "intercept", "points", "multipliers", "rest", "squared", "least", "costs"}
"""The fields of proofs that hold rational numbers, which are strings in a document; all other numbers are integers."""


class Proof:
    """A section of a certificate, or a part of one; its fields are the keys that it has in a document."""

    def document(self) -> dict[str, Any]:
        """Return it as an object of a JSON document."""
        return {key: _written(value, key in _RATIONAL) for key, value in vars(self).items()}

    @classmethod
    def of_section(cls, valid: dict[str, Any]) -> Self:
        """Make one from an object of a document that `checker.validate` returned."""
        return cls(**{key: _frozen(value) for key, value in valid.items()})

    def require_fit(self, n: int, d: int, intercept: bool) -> None:
        """Refuse it if it cannot be about a problem of n rows and d columns, with an intercept or without."""


@dataclass(frozen=True)
class Separator(Proof):
    """A hyperplane, in whole numbers, without common divisor as a rule: ``weights.x + intercept``."""

    weights: tuple[Fraction, ...]
    intercept: Fraction

    def __post_init__(self) -> None:
        if not all(map(_is_rational, (*self.weights, self.intercept))):
            refuse("A weight of the separator, or its intercept, is not a rational number.")

    @classmethod
    def of(cls, weights: Dyadic, intercept: bool) -> Separator:
        """Make one from exact weights, the intercept last if there is one."""
        numbers = [Fraction(number) for number in primitive(weights.integers)]
        return cls(tuple(numbers[:-1]), numbers[-1]) if intercept else cls(tuple(numbers), Fraction(0))

    def require_fit(self, n: int, d: int, intercept: bool) -> None:
        """Refuse it if it is of another size than the problem."""
        if len(self.weights) != d:
            refuse(f"The separator has {len(self.weights)} weights, expected {d}.")
        if self.intercept and not intercept:
            refuse("The separator has an intercept, but the problem has none.")

    def exact(self, intercept: bool) -> Dyadic:
        """Return positive multiples of the weights, the intercept last if there is one."""
        numbers = [*self.weights, self.intercept] if intercept else self.weights
        if all(number.denominator == 1 for number in numbers):
            return Dyadic([number.numerator for number in numbers], 0)
        return Dyadic(whole(numbers), 0)


@dataclass(frozen=True)
class Obstruction(Proof):
    """Rows with positive multipliers under which the signed, lifted rows add up to zero."""

    rows: tuple[int, ...]
    labels: tuple[int, ...]
    points: tuple[tuple[Fraction, ...], ...]
    multipliers: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        _require_some("The obstruction", self.rows)
        _require_each("The obstruction", "row", self.rows, self.multipliers)
        if not len(self.points) == len(self.labels) == len(self.rows):
            refuse("The obstruction's points or labels are not as many as its rows.")

    @classmethod
    def of(cls, problem: Problem, multipliers: dict[int, int]) -> Obstruction:
        """Make one from the multipliers of rows."""
        rows = sorted(multipliers)
        return cls(
            tuple(rows),
            tuple(int(y) for y in problem.y[rows]),
            problem.points(rows),
            tuple(Fraction(multipliers[i]) for i in rows),
        )

    def require_fit(self, n: int, d: int, intercept: bool) -> None:
        """Refuse it if it is of another size than the problem."""
        _require_among("The obstruction", "row", self.rows, n)
        if any(len(point) != d for point in self.points):
            refuse(f"The obstruction has a point that is not of {d} numbers.")


@dataclass(frozen=True)
class Cover(Proof):
    """Positive multipliers for every row that no weak separator separates: listed ones, and one for all others."""

    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]
    rest: Fraction

    def __post_init__(self) -> None:
        _require_each("The cover", "row", self.rows, self.multipliers)
        if not _is_rational(self.rest) or not self.rest > 0:
            refuse("The cover's multiplier of the rest is not positive.")

    @classmethod
    def of(cls, listed: dict[int, int], rest: int) -> Cover:
        """Make one from the multipliers of rows and that of the rest."""
        rows = sorted(listed)
        return cls(tuple(rows), tuple(Fraction(listed[i]) for i in rows), Fraction(rest))

    def require_fit(self, n: int, d: int, intercept: bool) -> None:
        """Refuse it if it is of another size than the problem."""
        _require_among("The cover", "row", self.rows, n)


@dataclass(frozen=True)
class MarginBound(Proof):
    """A bound of the margin, given by its square, which is rational where the margin itself may not be."""

    kind: str
    """"lifted": the intercept counts in the length of a hyperplane; "geometric": it does not."""
    squared: Fraction

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            refuse(f"The margin is of no kind that is known, but {brief(self.kind)}.")
        if not _is_rational(self.squared) or self.squared < 0:
            refuse("The square of the margin is not a rational number from 0 up.")


@dataclass(frozen=True)
class Combination(Proof):
    """Rows with positive multipliers: no hyperplane has a larger margin than their mean is long.

    If they add up to zero, it is an obstruction, as in a `Packing`, without copies of its points.
    """

    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        _require_some("The combination", self.rows)
        _require_each("The combination", "row", self.rows, self.multipliers)

    def require_fit(self, n: int, d: int, intercept: bool) -> None:
        """Refuse it if it is of another size than the problem."""
        _require_among("The combination", "row", self.rows, n)


@dataclass(frozen=True)
class ErrorBound(Proof):
    """A bound of errors: every hyperplane errs in rows, those not on its correct side, of so much cost at least."""

    least: Fraction
    costs: tuple[Fraction, ...] | None = None
    """The cost of each row, from 0 up; None: 1 each, and the bound is one of their number."""

    def __post_init__(self) -> None:
        if not all(_is_rational(number) and number >= 0 for number in (self.least, *(self.costs or ()))):
            refuse("The bound of errors or a cost is not a rational number from 0 up.")

    def require_fit(self, n: int, d: int, intercept: bool) -> None:
        """Refuse it if it is of another size than the problem."""
        if self.costs is not None and len(self.costs) != n:
            refuse(f"There are {len(self.costs)} costs, expected {n}, one for each row.")


@dataclass(frozen=True)
class Split(Proof):
    """A node of a tree: hyperplanes with a row, and its equals, on their correct side (*kept*); then the others."""

    row: int


@dataclass(frozen=True)
class Leaf(Proof):
    """An end of a tree: some obstructions of the pool, by their places in it, each with a positive weight.

    Rows that are neither kept nor given up on the way to the leaf limit the weights: those of the obstructions that hold a
    row, or one equal to it, add up to no more than the cost of it and its equals.
    """

    obstructions: tuple[int, ...]
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        _require_each("A leaf of the packing", "obstruction", self.obstructions, self.weights)


@dataclass(frozen=True)
class Packing(Proof):
    """Obstructions, the pool, and a tree of splits in preorder, the kept side first, whose leaves weigh some of them."""

    obstructions: tuple[Combination, ...]
    nodes: tuple[Split | Leaf, ...]

    def __post_init__(self) -> None:
        missing = 1  # subtrees that must follow
        for k, node in enumerate(self.nodes):
            if not missing:
                refuse(f"Node {k} of the packing is one too many: the tree is whole without it.")
            missing += 1 if isinstance(node, Split) else -1
            if isinstance(node, Leaf):
                _require_among(f"Node {k} of the packing", "obstruction", node.obstructions, len(self.obstructions))
        if missing:
            refuse("The nodes of the packing end before the tree is whole.")

    @classmethod
    def of_section(cls, valid: dict[str, Any]) -> Packing:
        """Make one from an object of a document that `checker.validate` returned."""
        pool = tuple(map(Combination.of_section, valid["obstructions"]))
        return cls(pool, tuple((Split if "row" in node else Leaf).of_section(node) for node in valid["nodes"]))

    def require_fit(self, n: int, d: int, intercept: bool) -> None:
        """Refuse it if it is of another size than the problem."""
        for k, each in enumerate(self.obstructions):
            _require_among(f"Obstruction {k} of the packing", "row", each.rows, n)
        for k, node in enumerate(self.nodes):
            if isinstance(node, Split):
                _require_among(f"Node {k} of the packing", "row", (node.row,), n)


def _is_rational(number: Any) -> bool:
    return isinstance(number, Fraction | int)


def _require_some(what: str, rows: Sequence[int]) -> None:
    if not rows:
        refuse(f"{what} is empty: nothing follows from no rows.")


def _require_each(what: str, entry: str, places: Sequence[int], numbers: Sequence[Fraction]) -> None:
    """Refuse a list with an entry twice, or without a positive number for each."""
    if len(set(places)) != len(places):
        refuse(f"{what} lists one {entry} twice.")
    if len(numbers) != len(places) or not all(_is_rational(number) and number > 0 for number in numbers):
        refuse(f"{what} does not have a positive rational number for each {entry}, and for nothing else.")


def _require_among(what: str, entry: str, places: Sequence[int], n: int) -> None:
    outside = next((place for place in places if not 0 <= place < n), None)
    if outside is not None:
        refuse(f"{what} lists the {entry} {outside}, which is not among the {n}.")


def whole(numbers: Sequence[Fraction]) -> list[int]:
    """Multiply rationals by a positive number that makes them integers without common divisor."""
    common = math.lcm(*(number.denominator for number in numbers))
    return primitive(int(number * common) for number in numbers)


def in_units(numbers: Sequence[Fraction]) -> tuple[list[int], int]:
    """Write rationals with their least common denominator: return the numerators, and the denominator."""
    unit = math.lcm(*(number.denominator for number in numbers))
    return [number.numerator * (unit // number.denominator) for number in numbers], unit


def text_of(number: Fraction) -> str:
    """Write a rational; by FLINT, which knows no limit to the digits."""
    top = str(flint.fmpz(number.numerator))
    return top if number.denominator == 1 else f"{top}/{flint.fmpz(number.denominator)}"


def _written(value: Any, rational: bool) -> Any:
    """Return the value of a field as a JSON document has it."""
    if isinstance(value, tuple):
        return [_written(each, rational) for each in value]
    if isinstance(value, Proof):
        return value.document()
    return text_of(value) if rational and value is not None else value


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
