"""The outcome of an audit: every statement of the theorem, on every mistake."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..compiled.environment import checked_arithmetic
from ..estimators.perceptron import Perceptron
from ..exact.dyadic import Dyadic, Quotient
from ..exact.rounding import root
from ..perceptron.trace import Prefix, UpdateRule
from ..problem.batches import AnyProblem
from ..problem.problem import Problem
from ..proof.certificate import Certificate
from ..separation.margins import Margin
from ..support.counts import counted
from ..support.notebook import with_picture
from .alignments import Growth
from .explanation import explained
from .generalization import Generalization, generalize
from .one_pass import HingeBound, OnlineBound
from .stars import Star


class Erred(NamedTuple):
    """The rows erred on, where rows come in blocks: no others are at hand."""

    problem: Problem
    numbers: Indices
    """Their numbers among all rows, in ascending order."""


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Ledger:
    """The convergence theorem, audited on a run; `audit` makes it.

    Lengths are counted in units of the learning rate: ``w_k`` is the sum of the rows erred on up to mistake k. ``w*`` is the
    unit vector that attains ``margin.lo``. The arrays have an entry for each k in ``k``: every mistake of a short run, a
    thinned choice of a long one. Where ``exact`` they are correctly rounded and the statements are decided in rational
    numbers, elsewhere they are known up to their errors. Numbers beyond float64 are infinite.

    Attributes
    ----------
    holds : bool
        Whether every step is a mistake, every statement is proved where exact, and none is contradicted elsewhere.
    violations : tuple of str
        What does not hold.
    mistakes, passes, converged
        What the run did.
    rounds : int or None
        The number of rows, if the run was shown each of them once, as in the online protocol; else None.
    zero_scores : int
        Mistakes at a score of exactly 0, where the term ``2 w.z_i`` of claim 2 is 0, and not negative.
    radius, radius_squared : float, Fraction
        R, the largest length of a signed, lifted row, and its exact square.
    margin : Margin or None
        The margin gamma between proved bounds; None if the classes are not separable.
    bound : tuple of float or None
        Bounds, rounded outwards, of the most mistakes that the theorem allows.
    run_bound : float or None
        ``R^2 cos(w*, w_k)^2 / gamma^2`` at the last mistake: a bound that only the run can tell; None unless the theorem
        applies.
    growth : Growth or None
        By what ``w*.w_k`` has grown since the first mistake: the product of the factors of length and cosine.
    cosine_steps, cosine_falls : int
        Steps from one mistake to the next among ``k``, and those of them in which ``cos(w*, w_k)`` fell.
    star : Star or None
        The w* that was given, with its margin, its bound and its lines.
    obstruction : Certificate or None
        What proves that the classes are not separable.
    online : OnlineBound or None
        What is known of one pass where they are not (Freund and Schapire 1999).
    hinge : HingeBound or None
        The same, by the hinge loss.
    k, exact : array
        The mistakes looked at, and whether exactly.
    alignment, alignment_line : array
        ``w*.w_k``, and ``k gamma``, which it is not below.
    squared_length, squared_length_line : array
        ``||w_k||^2``, and ``k R^2``, which it is not above.
    squared_rows : array
        The sum of ``||z_i||^2`` over the rows erred on up to mistake k, which lies between those two.
    cosine, cosine_line : array
        ``cos(w*, w_k)``, and ``sqrt(k) gamma / R``, which it is not below.
    margin_ceiling : array
        ``||w_k|| / k``, which the margin is not above.
    alignment_error, squared_length_error : array
        Bounds of the errors of rounding.
    updates : array
        Mistakes on each row; of a stream, on each of the rows erred on, whose numbers are ``erred.numbers``.
    """

    problem: AnyProblem
    perceptron: Perceptron
    steps: UpdateRule
    trace: Indices
    erred: Erred | None
    start_squared: Fraction
    mistakes: int
    passes: int
    rounds: int | None
    converged: bool
    zero_scores: int
    radius_squared: Fraction
    margin: Margin | None
    bound: tuple[float, float] | None
    run_bound: float | None
    growth: Growth | None
    cosine_steps: int
    cosine_falls: int
    star: Star | None
    obstruction: Certificate | None
    online: OnlineBound | None
    hinge: HingeBound | None
    violations: tuple[str, ...]
    k: Indices
    exact: NDArray[np.bool_]
    alignment: Floats
    alignment_line: Floats
    alignment_error: Floats
    squared_length: Floats
    squared_length_line: Floats
    squared_length_error: Floats
    squared_rows: Floats
    cosine: Floats
    cosine_line: Floats
    margin_ceiling: Floats
    updates: Indices

    @property
    def holds(self) -> bool:
        """Whether the theorem holds on this run."""
        return not self.violations

    @property
    def radius(self) -> float:
        """R, rounded upwards."""
        return root(self.radius_squared, up=True)

    @property
    def applies(self) -> bool:
        """Whether the theorem applies as it is usually stated; if not, an adjusted one is audited."""
        return self.margin is not None and not self.start_squared and self.steps.plain

    @checked_arithmetic
    def weights(self, k: int) -> Dyadic | Quotient:
        """Return the exact weights after k mistakes, the intercept last, in the units of the ledger.

        From zero the learning rate is left out: they are the sum of the first k rows erred on. From elsewhere they are the
        weights that the run had.

        >>> import separatrix as sx
        >>> X, y = sx.examples.load("and")
        >>> sx.audit(sx.Perceptron().fit(X, y), X, y).weights(17).strings()
        ['3', '3', '-3']
        """
        if not isinstance(k, numbers.Integral) or not 0 <= k <= self.mistakes:
            raise ValueError(f"k must be a whole number from 0 to {self.mistakes:,}, the number of mistakes, got {k!r}.")
        problem, trace = self.problem, self.trace
        if self.erred is not None:
            problem, trace = self.erred.problem, np.searchsorted(self.erred.numbers, trace)
        assert isinstance(problem, Problem)
        return Prefix(problem, trace, self.steps).at(int(k)).times_fraction(self.steps.unit)

    @checked_arithmetic
    def generalization(self, delta: float = 0.05, *, folds: int = 5, X: Any = None, y: Any = None) -> Generalization:
        """Say what the run promises for rows not seen: bounds of the error, beside an estimate.

        Parameters
        ----------
        delta : float
            The chance that a bound may fail with.
        folds : int
            Parts for the cross-validated estimate; 0 for none.
        X, y
            Rows held out, to estimate on instead.

        Returns
        -------
        Generalization
            ``bounds``, each with formula, assumptions and value; ``estimate``; ``explain()``.
        """
        if not 0.0 < delta < 1.0:
            raise ValueError(f"delta must be between 0 and 1, got {delta!r}.")
        if self.perceptron.average:
            raise ValueError("The bounds speak of the last weights, and average=True predicts with their mean. Audit a "
                             "perceptron fitted with average=False.")  # fmt: skip
        if not isinstance(self.problem, Problem):
            raise ValueError("What a run promises for rows not seen is worked out on all rows at once, and a stream has too "
                             "many. Audit a run on as many as memory holds.")  # fmt: skip
        return generalize(
            self.problem, self.perceptron, self.updates, self.steps.plain and not self.start_squared, delta, folds,
            None if X is None else (X, y),
        )  # fmt: skip

    @checked_arithmetic
    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Write the audit like a lecture: the quantities, the two inequalities, the squeeze, the conclusion.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html"}
            How to write it.
        """
        return explained(self, format)

    def __repr__(self) -> str:
        bound = "not separable" if self.bound is None else f"at most {self.bound[1]:,.6g} allowed"
        mistakes = counted(self.mistakes, "mistake")
        return f"<Ledger: {mistakes}, {bound}; {'holds' if self.holds else 'does not hold'}>"

    def _repr_markdown_(self) -> str:
        return self.explain("markdown")

    def _repr_html_(self) -> str:
        return with_picture(self, self.explain("html"))
