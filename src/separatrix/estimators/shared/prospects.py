"""Whether a run that was stopped would ever halt: decided on the spot where that is quick, else where to ask."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ...compiled.environment import checked_arithmetic
from ...perceptron.run import Run
from ...perceptron.trace import radius_squared
from ...problem.lifted import Lifted
from ...problem.multiclass import Classes
from ...problem.problem import Problem
from ...problem.ties import TIES
from ...separation.decision import decide_problem
from ...separation.margin_bounds import MarginBounds
from ...separation.verdict import Verdict
from ...support.blas import one_thread
from ...support.clock import Clock
from ...support.counts import counted
from ...support.progress import unheard
from ...support.remedies import Question, Remedy
from .asking import is_asked
from .raw_rows import OfRawRows

_MAX_NUMBERS = 20_000
"""Numbers up to which the rows are decided on the spot, which takes some hundredths of a second."""

_MAX_NUMBERS_FOR_MARGIN = 6_000
"""Numbers up to which the margin is looked for as well."""

_SECONDS = 0.25
"""What deciding may take at most, whatever the rows."""

_FEW_NUMBERS, _SECONDS_FOR_FEW = 4_000, 10.0
"""Numbers that are decided in no time, but for what must be loaded and compiled first: slow machines say the same."""

_TOLERANCE = 1e-3
"""How near the bounds of the margin are to be: for a bound of the mistakes, any lower bound will do."""

_MORE = ("more passes (", Remedy("max_iter"), ")")
_OR_STANDARDISED = OfRawRows(", standardised features, or both")
_FEWER = OfRawRows("; standardised features may take fewer")


def prospects(run: Run, tie: str) -> tuple[Any, ...]:
    """Say whether a run would come to an end, as parts of a message."""
    problem = run.problem
    if isinstance(problem, Classes):
        return (
            "Either no vectors of weights tell the classes apart, and it never will, or it needs ", *_MORE, _OR_STANDARDISED,
            ". Of one class against all others ", Question("decide"), " says which (", Remedy("positive"),
            "), with a proof.",
        )  # fmt: skip
    verdict = None
    numbers = problem.n * problem.width
    if is_asked() and numbers <= _MAX_NUMBERS:
        seconds = _SECONDS_FOR_FEW if numbers <= _FEW_NUMBERS else _SECONDS
        with suppress(ArithmeticError), unheard():  # neither errors nor progress are those of the fit
            verdict = checked_arithmetic(decide_problem)(problem, Clock(seconds), tie)
    if verdict is None or verdict.separable is None or verdict.always_halts is None:
        return (
            "Either no hyperplane separates the classes, and it never will, or it needs ", *_MORE, _OR_STANDARDISED,
            ": ", Question("decide"), " says which, with a proof.",
        )  # fmt: skip
    return _decided(run, verdict)


def _decided(run: Run, verdict: Verdict) -> tuple[Any, ...]:
    problem, proof = run.problem, (" (", Question("decide"), " has the proof)")
    if not verdict.separable:
        origin = "" if problem.intercept else " through the origin"
        ruled = verdict.tie != "update" and not problem.intercept
        rule = ", not even if a score of 0 counts as its tie rule says" if ruled else ""
        return (
            f"It never will: no hyperplane{origin} separates the classes{rule}", *proof, ". ", Question("least_errors"),
            " finds one with few errors.",
        )  # fmt: skip
    if not verdict.always_halts:
        return (
            "Whether it will is not known: there are weights that have every row right under its tie rule, but not all of "
            "them strictly, and a run need not come to such weights", *proof, ".",
        )  # fmt: skip
    most = None if run.start or problem.weights is not None else _most_mistakes(problem.fallible(TIES[verdict.tie]))
    after = "" if most is None else f", after {counted(most, 'mistake')} at most"
    return "A hyperplane separates the classes", *proof, ", so that it will", after, ": allow ", *_MORE, _FEWER, "."


@one_thread
def _most_mistakes(problem: Problem) -> int | None:
    """Bound the mistakes of a run from zero by a lower bound of the margin, if floating point proposes one at once."""
    if problem.n * problem.width > _MAX_NUMBERS_FOR_MARGIN:
        return None
    bounds = MarginBounds(problem, "lifted")
    found = bounds.proved(bounds.proposed(_TOLERANCE))
    if found is None:
        return None
    most = radius_squared(Lifted.of(problem)) / found.lo_squared
    return most.numerator // most.denominator
