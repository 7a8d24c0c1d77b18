"""The classifier in feature names: the rule, and the table of weights."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..._types import Floats
from ...pictures import plot
from ...pictures.scene import Scene
from ...pictures.scenery.units import unit_of
from ...problem.problem import Problem
from ...problem.wording import class_name, column_names
from ...support.counts import counted
from ..draft import Draft
from ..markup import Markup, brief, formulas, number, paragraphs, section, table
from ..rows import by_effect, effects

_MOST_TERMS = 12
"""Terms of the rule that are written out."""

_MOST_WEIGHTS = 30
"""Weights that the table shows."""


@dataclass(frozen=True)
class Chosen:
    """The hyperplane that the report recommends."""

    title: str
    coef: Floats
    intercept: float
    why: str
    errors: int


def chosen(draft: Draft) -> Chosen | None:
    """Return the widest hyperplane of separable classes, or the one with the fewest errors that was found."""
    answers = draft.answers
    if answers.margin is not None:
        weights = answers.margin.direction
        d = answers.margin.problem.d
        return Chosen(
            "widest margin", weights[:d], float(weights[d]),
            "This is the hyperplane with the widest margin. Its weights have the length 1, so that the score of a row is "
            "its distance from the hyperplane.",
            0,
        )  # fmt: skip
    found = answers.disagreement
    if found is None or not found.coef.any():
        return None
    least = (
        "proved to be the fewest that any hyperplane makes"
        if found.optimal
        else f"and none makes fewer than {found.lower:,}"
    )
    return Chosen(
        "fewest errors", found.coef, found.intercept,
        f"This hyperplane makes {counted(int(found.upper), 'error')} on these rows, {least}.",
        int(found.upper),
    )  # fmt: skip


def classifier_section(draft: Draft) -> Markup:
    """Write the classifier in feature names."""
    problem, best = draft.material.problem, chosen(draft)
    assert problem is not None
    title = "The classifier"
    if best is None:
        return section("classifier", title, paragraphs("There is none: it was not looked for, or every weight is 0."))
    if not np.isfinite([*best.coef, best.intercept]).all():
        return section("classifier", title, paragraphs(
            best.why, "Its weights are beyond the range of float64, and are not written out here; the certificate has them."
        ))  # fmt: skip
    rule = _rule(draft, problem, best)
    one, other = class_name(problem, 1), class_name(problem, -1)
    return section(
        "classifier", title,
        paragraphs(f"{best.why} It predicts {one} where"),
        formulas(*rule),
        paragraphs(f"and {other} elsewhere. Numbers are rounded here to six digits."),
        _unit(draft, problem, best),
        _table(draft, problem, best),
        _beside(draft),
    )  # fmt: skip


def _rule(draft: Draft, problem: Problem, best: Chosen) -> list[str]:
    """Write the rule with rounded numbers, a term in a line, those that count most first."""
    coef, order, names = best.coef, by_effect(draft.material, best.coef), column_names(problem)
    shown = order[:_MOST_TERMS]
    width = max(len(f"{abs(coef[j]):.6g}") for j in shown)
    terms = [f"{'-' if coef[j] < 0 else '+'} {abs(coef[j]):>{width}.6g} * {brief(names[j])}" for j in shown]
    return [*terms, *(["+ …"] if len(order) > len(shown) else []), f"> {0.0 - best.intercept:.6g}"]


def _unit(draft: Draft, problem: Problem, best: Chosen) -> Markup:
    """Draw it as a unit, with the numbers of the table."""
    weights = [Fraction(f"{weight:.6g}") for weight in best.coef.tolist()]
    unit = unit_of(problem, weights, Fraction(f"{best.intercept:.6g}"), None)
    caption = "The classifier as a unit: inputs times weights are added up, and the sum is held against 0."
    return draft.picture("unit", plot.structure, Scene(best.title, unit=unit), caption, "unit", 3.6)


def _table(draft: Draft, problem: Problem, best: Chosen) -> Markup:
    perceptron = None if draft.without_rows else draft.answers.perceptron  # after a mistake its weights are that row
    order, names, size = by_effect(draft.material, best.coef), column_names(problem), effects(draft.material, best.coef)
    header = ["feature", best.title, "times standard deviation", *(["perceptron"] if perceptron is not None else [])]
    coef, intercept = ([], 0.0) if perceptron is None else draft.answers.weights_of_run()
    rows = []
    for j in order[:_MOST_WEIGHTS]:
        cells = [brief(names[j]), number(f"weight-{j}", f"{best.coef[j]:.6g}", repr(float(best.coef[j])))]
        cells.append("–" if np.isnan(size[j]) else f"{size[j]:.4g}")
        if perceptron is not None:
            cells.append(f"{coef[j]:.6g}")
        rows.append(cells)
    last = ["intercept", number("intercept", f"{best.intercept:.6g}", repr(best.intercept)), "–"]
    rows.append(last + ([f"{intercept:.6g}"] if perceptron is not None else []))
    zeros = problem.d - len(order)
    foot = "A weight times the standard deviation of its column says how much the feature counts, whatever its unit."
    if len(order) > _MOST_WEIGHTS:
        foot += f" Shown are the {_MOST_WEIGHTS} of {len(order):,} weights for which that is largest."
    if zeros:
        foot += f" {counted(zeros, 'weight')} {'is' if zeros == 1 else 'are'} 0."
    return table("Weights, those that count most first", header, rows, key="weights", foot=foot)


def _beside(draft: Draft) -> Markup | None:
    """Say what the perceptron's weights are, beside."""
    perceptron = draft.answers.perceptron
    if perceptron is None:
        return None
    if draft.without_rows:
        return paragraphs("The weights of a run of the perceptron are left out: they are sums of rows.")
    ended = "came to a pass without a mistake" if perceptron.converged_ else "was stopped before a pass without a mistake"
    wrong = int(np.count_nonzero(perceptron.predict(draft.answers.rows_of_run(draft.material)) != draft.material.labels))
    about = draft.answers.about_run()
    about += "" if draft.answers.scaler is None else " Here they are those of the columns as they are."
    return paragraphs(
        ["The last column has the weights of a run of the perceptron, in exact arithmetic: it ", ended, ", and makes ",
         number("perceptron-errors", f"{wrong:,}", wrong), f" {'error' if wrong == 1 else 'errors'} on these rows. {about}"],
    )  # fmt: skip
