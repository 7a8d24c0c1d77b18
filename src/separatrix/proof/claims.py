"""The claims of a certificate, and the objects that prove them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

import flint

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


@dataclass(frozen=True)
class Separator:
    """A hyperplane, in whole numbers, without common divisor as a rule: ``weights.x + intercept``."""

    weights: tuple[Fraction, ...]
    intercept: Fraction

    @classmethod
    def of(cls, weights: Dyadic, intercept: bool) -> Separator:
        """Make one from exact weights, the intercept last if there is one."""
        numbers = [Fraction(number) for number in primitive(weights.integers)]
        return cls(tuple(numbers[:-1]), numbers[-1]) if intercept else cls(tuple(numbers), Fraction(0))

    def exact(self, intercept: bool) -> Dyadic:
        """Return positive multiples of the weights, the intercept last if there is one."""
        numbers = [*self.weights, self.intercept] if intercept else self.weights
        if all(number.denominator == 1 for number in numbers):
            return Dyadic([number.numerator for number in numbers], 0)
        return Dyadic(whole(numbers), 0)


@dataclass(frozen=True)
class Obstruction:
    """Rows with positive multipliers under which the signed, lifted rows add up to zero."""

    rows: tuple[int, ...]
    labels: tuple[int, ...]
    points: tuple[tuple[Fraction, ...], ...]
    multipliers: tuple[Fraction, ...]

    @classmethod
    def of(cls, problem: Problem, multipliers: dict[int, int]) -> Obstruction:
        """Make one from the multipliers of rows."""
        rows = sorted(multipliers)
        points = problem.lifted(rows)[:, : problem.d] * problem.y[rows, None]
        return cls(
            tuple(rows),
            tuple(int(y) for y in problem.y[rows]),
            tuple(tuple(map(Fraction, point)) for point in points.tolist()),
            tuple(Fraction(multipliers[i]) for i in rows),
        )


@dataclass(frozen=True)
class Cover:
    """Positive multipliers for every row that no weak separator separates: listed ones, and one for all others."""

    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]
    rest: Fraction

    @classmethod
    def of(cls, listed: dict[int, int], rest: int) -> Cover:
        """Make one from the multipliers of rows and that of the rest."""
        rows = sorted(listed)
        return cls(tuple(rows), tuple(Fraction(listed[i]) for i in rows), Fraction(rest))


@dataclass(frozen=True)
class MarginBound:
    """A bound of the margin, given by its square, which is rational where the margin itself may not be."""

    kind: str
    """"lifted": the intercept counts in the length of a hyperplane; "geometric": it does not."""
    squared: Fraction


@dataclass(frozen=True)
class Combination:
    """Rows with positive multipliers: no hyperplane has a larger margin than their mean is long.

    If they add up to zero, it is an obstruction, as in a `Packing`, without copies of its points.
    """

    rows: tuple[int, ...]
    multipliers: tuple[Fraction, ...]


@dataclass(frozen=True)
class ErrorBound:
    """A bound of errors: every hyperplane errs in rows, those not on its correct side, of so much cost at least."""

    least: Fraction
    costs: tuple[Fraction, ...] | None = None
    """The cost of each row, from 0 up; None: 1 each, and the bound is one of their number."""


@dataclass(frozen=True)
class Split:
    """A node of a tree: hyperplanes with a row, and its equals, on their correct side (*kept*); then the others."""

    row: int


@dataclass(frozen=True)
class Leaf:
    """An end of a tree: obstructions, by their places in the pool, with positive weights that no cost is too small for."""

    obstructions: tuple[int, ...]
    weights: tuple[Fraction, ...]


@dataclass(frozen=True)
class Packing:
    """Obstructions, and a tree of splits in preorder, the kept side first, whose leaves weigh some of them."""

    obstructions: tuple[Combination, ...]
    nodes: tuple[Split | Leaf, ...]

    def document(self) -> dict[str, Any]:
        """Return the packing as a section of a JSON document."""
        return {
            "obstructions": [
                {"rows": list(each.rows), "multipliers": texts_of(each.multipliers)} for each in self.obstructions
            ],
            "nodes": [
                {"row": node.row}
                if isinstance(node, Split)
                else {"obstructions": list(node.obstructions), "weights": texts_of(node.weights)}
                for node in self.nodes
            ],
        }

    @classmethod
    def of(cls, valid: dict[str, Any]) -> Packing:
        """Make one from a section that `checker.validate` returned."""
        return cls(
            tuple(Combination(tuple(each["rows"]), tuple(each["multipliers"])) for each in valid["obstructions"]),
            tuple(
                Split(node["row"]) if "row" in node else Leaf(tuple(node["obstructions"]), tuple(node["weights"]))
                for node in valid["nodes"]
            ),
        )


def whole(numbers: Sequence[Fraction]) -> list[int]:
    """Multiply rationals by a positive number that makes them integers without common divisor."""
    common = math.lcm(*(number.denominator for number in numbers))
    return primitive(int(number * common) for number in numbers)


def text_of(number: Fraction) -> str:
    """Write a rational; by FLINT, which knows no limit to the digits."""
    top = str(flint.fmpz(number.numerator))
    return top if number.denominator == 1 else f"{top}/{flint.fmpz(number.denominator)}"


def texts_of(numbers: Iterable[Fraction]) -> list[str]:
    """Write numbers as a certificate has them."""
    return [text_of(number) for number in numbers]
