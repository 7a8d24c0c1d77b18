"""The theorem of iterative parameter mixing, audited on a run.

Theorem 3 of McDonald, Hall and Mann (2010), for S shards that are mixed uniformly: if a unit vector w* has every row right
by gamma, then the mistakes k_i,n of shard i in epoch n have ``sum over n and i of k_i,n / S <= R^2 / gamma^2``. The proof
is that of the perceptron, with means: each epoch adds at least ``gamma * sum_i k_i,n / S`` to ``w*.w``; and at most
``R^2 * sum_i k_i,n / S`` to ``||w||^2``, as the square of the length of a mean is at most the mean of the squares.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..exact.rounding import outward, root
from ..perceptron.trace import longest_rows
from ..problem.batches import BatchedProblem
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..proof.certificate import Certificate
from ..separation.margins import Margin
from ..separation.verdict import NotSeparable
from ..support.answer import Answer
from ..support.blocks import Block, Sentence, written
from ..support.counts import counted
from ..support.formulas import number


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class MixingLedger(Answer):
    """The theorem of parameter mixing, held against a run; `MixedPerceptron.audit` makes it.

    Attributes
    ----------
    holds : bool
        Whether nothing contradicts it.
    violations : tuple of str
        What does.
    shards : tuple of int
        The rows of each shard.
    weighted_mistakes : tuple of Fraction
        After each epoch, all mistakes until then over the number of shards.
    squared_length, squared_length_line : tuple of Fraction
        After each epoch ``||w||^2``, and ``R^2`` times the weighted mistakes, which it is not above.
    alignment, alignment_line : Fraction or None
        ``w*.w`` at the end, with the w* of length 1 that attains ``margin.lo``, squared; and that of what it is not below.
    radius_squared : Fraction
        The exact square of R, the largest length of a signed, lifted row.
    margin : Margin or None
        The margin gamma between proved bounds; None if the classes are not separable.
    bound : tuple of float or None
        ``R^2 / gamma^2`` between bounds, rounded outwards.
    obstruction : Certificate or None
        What proves that the classes are not separable.
    """

    shards: tuple[int, ...]
    weighted_mistakes: tuple[Fraction, ...]
    squared_length: tuple[Fraction, ...]
    alignment: Fraction | None
    alignment_line: Fraction | None
    radius_squared: Fraction
    margin: Margin | None
    obstruction: Certificate | None = field(default=None)

    @property
    def squared_length_line(self) -> tuple[Fraction, ...]:
        """``R^2`` times the weighted mistakes after each epoch."""
        return tuple(self.radius_squared * each for each in self.weighted_mistakes)

    @property
    def bound(self) -> tuple[float, float] | None:
        """``R^2 / gamma^2`` between bounds, rounded outwards."""
        if self.margin is None:
            return None
        lo, hi = self.radius_squared / self.margin.hi_squared, self.radius_squared / self.margin.lo_squared
        return outward(lo, up=False), outward(hi, up=True)

    @property
    def violations(self) -> tuple[str, ...]:
        """What contradicts the theorem."""
        found = [
            f"After epoch {n} the square of the length of the weights is above its line."
            for n, (square, line) in enumerate(zip(self.squared_length, self.squared_length_line, strict=True), 1)
            if square > line
        ]
        if self.margin is not None:
            if self.weighted_mistakes[-1] * self.margin.lo_squared > self.radius_squared:
                found.append("The weighted sum of mistakes is above its bound.")
            if self.alignment is not None and self.alignment_line is not None and self.alignment < self.alignment_line:
                found.append("The product of the weights with a separating vector is below its line.")
        return tuple(found)

    @property
    def holds(self) -> bool:
        """Whether the theorem holds on this run."""
        return not self.violations

    def __repr__(self) -> str:
        allowed = "not separable" if self.bound is None else f"at most {self.bound[1]:,.6g} allowed"
        return (
            f"<MixingLedger: {float(self.weighted_mistakes[-1]):,.6g} weighted mistakes, {allowed}; "
            f"{'holds' if self.holds else 'does not hold'}>"
        )

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say what the theorem allows, and what the run did.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html"}
            How to write it.

        Examples
        --------
        >>> import separatrix as sx
        >>> X, y = sx.examples.load("and")
        >>> print(sx.MixedPerceptron(shards=2).fit(X, y).audit(X, y).explain())
        2 shards of 2 to 2 rows made 15 mistakes in 7 epochs: weighted by 1 over the number of shards, 7.5. The theorem
        of McDonald, Hall and Mann (2010) allows at most 51, the square of the radius over that of the margin, which is
        proved.
        <BLANKLINE>
        The square of the length of the mixed weights was never above its line. The theorem holds on this run.
        """
        return written(self._explained(), format)

    def _explained(self) -> list[Block]:
        shards, last = len(self.shards), self.weighted_mistakes[-1]
        epochs = len(self.weighted_mistakes)
        opening = (
            f"{counted(shards, 'shard')} of {min(self.shards):,} to {max(self.shards):,} rows made "
            f"{counted(int(last * shards), 'mistake')} in {counted(epochs, 'epoch')}: weighted by 1 over the number of "
            "shards, "
        )
        if self.bound is None:
            allowed: tuple[Any, ...] = (". No hyperplane separates the classes, which is proved: there is no bound.",)
        else:
            allowed = (
                ". The theorem of McDonald, Hall and Mann (2010) allows at most ", number(self.bound[1]),
                ", the square of the radius over that of the margin, which is proved.",
            )  # fmt: skip
        end = "The square of the length of the mixed weights was never above its line. The theorem holds on this run."
        return [Sentence((opening, number(float(last)), *allowed)), end if self.holds else " ".join(self.violations)]

    @property
    def radius(self) -> float:
        """R, rounded upwards."""
        return root(self.radius_squared, up=True)


def audit_of(learnt: Any, problem: BatchedProblem) -> MixingLedger:
    """Audit what a mixed perceptron has learnt from rows."""
    if problem.n != sum(learnt.shards) or problem.d != learnt.features:
        raise ValueError(
            f"It was fitted on {sum(learnt.shards):,} rows of {learnt.features:,} columns; there are {problem.n:,} of "
            f"{problem.d:,}. Give the rows that it was fitted on."
        )
    shards = len(learnt.shards)
    square = max(found for _, found in problem.map(_longest))
    weighted, total = [], 0
    for mistakes in learnt.mistakes.tolist():
        total += sum(mistakes)
        weighted.append(Fraction(total, shards))
    margin = obstruction = alignment = line = None
    try:
        margin = problem.batches.margin(fit_intercept=problem.intercept)
    except NotSeparable as error:
        obstruction = error.certificate
    if margin is not None:
        star = margin.weights
        product = learnt.exact().numerators.dot(star) / learnt.exact().divisor
        length = star.dot(star)
        alignment = product * abs(product) / length
        line = weighted[-1] ** 2 * margin.lo_squared
    return MixingLedger(
        shards=learnt.shards, weighted_mistakes=tuple(weighted), squared_length=learnt.squared, alignment=alignment,
        alignment_line=line, radius_squared=square, margin=margin, obstruction=obstruction,
    )  # fmt: skip


def _longest(problem: Problem, start: int) -> Fraction:
    return longest_rows(Lifted.of(problem))[0] if problem.n else Fraction(0)
