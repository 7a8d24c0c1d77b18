"""The convergence theorem on runs: what its proof speaks of, mistake by mistake."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

import numpy as np

from ..._types import Floats, Indices
from ...exact.rounding import root
from ...separation.kernel_margins import KernelMargin
from ...separation.margins import Margin
from ...support.counts import counted
from ...theorem.kernel_ledger import KernelLedger
from ...theorem.ledger import Ledger
from ...theorem.letters import few
from ...tracing.step_table import StepTable
from ..scene import Course
from ..thinning import chosen_steps

_ADJUSTED = ("w*·w₀ + S γ", "√(‖w₀‖² + Q R²)", "(w*·w₀ + S γ) / √(‖w₀‖² + Q R²)")
"""Lines of runs that do not start from zero, or whose steps are not all 1: S is the sum of the steps, Q of their squares."""

_WEIGHTED = ("S γ", "√Q R", "S γ / (√Q R)")

_OF_UPDATES = ("k g", "√Σ‖u‖²", "k g / √Σ‖u‖²")
"""Lines that a table of steps has the numbers for: g is what every update adds to the alignment at least."""

_ARRAYS = ("k", "alignment", "alignment_line", "length", "length_line", "cosine", "cosine_line")


def course_of(ledger: Ledger | KernelLedger) -> Course:
    """Return the course of an audited run, thinned."""
    started = isinstance(ledger, Ledger) and bool(ledger.start_squared)
    plain = ledger.steps.plain and not started if isinstance(ledger, Ledger) else ledger.problem.weights is None
    margin, bound = ledger.margin, None if ledger.bound is None else ledger.bound[1]
    course = Course(
        k=ledger.k,
        alignment=None if margin is None else ledger.alignment,
        alignment_line=None if margin is None else ledger.alignment_line,
        length=np.sqrt(ledger.squared_length),
        length_line=np.sqrt(ledger.squared_length_line),
        cosine=None if margin is None else ledger.cosine,
        cosine_line=None if margin is None else ledger.cosine_line,
        bound=bound,
        mistakes=ledger.mistakes,
        converged=ledger.converged,
        letters=(*(() if margin is None else (_gamma(margin),)), f"R = {few(ledger.radius).text}"),
        notes=tuple(_remarks(ledger)),
    )
    if plain and margin is not None and bound is not None and math.isfinite(bound):
        course = replace(course, meeting=(bound, bound * margin.lo))
    elif not plain:
        course = replace(course, lines=_ADJUSTED if started else _WEIGHTED)
    return thinned(course)


def _gamma(margin: Margin | KernelMargin) -> str:
    low, high = few(margin.lo).text, few(margin.hi).text
    return f"γ = {low}" if low == high else f"γ from {low} to {high}"


def _remarks(ledger: Ledger | KernelLedger) -> list[str]:
    remarks = []
    if ledger.margin is None:
        remarks.append("No hyperplane separates the classes: there is no margin γ, no w*, and no bound.")
    if not ledger.mistakes:
        remarks.append("The run made no mistake.")
    if not ledger.converged and not (isinstance(ledger, Ledger) and ledger.rounds is not None):
        remarks.append(f"The run was stopped after {counted(ledger.mistakes, 'mistake')}, before a pass without one.")
    return remarks


def thinned(course: Course) -> Course:
    """Leave out mistakes where there are many, and say so."""
    places = chosen_steps(course.k.size)
    fewer = {name: values[places] for name in _ARRAYS if (values := getattr(course, name)) is not None}
    last = int(course.k[-1]) if places.size else 0
    note = f"{places.size:,} of {counted(last, 'mistake')} are shown, the first and the last among them."
    return replace(course, **fewer, notes=(*course.notes, *([note] if places.size < last else [])))


def course_of_steps(table: StepTable) -> Course | None:
    """Return the course of a run that is known step by step; None where its updates are not numbers of one space."""
    made = [each for each in table if each.mistake]
    terms = [(each.cross, each.square) for each in made if each.cross is not None and each.square is not None]
    if len(terms) < len(made):
        return None
    squared = sum((each * each for each in table.start), Fraction(0)) if table.kind != "kernel" else Fraction(0)
    rows = list(accumulate((square for _, square in terms), initial=squared))[1:]
    lengths = list(accumulate((cross + square for cross, square in terms), initial=squared))[1:]
    k = np.arange(1, len(made) + 1)
    length, length_line = _roots(lengths), _roots(rows)
    course = Course(
        k=k, alignment=None, alignment_line=None, length=length, length_line=length_line, cosine=None, cosine_line=None,
        bound=None, mistakes=table.mistakes, converged=_converged(table), letters=(), lines=_OF_UPDATES,
        notes=() if table.whole else (f"The table has the first {counted(len(made), 'mistake')} of {table.mistakes:,}.",),
    )  # fmt: skip
    return thinned(_with_alignment(course, table, k, length, length_line))


def _converged(table: StepTable) -> bool | None:
    """Whether the last pass is there and without a mistake; None where visits that were right are not in the table."""
    if table.mistakes_only or not table.whole or not table.lines or table[-1].passed is None:
        return None
    return not any(each.mistake for each in table if each.passed == table[-1].passed)


def _with_alignment(course: Course, table: StepTable, k: Indices, length: Floats, length_line: Floats) -> Course:
    """Add what the direction w* tells, if it has every row right."""
    if table.star is None or not table.gamma_squared or table.star_growth is None or table.star_squared is None:
        return course
    if any(table.start) or any(each.alignment is None for each in table if each.mistake):
        return course
    size = root(table.star_squared, up=False)
    sums = accumulate((each.alignment or Fraction(0) for each in table if each.mistake), initial=Fraction(0))
    alignment = np.array([float(each) for each in sums][1:]) / size
    growth = float(table.star_growth) / size
    with np.errstate(all="ignore"):
        return replace(
            course, alignment=alignment, alignment_line=np.float64(growth) * k, cosine=alignment / length,
            cosine_line=k * growth / length_line, letters=(f"g = {few(growth).text}",),
        )  # fmt: skip


def _roots(squares: list[Fraction]) -> Floats:
    return np.array([root(each, up=False) for each in squares])
