"""One visit of a run."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..support.answer import Answer
from ..support.blocks import written
from ..support.counts import few_of
from ..support.escaping import shown
from ..support.numbers import number_text

Vector = tuple[Fraction, ...]

_MAX_NUMBERS_SHOWN = 8
"""Numbers of a vector that are shown in words."""


@dataclass(frozen=True, kw_only=True)
class Step(Answer):
    """One visit of a run. All numbers are fractions.

    Attributes
    ----------
    step : int or None
        The number of the visit, from 1; of `Pocket` and in the order "random", where nothing but updates is seen, of the
        update. None where it is not known.
    passed : int or None
        The pass, from 1; of `Pocket` which of its runs.
    row : int
        The row, counted from 0.
    label, decision : class
        The class of the row, and the one that was predicted, None where a tie rule predicts none.
    scores : tuple of Fraction
        ``w.x`` before the visit; of more than two classes one for each. ``score`` is the one of two classes.
    mistake : bool
        Whether it was a mistake.
    mistakes : int
        Mistakes so far.
    update : tuple of Fraction, or None
        What was added to the weights; None if nothing was. Of a kernel, to the multiple of this row.
    weights : tuple of Fraction
        The weights after the visit, the intercept last; of more than two classes vector after vector; of a kernel the
        multiple of each row.
    cross, square, alignment : Fraction or None
        ``2 w.u``, ``||u||^2`` and ``w*.u`` for the update u and the weights w before it.
    rival : class or None
        Of more than two classes, the one that a mistaken row was subtracted from.
    mean : tuple of Fraction, or None
        The mean of the weights after all visits so far, if they are averaged.
    votes : int or None
        Of a voted perceptron, the votes of the present weights so far: the visits that they survived.
    errors : int or None
        Of `Pocket`, the rows that the weights misclassify.
    load : Fraction or None
        The sample weights of these rows together, if there are any.
    kept : bool or None
        Of `Pocket`, whether the weights, or their mean, went into the pocket.
    """

    step: int | None
    passed: int | None
    row: int
    label: Any
    scores: Vector
    decision: Any
    mistake: bool
    mistakes: int
    update: Vector | None
    weights: Vector
    cross: Fraction | None = None
    square: Fraction | None = None
    alignment: Fraction | None = None
    rival: Any = None
    mean: Vector | None = None
    votes: int | None = None
    errors: int | None = None
    load: Fraction | None = None
    kept: bool | None = None

    def __repr__(self) -> str:
        said = f"{'' if self.step is None else f'{self.step}, '}row {self.row} of class {shown(self.label)}"
        return f"<Step: {said}, {'a mistake' if self.mistake else 'right'}>"

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say what happened; ``format`` as in `Verdict.explain`."""
        scores = few_of(list(map(number_text, self.scores)), _MAX_NUMBERS_SHOWN)
        weights = few_of(list(map(number_text, self.weights)), _MAX_NUMBERS_SHOWN)
        when = "A visit" if self.step is None else f"Visit {self.step}"
        said = f"{when}: row {self.row}, counted from 0, of class {shown(self.label)}, has the score {scores}."
        if self.decision is not None:
            said += f" That predicts {shown(self.decision)}."
        made = "It is a mistake; the weights become" if self.mistake else "It is right; the weights stay"
        return written([f"{said} {made} ({weights})."], format)

    @property
    def score(self) -> Fraction:
        """The score, of two classes."""
        if len(self.scores) > 1:
            raise ValueError("More than two classes have a score each: see scores.")
        return self.scores[0]
