"""A disagreement in words: how many errors, on which rows, and why no hyperplane makes fewer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..problem.batches import AnyProblem
from ..problem.duplicates import labelled_points_of
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.row_names import MAX_ROWS_SHOWN, RowNames
from ..problem.wording import class_name, column_names, sum_of
from ..proof.claims import Combination, ErrorBound, Leaf, Packing, Split
from ..support.blocks import Block, Formulas, written
from ..support.counts import counted
from ..support.formulas import MORE, SCORE, Formula, Part, feature, formula, glued, joined
from ..support.numbers import number_text
from ..support.remedies import Message, Remedy

if TYPE_CHECKING:
    from .disagreement import Disagreement


_MAX_CONTRADICTIONS = 12
"""Contradictions that are all written out if they share no row; more are for machines."""

_MAX_ERRORS = 10
"""Rows of a class on one side that are listed as errors."""

_MAX_WEIGHED_CONTRADICTIONS = 4
"""Contradictions that are all written out if some share a row, so that they have weights; more are for machines."""

_LARGEST_MULTIPLIER = 10**6
"""Multipliers below this are written as they are."""

_TERMS_PER_LINE = 4
"""Terms of a score that are written in one line."""

_MAX_TERMS = 40
"""Terms of a score that are written in all, before it is cut short."""

_DIGITS = 6
"""Significant digits of weights beyond which they are rounded for the reader."""


def explained(found: Disagreement, format: str, worded: Callable[[str], str] = str) -> str:  # noqa: A002
    """Explain how many errors are made, and how many are unavoidable; a function words what has all rows for the caller."""
    found = found.whole
    blocks: list[Block] = [f"{_opening(found.problem)} {_result(found)}", *_hyperplane(found)]
    if format != "html" and found.count and _are_many(found):  # readers of a page have neither at hand
        blocks.append(worded(Message("All rows that it errs on are in ", Remedy("rows_given_up"), ".")))
    proved = found.in_memory
    if found.lower and proved is not None and proved.certificate.packing is not None:
        blocks += _proof(proved, proved.certificate.packing)
    if not found.optimal:
        blocks.append(_gap(found))
    return written(blocks, format)


def _opening(problem: AnyProblem) -> str:
    sides = f"all of one class, {class_name(problem, 1)}"
    if len(problem.classes) > 1:
        sides = f"{class_name(problem, 1)} against {class_name(problem, -1)}"
    return f"{counted(problem.n, 'row')}, {counted(problem.d, 'feature')}, {sides}."


def _result(found: Disagreement) -> str:
    """Say what is found, and what is proved."""
    count, weighed = found.count, _costs(found) is not None
    if not count:
        return "The classes are separable: a hyperplane has every row strictly on its correct side. It makes no errors."
    rows = f"{count:,} of them"
    if weighed:
        total = sum(_costs(found) or (), Fraction(0))
        rows += f", with a weight of {_amount(found.upper)} out of {_amount(total)} in all"
    if found.optimal:
        return f"A hyperplane errs on {rows}, and none errs on {'less weight' if weighed else 'fewer'}."
    least = f"at least {_amount(found.lower)}"
    if not found.lower:
        return f"A hyperplane errs on {rows}. Whether that is necessary is not known."
    return f"A hyperplane errs on {rows}. Every hyperplane errs on {'a weight of ' if weighed else ''}{least}."


def _costs(found: Disagreement) -> tuple[Fraction, ...] | None:
    return None if found.certificate.errors is None else found.certificate.errors.costs


# The hyperplane.


def _hyperplane(found: Disagreement) -> list[Block]:
    problem = found.problem
    if not found.weights:
        return ["No hyperplane was found that is right about a row that counts."]
    if found.problem.intercept and not any(found.weights.integers[:-1]):
        label = 1 if found.weights.integers[-1] > 0 else -1
        constant = f"It predicts {class_name(problem, label)} for every row: all its weights but the intercept are 0."
        return [constant, *_errors(found)]
    weights = found.weights.fractions()
    rounded = [_rounded(weight) for weight in weights]
    names: list[Part] = [*map(feature, column_names(problem)), *([""] * problem.intercept)]
    terms = [(number, name) for number, name in zip(rounded, names, strict=True) if number]
    one, other = (class_name(problem, label) for label in (1, -1))
    says = f"predicts {one} where it is positive" + (
        f" and {other} where it is negative" if len(problem.classes) > 1 else ""
    )
    notes = ["rounded here"] * (rounded != weights) + ["cut short here"] * (len(terms) > _MAX_TERMS)
    blocks: list[Block] = [
        f"The hyperplane is where this score is 0. It {says}{f' ({chr(32).join(notes)})' if notes else ''}:",
        Formulas(_lines(terms)),
    ]
    return [*blocks, *_errors(found)]


def _lines(terms: list[tuple[Fraction, Part]]) -> list[Formula]:
    """Write a score, some terms a line."""
    shown = min(len(terms), _MAX_TERMS)
    ends = [*range(_TERMS_PER_LINE, shown - 1, _TERMS_PER_LINE), shown]  # none alone in a line
    first, *rest = [terms[start:end] for start, end in pairwise([0, *ends])]
    lines = [formula(SCORE, "=", sum_of(first))]
    for (number, name), *others in rest:
        lines.append(glued("  - " if number < 0 else "  + ", sum_of([(abs(number), name), *others])))
    return [*lines, glued("  + ", MORE)] if len(terms) > shown else lines


def _sides(found: Disagreement) -> list[tuple[str, list[tuple[int, list[int]]]]]:
    """Return the rows that the hyperplane errs on: where they are in words, and for each class which they are."""
    problem, rows = found.problem, found.rows_given_up
    on = Lifted.of(problem).signs(found.weights)[rows] == 0
    places = ("On its wrong side", rows[~on]), ("On the hyperplane itself, which is an error as well", rows[on])
    return [(where, [(label, those[problem.y[those] == label].tolist()) for label in (1, -1)]) for where, those in places]


def _are_many(found: Disagreement) -> bool:
    """Whether the rows that the hyperplane errs on are cut short where they are listed."""
    if found.in_memory is not found:
        return True
    return bool(found.weights) and any(len(some) > _MAX_ERRORS for _, sides in _sides(found) for _, some in sides)


def _errors(found: Disagreement) -> list[Block]:
    """List the rows that the hyperplane errs on, if there are any, and they are in memory."""
    if not found.count or found.in_memory is not found:
        return []
    problem, found_sides, texts = found.problem, _sides(found), list[str]()
    names = RowNames(problem, [row for _, sides in found_sides for _, some in sides for row in some[:_MAX_ERRORS]])
    for where, sides in found_sides:
        parts = [f"{names.listed(some, _MAX_ERRORS)} (class {class_name(problem, label)})" for label, some in sides if some]
        if parts:
            texts.append(f"{where}: {'; '.join(parts)}.")
    return [" ".join(texts) + ("" if names.are_lines else f" Rows are {names.counting}.")]


def _rounded(number: Fraction, digits: int = _DIGITS) -> Fraction:
    """Round a number to a few decimal digits, unless it is too small or too large for a float64."""
    if not Fraction(1, 10**300) < abs(number) < 10**300:
        return number
    return Fraction(float(f"{float(number):.{digits}g}"))


# Why there are no fewer.


@dataclass(frozen=True)
class _Case:
    """A leaf: what rows are given up there, in cost, and what its contradictions prove besides."""

    given_up: Fraction
    leaf: Leaf

    @property
    def total(self) -> Fraction:
        return self.given_up + sum(self.leaf.weights, Fraction(0))


def _proof(found: Disagreement, packing: Packing) -> list[Block]:
    problem = found.problem
    assert found.certificate.errors is not None
    cases = _cases(problem, found.certificate.errors, packing)
    pairs = _pairs(problem, packing.obstructions)
    blocks = _by_cases(found, packing, cases) if len(cases) > 1 else _at_once(found, packing, cases[0])
    if pairs:
        shown_pairs = pairs[:_MAX_CONTRADICTIONS]
        names = RowNames(problem, [i for pair in shown_pairs for i in pair])
        texts = [names.listed(pair) for pair in shown_pairs]
        more = len(pairs) - len(texts)
        shown = "; ".join(texts) + (f"; and {more:,} more pairs" if more > 0 else "")
        blocks.append(f"Equal, but labelled differently, are {shown}: whatever the hyperplane, one of the two is wrong.")
    return blocks


def _cases(problem: Problem, errors: ErrorBound, packing: Packing) -> list[_Case]:
    """Return the leaves of the tree, with the cost of the rows that are given up there."""
    if len(packing.nodes) == 1 and isinstance(packing.nodes[0], Leaf):
        return [_Case(Fraction(0), packing.nodes[0])]
    keys = labelled_points_of(problem)
    costs = (Fraction(1),) * problem.n if errors.costs is None else errors.costs
    cases: list[_Case] = []
    waiting = [Fraction(0)]  # the cost of what is given up, for each subtree that is yet to come
    for node in packing.nodes:
        given_up = waiting.pop()
        if isinstance(node, Split):
            own = sum((costs[i] for i in np.flatnonzero(keys == keys[node.row]).tolist()), Fraction(0))
            waiting += [given_up + own, given_up]
        else:
            cases.append(_Case(given_up, node))
    return cases


def _pairs(problem: Problem, pool: Sequence[Combination]) -> list[tuple[int, int]]:
    """Return the contradictions that are two rows, equal but of different classes."""
    two = [each.rows for each in pool if len(each.rows) == 2 and each.multipliers[0] == each.multipliers[1]]
    return sorted((i, j) for i, j in two if problem.y[i] != problem.y[j])


def _at_once(found: Disagreement, packing: Packing, case: _Case) -> list[Block]:
    """Explain a proof without cases, all contradictions written out if they are few."""
    problem, pool, leaf = found.problem, packing.obstructions, case.leaf
    listed = [row for each in pool for row in each.rows]
    plain = _costs(found) is None and len(set(listed)) == len(listed) and set(leaf.weights) == {1}
    why = f"Why no hyperplane errs on {_less(found)}:"
    if len(pool) > (_MAX_CONTRADICTIONS if plain else _MAX_WEIGHED_CONTRADICTIONS):
        example = min(pool, key=_difficulty)
        return [
            f"{why} there are {counted(len(pool), 'contradiction')}, sets of rows that no hyperplane is right about "
            f"throughout, {_loaded(found, pool)}. Their weights add up to {_hence(found, case.total)}.",
            f"The certificate has them all; this is one of them. {_reading(problem, [example])}",
            Formulas([_equation(problem, example, RowNames(problem, example.rows))]),
        ]
    names = RowNames(problem, listed)
    lines = Formulas([_equation(problem, each, names) for each in pool])
    if len(pool) == 1:
        end = "So every hyperplane errs on at least one of these rows."
        if not plain:
            end += f" The least that costs it is {_amount(leaf.weights[0])}."
        return [f"{why} there is a contradiction. {_reading(problem, pool)}", lines, end]
    if plain:
        end = f"Whatever the hyperplane, it errs on a row of each. No row is in two of them: that makes {len(pool)} errors."
    else:
        weights = dict(zip(leaf.obstructions, leaf.weights, strict=True))
        texts = ", ".join(_amount(weights[k]) for k in range(len(pool)))
        end = (
            f"Whatever the hyperplane, it errs on a row of each. They are {_loaded(found, pool)}: {texts}, in this order. "
            f"That makes {_hence(found, case.total)}."
        )
    return [f"{why} there are {counted(len(pool), 'contradiction')}. {_reading(problem, pool)}", lines, end]


def _difficulty(each: Combination) -> tuple[bool, bool, int, Fraction]:
    """Say how hard a contradiction is to read; pairs, which are told of elsewhere, come after all others."""
    return len(each.rows) == 2, max(each.multipliers) >= _LARGEST_MULTIPLIER, len(each.rows), max(each.multipliers)


def _by_cases(found: Disagreement, packing: Packing, cases: list[_Case]) -> list[Block]:
    splits = sorted({node.row for node in packing.nodes if isinstance(node, Split)})
    total = min(case.total for case in cases)
    names = RowNames(found.problem, splits[:MAX_ROWS_SHOWN])
    return [
        f"Why no hyperplane errs on {_less(found)}: {len(cases):,} cases are distinguished, by whether it is right about "
        f"{names.listed(splits)}. In each case there are contradictions, sets of rows that "
        f"no hyperplane is right about throughout, {_loaded(found, packing.obstructions)}, rows that it is right "
        "about in that case excepted. Their weights, with what the rows cost that it is wrong about in that case, add up to "
        f"{_hence(found, total)}. The certificate has all {counted(len(packing.obstructions), 'contradiction')}."
    ]


def _loaded(found: Disagreement, pool: Sequence[Combination]) -> str:
    """Say how contradictions are weighed."""
    limit = "more than once" if _costs(found) is None else "for more than its own weight"
    _, groups, sizes = np.unique(labelled_points_of(found.problem), return_inverse=True, return_counts=True)
    equal = any(sizes[groups[list(each.rows)]].max() > 1 for each in pool)
    return f"weighed so that no row counts {limit}{' (equal rows stand in for each other)' if equal else ''}"


def _hence(found: Disagreement, total: Fraction) -> str:
    """Say what a sum of weights proves."""
    errors = "errors" if _costs(found) is None else "in weight"
    if total >= found.lower:
        return f"{_amount(found.lower)} {errors} at least"
    floor = Fraction(int(total * 100), 100)
    why = "errors are whole numbers" if _costs(found) is None else "no rows have a weight in between"
    return f"{'' if floor == total else 'more than '}{float(floor):,.6g} {errors}, hence {_amount(found.lower)}, since {why}"


def _less(found: Disagreement) -> str:
    return f"fewer than {_amount(found.lower)}" if _costs(found) is None else f"less weight than {_amount(found.lower)}"


def _reading(problem: Problem, pool: Sequence[Combination]) -> str:
    """Say how equations are to be read."""
    one, other = class_name(problem, 1), class_name(problem, -1)
    several = len(pool) > 1
    what = "Each of these equations holds exactly" if several else "This equation holds exactly"
    if any(max(each.multipliers) >= _LARGEST_MULTIPLIER for each in pool):
        what += " (with the multipliers of the certificate, of which decimals here are rounded)"
    if len(problem.classes) < 2:
        sides, why = "", "the left would have a positive score, but 0 has the score 0"
    else:
        sides = f", with rows of class {one} on the left and of class {other} on the right"
        sides += ", as many on either side" if problem.intercept else ""
        why = "the left would have a positive score and the right a negative one"
        why += "" if problem.intercept else ", and 0 the score 0"
    rows = f"all {'its' if several else 'these'} rows"
    return f"{what}, feature by feature{sides}; if a hyperplane were right about {rows}, {why}:"


def _equation(problem: Problem, each: Combination, names: RowNames) -> Formula:
    """Write a contradiction: rows of one class, times their multipliers, that add up to rows of the other."""
    multipliers = each.multipliers
    if max(multipliers) >= _LARGEST_MULTIPLIER:
        total = sum((m for i, m in zip(each.rows, multipliers, strict=True) if problem.y[i] > 0), Fraction(0))
        multipliers = tuple(_rounded(m / (total or sum(multipliers)), 3) for m in multipliers)
    terms = list(zip(multipliers, map(names.formula, each.rows), problem.y[list(each.rows)], strict=True))
    return joined(" = ", (sum_of((m, name) for m, name, label in terms if label == side) for side in (1, -1)))


def _gap(found: Disagreement) -> str:
    """Say what is not known, and why."""
    why = "Ctrl-C ended the search" if found.interrupted else "The search ended when its time was up"
    gap = Fraction(found.upper) - Fraction(found.lower)
    what = counted(int(gap), "error") if _costs(found) is None else f"a weight of {_amount(gap)}"
    return (
        f"{why}, with a gap: what is found and what is proved differ by {what}. The fewest possible may be anything from "
        f"{_amount(found.lower)} to {_amount(found.upper)}; more time may narrow it."
    )


def _amount(number: Fraction | int) -> str:
    """Write a number of errors or a weight."""
    exact = Fraction(number)
    return f"{int(exact):,}" if exact.denominator == 1 and abs(exact) < 10**15 else number_text(exact)
