"""A verdict and its proof written out for a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import numpy as np

from ..exact.products import exact_score
from ..problem.batches import AnyProblem
from ..problem.lifted import Lifted
from ..problem.own_columns import own_columns, own_value
from ..problem.problem import Problem
from ..problem.row_names import MAX_ROWS_SHOWN, RowNames, capitalised
from ..problem.ties import TIES
from ..problem.wording import MAX_FEATURES_SHOWN, class_name, column_names, sum_of, winner_name
from ..proof.certificate import Certificate
from ..proof.claims import Claim, Obstruction, Separator
from ..support.blocks import Block, Formulas, Grid, written
from ..support.counts import counted, few_of
from ..support.escaping import shown
from ..support.formulas import AT_LEAST, SCORE, TIMES, Formula, Part, feature, formula, glued, number, weight
from ..support.numbers import LARGEST_WHOLE, number_text, scientific

_MAX_WITNESS_ROWS = 60
"""Rows of a witness whose values are shown."""

_MAX_SOURCES = 16
"""Columns of the user's table that are shown of a witness."""

_LARGEST_MULTIPLIER = 10**6
"""Multipliers below this are written as they are; if there are larger ones, shares of their sum are written."""

_ROUNDING_DISTANCE = Fraction(1, 2**50)
"""Distances from a hyperplane below this, over the largest number of the rows, are as small as errors of rounding."""

_NOTHING_WEAK = (
    "Nor is there a weak separator: the certificate gives every row a positive multiplier so that all signed rows add up to "
    "zero. A hyperplane with no row on its wrong side would therefore have all of them on itself."
)

_RULE_WITHOUT_EFFECT = (
    "With an intercept it makes no difference for which class a score of 0 counts, since a hyperplane with rows of one "
    "class on itself can be moved a little; so the strict inequalities are shown."
)

_MAX_COLUMNS_SHOWN = 10
"""Columns that are named, of those that suffice."""

_MAX_CANDIDATES = 50
"""Rows whose distance from a hyperplane is computed exactly."""

CLOSEST_SHOWN = 3
"""How many of the rows nearest to a hyperplane are shown."""


@dataclass(frozen=True)
class Sides:
    """How rows lie to a separator, as far as an explanation tells of them."""

    separated: int = 0
    """How many are strictly on their correct side."""
    first: tuple[int, ...] = ()
    """The first of these."""
    closest: tuple[tuple[Fraction, int, int], ...] = ()
    """Those nearest to it: how far they are, their numbers and their labels."""

    @classmethod
    def of(cls, problem: Problem, certificate: Certificate | None, distances: bool = True) -> Sides:
        """Look at rows that are in memory; distances mean nothing where columns are scaled."""
        if certificate is None or certificate.separator is None:
            return cls()
        if certificate.claim == Claim.SEPARABLE:
            closest = closest_rows(problem, certificate.separator) if distances else []
            return cls(closest=tuple((far, i, int(problem.y[i])) for far, i in closest))
        signs = Lifted.of(problem).signs(certificate.separator.exact(problem.intercept))
        separated = np.flatnonzero(signs > 0)
        return cls(separated.size, tuple(separated[:MAX_ROWS_SHOWN].tolist()))


def explained(
    problem: AnyProblem,
    certificate: Certificate | None,
    message: str,
    format: str,  # noqa: A002 (the word users expect)
    *more: str,
    sides: Sides,
    tie: str = "update",
) -> str:
    """Explain a verdict; what else there is to say comes last.

    The tie rule is the one that was asked about; that of the certificate is "update" where it makes no difference.
    """
    blocks = [message] if certificate is None else _blocks(problem, certificate, message, tie, sides)
    return written([*blocks, *more], format)


def suffices(problem: AnyProblem, columns: Sequence[str | int]) -> str:
    """Say that some columns suffice, by their names or their numbers."""
    known = column_names(problem) if any(isinstance(each, int) for each in columns) else []
    names = [known[each] if isinstance(each, int) else shown(each) for each in columns]
    if len(names) == 1:
        return f"The column {names[0]} alone separates the same rows."
    some = few_of(names, _MAX_COLUMNS_SHOWN, in_all=True)
    return f"The columns {some} alone separate the same rows; none of them can be left out, but other sets may do as well."


def _blocks(problem: AnyProblem, certificate: Certificate, message: str, tie: str, sides: Sides) -> list[Block]:
    blocks: list[Block] = [_headline(problem, certificate)]
    if certificate.claim == Claim.SEPARABLE:
        assert certificate.separator is not None
        return blocks + _separation(problem, certificate.separator, certificate.problem.tie, sides)
    if certificate.separator is not None:
        blocks += _weak_separation(problem, certificate.separator, sides)
    if certificate.obstruction is not None:
        if tie != certificate.problem.tie:
            blocks.insert(1, _RULE_WITHOUT_EFFECT)
        opening = "Why not all rows: " if certificate.separator is not None else ""
        blocks += _contradiction(problem, certificate.obstruction, certificate.problem.tie, opening)
    if certificate.claim == Claim.OVERLAPPING:
        blocks.append(_NOTHING_WEAK)
    if certificate.claim == Claim.NOT_SEPARABLE:
        blocks.append(message)
    return blocks


def _headline(problem: AnyProblem, certificate: Certificate) -> str:
    two = len(problem.classes) > 1
    sides = (
        f"{class_name(problem, 1)} against {class_name(problem, -1)}"
        if two
        else f"all of one class, {class_name(problem, 1)}"
    )
    claims = {
        Claim.SEPARABLE: "The classes are separable: a hyperplane has every row strictly on its correct side.",
        Claim.NOT_SEPARABLE: "The classes are not separable: no hyperplane has every row strictly on its correct side.",
        Claim.QUASI_SEPARABLE: (
            "The classes are quasi-separable: no hyperplane has every row strictly on its correct side, but one has some "
            "rows there and the others on itself."
        ),
        Claim.OVERLAPPING: "The classes overlap: no hyperplane separates them, not even weakly.",
    }
    size = f"{counted(problem.n, 'row')}, {counted(problem.d, 'feature')}"
    tie = certificate.problem.tie
    if tie != "update":
        rule = f"if a score of 0 counts for {winner_name(problem, tie)}"
        claims |= {
            Claim.SEPARABLE: f"The classes are separable {rule}: a hyperplane through the origin has every row right.",
            Claim.NOT_SEPARABLE: f"The classes are not separable, even {rule}: no hyperplane through the origin has every "
            "row right.",
            Claim.QUASI_SEPARABLE: f"The classes are quasi-separable, even {rule}: no hyperplane through the origin has "
            "every row right, but one has some rows strictly on their correct side and the others on itself.",
        }
    return f"{size}, {sides}. {claims[certificate.claim]}"


def _separation(problem: AnyProblem, separator: Separator, tie: str, sides: Sides) -> list[Block]:
    hint = _hint(separator)
    positive = "at least 0" if tie == "positive" else "positive"
    negative = "at most 0" if tie == "negative" else "negative"
    blocks: list[Block] = [
        f"This score is {positive} for every row of class {class_name(problem, 1)}"
        + (f" and {negative} for every row of class {class_name(problem, -1)}" if len(problem.classes) > 1 else "")
        + (f" ({hint}):" if hint else ":"),
        Formulas([_score(problem, separator)]),
    ]
    if sides.closest:
        names = RowNames(problem, [i for _, i, _ in sides.closest])
        nearest = [
            f"{names.name(i)} ({class_name(problem, label)}) at {scientific(far, 4)}" for far, i, label in sides.closest
        ]
        blocks.append(
            f"The rows nearest to this hyperplane{names.aside}, with their distances: {'; '.join(nearest)}"
            + ". It is one separating hyperplane of many, not the one with the widest margin."
        )
        if problem.reading == "float64" and 0 < sides.closest[0][0] < _ROUNDING_DISTANCE * Fraction(problem.largest):
            blocks.append(
                "That is as little as rounding decimals to float64 may move them: the verdict is about the float64 numbers, "
                "and may differ from what the decimals they were read from would give."
            )
    return blocks


def closest_rows(problem: Problem, separator: Separator) -> list[tuple[Fraction, int]]:
    """Return the rows nearest to a hyperplane with their distances; scores are exact, only the length is rounded."""
    exact = separator.exact(True)
    largest = max(map(abs, exact.integers))
    rounded = np.array([number / largest for number in exact.integers]) if largest else np.zeros(problem.d + 1)
    length = float(np.linalg.norm(rounded[: problem.d]))
    if not length:
        return []
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.abs(problem.X @ rounded[: problem.d] + rounded[problem.d] * problem.rows.denominator)
    scores[np.isnan(scores)] = 0.0
    distances = []
    for i in np.argsort(scores, kind="stable")[:_MAX_CANDIDATES].tolist():
        score = abs(exact_score(exact, *problem.row(i))) / problem.rows.denominator
        distances.append((score / largest / Fraction(length), i))
    return sorted(distances)[:CLOSEST_SHOWN]


def _hint(separator: Separator) -> str:
    """Say what of a separator is not written out."""
    numbers = [*separator.weights, separator.intercept]
    if sum(map(bool, separator.weights)) > MAX_FEATURES_SHOWN + 1:
        return "the certificate has all its terms"
    return "rounded here; the certificate has it exactly" if max(map(abs, numbers)) >= LARGEST_WHOLE else ""


def _weak_separation(problem: AnyProblem, separator: Separator, sides: Sides) -> list[Block]:
    hint = _hint(separator)
    others, names = problem.n - sides.separated, RowNames(problem, sides.first)
    return [
        f"This score is never negative for a row of class {class_name(problem, 1)}, "
        + (f"never positive for one of class {class_name(problem, -1)}, " if len(problem.classes) > 1 else "")
        + "and 0 for exactly those rows that cannot be strictly separated, as the certificate proves"
        + (f" ({hint}):" if hint else ":"),
        Formulas([_score(problem, separator)]),
        f"It separates {counted(sides.separated, 'row')} strictly ({names.listed(sides.first, of=sides.separated)}"
        f"{names.aside}); "
        f"the other {others:,} {'lie' if others > 1 else 'lies'} on the hyperplane.",
    ]


def _contradiction(problem: AnyProblem, obstruction: Obstruction, tie: str, opening: str) -> list[Block]:
    """Write the witness, its inequalities and the sum that reads 0 > 0."""
    k, names = len(obstruction.rows), RowNames(problem, obstruction.rows)
    short = max(obstruction.multipliers) < _LARGEST_MULTIPLIER
    multipliers = obstruction.multipliers if short else _shares(obstruction)
    said = "" if opening or names.are_lines else f" Rows are {names.counting}."
    blocks: list[Block] = [f"{opening}{_shape(problem, obstruction, names)}{said}"]
    if k <= _MAX_WITNESS_ROWS:
        blocks.append(_witness(problem, obstruction, multipliers, names))
    winner = TIES[tie]
    forgiving = winner in obstruction.labels  # a row of the winner may have a score of 0
    if k > MAX_ROWS_SHOWN:
        blocks.append(
            f"The multipliers of these {k} rows are in the certificate: multiplied by them and added up, the inequalities "
            "that a separating hyperplane would have to satisfy read 0 > 0"
            + (f", as those of class {class_name(problem, -winner)} are strict." if forgiving else ".")
        )
        return blocks
    if not short:
        blocks.append("(The multipliers are rounded here, and scaled; the certificate has them exactly.)")
    if k == 1:  # a row of zeros: there is nothing to add up
        blocks.append("A hyperplane that had it right would satisfy, as every term on the left is 0:")
        return [*blocks, Formulas([glued("0 > 0")])]
    blocks.append(
        "A hyperplane with weights w"
        + (" and intercept b" if problem.intercept else "")
        + (" that had them right would satisfy" if forgiving else " that separated them would satisfy")
        + ("" if set(multipliers) == {1} else ", each inequality times its multiplier")
        + (f", where a score of 0 is right for {winner_name(problem, tie)}:" if forgiving else ":")
    )
    blocks.append(Formulas(_inequalities(problem, obstruction, multipliers, winner)))
    blocks.append(
        "Added up, everything on the left cancels"
        + (f", while the rows of class {class_name(problem, -winner)} make the sum greater than 0:" if forgiving else ":")
    )
    return [*blocks, Formulas([glued("0 > 0")])]


def _witness(problem: AnyProblem, obstruction: Obstruction, multipliers: Sequence[Fraction], names: RowNames) -> Grid:
    """Show the rows of a witness with their multipliers; of many columns only those that are not 0 in all of them."""
    wide = _MAX_SOURCES if problem.columns is not None else MAX_FEATURES_SHOWN
    used = _used(problem, obstruction) if problem.d > MAX_FEATURES_SHOWN else []
    own = own_columns(problem, used or list(range(min(problem.d, wide + 1))))
    more = ["…"] if len(own) > wide else []
    rows = []
    for i, label, point, multiplier in zip(
        obstruction.rows, obstruction.labels, obstruction.points, multipliers, strict=True
    ):
        values = [own_value(problem, point, columns) for columns in list(own.values())[:wide]]
        rows.append([names.cell(i), class_name(problem, label), *values, *more, number_text(multiplier)])
    return Grid([names.unit, "class", *list(own)[:wide], *more, "multiplier"], rows)


def _inequalities(
    problem: AnyProblem, obstruction: Obstruction, multipliers: Sequence[Fraction], winner: int
) -> list[Formula]:
    """Write what weights would satisfy that have these rows right, a row of the winner with a score of 0, too."""
    names, used = column_names(problem), _used(problem, obstruction)
    lines = []
    for label, point, multiplier in zip(obstruction.labels, obstruction.points, multipliers, strict=True):
        terms: list[tuple[Fraction, Part]] = [(label * point[j], weight(names[j])) for j in used]
        if problem.intercept:
            terms.append((Fraction(label), "b"))
        side = sum_of(terms)
        times: tuple[Part, ...] = () if multiplier == 1 else (number(multiplier), TIMES)
        above = AT_LEAST if label == winner else ">"
        lines.append(formula(*times, glued("(", side, ")") if times else side, above, "0"))
    return lines


def _used(problem: AnyProblem, obstruction: Obstruction) -> list[int]:
    """Return the columns that are not 0 in all rows of a witness."""
    return [j for j in range(problem.d) if any(point[j] for point in obstruction.points)]


def _shares(obstruction: Obstruction) -> tuple[Fraction, ...]:
    """Return the multipliers as shares of their sum over one class: the weights of the means."""
    total = sum(m for m, label in zip(obstruction.multipliers, obstruction.labels, strict=True) if label > 0)
    total = total or sum(obstruction.multipliers)
    return tuple(m / total for m in obstruction.multipliers)


def _shape(problem: AnyProblem, obstruction: Obstruction, names: RowNames) -> str:
    """Say in words what the witness looks like."""
    rows, labels = obstruction.rows, obstruction.labels
    sides = {label: [i for i, each in zip(rows, labels, strict=True) if each == label] for label in (1, -1)}
    counts = sorted(map(len, sides.values()))
    if not problem.intercept:
        if len(rows) == 1:
            return (
                f"{capitalised(names.name(rows[0]))} is all zeros: without an intercept every hyperplane passes "
                f"through it, and a score of 0 is wrong for class {class_name(problem, labels[0])}."
            )
        reflected = f", those of class {class_name(problem, -1)} reflected in it," if sides[-1] else ""
        return (
            f"Without an intercept the hyperplane passes through the origin. "
            f"{capitalised(names.listed(rows))}{reflected} have the origin in their hull."
        )
    if counts == [1, 1]:
        return (
            f"{capitalised(names.listed(rows))} contradict each other: they are equal, but one is "
            f"{class_name(problem, labels[0])} and the other {class_name(problem, labels[1])}."
        )
    lone = 1 if len(sides[1]) == counts[0] else -1
    others = sides[-lone]
    where = _point(problem, obstruction)
    if counts == [1, 2]:
        return (
            f"Three collinear points: {names.name(sides[lone][0])} ({class_name(problem, lone)}) lies on the segment "
            f"between {names.listed(others)} ({class_name(problem, -lone)})."
        )
    if counts == [2, 2]:
        return (
            f"The XOR pattern: the segment between {names.listed(sides[1])} ({class_name(problem, 1)}) crosses "
            f"that between {names.listed(sides[-1])} ({class_name(problem, -1)}){where}."
        )
    if counts[0] == 1:
        return (
            f"{capitalised(names.name(sides[lone][0]))} ({class_name(problem, lone)}) is a weighted mean of "
            f"{names.listed(others)} ({class_name(problem, -lone)}): it lies in their convex hull, a common "
            f"point of both hulls{where}."
        )
    return (
        f"The convex hulls of the two classes have a common point{where}: a weighted mean of "
        f"{names.listed(sides[1])} ({class_name(problem, 1)}), and also of {names.listed(sides[-1])} "
        f"({class_name(problem, -1)})."
    )


def _point(problem: AnyProblem, obstruction: Obstruction) -> str:
    """Return the common point of both hulls, where it can be shown."""
    if problem.d > MAX_FEATURES_SHOWN:
        return ""
    positive = [
        (point, multiplier)
        for label, point, multiplier in zip(obstruction.labels, obstruction.points, obstruction.multipliers, strict=True)
        if label > 0
    ]
    total = sum(multiplier for _, multiplier in positive)
    means = [sum(point[j] * multiplier for point, multiplier in positive) / total for j in range(problem.d)]
    return f" at ({', '.join(number_text(mean) for mean in means)})"


def _score(problem: AnyProblem, separator: Separator) -> Formula:
    """Write the score of a separator; of many terms only the first are looked at, as the others are not shown."""
    there = ((weight, name) for weight, name in zip(separator.weights, column_names(problem), strict=True) if weight)
    terms: list[tuple[Fraction, Part]] = [(weight, feature(name)) for weight, name in islice(there, MAX_FEATURES_SHOWN + 2)]
    return formula(SCORE, "=", sum_of([*terms, (separator.intercept, "")]))
