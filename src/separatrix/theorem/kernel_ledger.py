"""The outcome of an audit in the feature space of a kernel, and its words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .._types import Floats, Indices
from ..compiled.environment import checked_arithmetic
from ..exact.rounding import root
from ..feature_space.parameters import in_words
from ..perceptron.gram import Kernel
from ..problem.problem import Problem
from ..proof.certificate import Certificate
from ..separation.kernel_margins import KernelMargin
from ..support.blocks import Block, Grid, written
from ..support.counts import counted
from ..support.notebook import with_picture
from ..support.numbers import number_text

_MAX_LINES = 9
"""Mistakes shown in the table, the first and the last among them."""


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class KernelLedger:
    """The convergence theorem, audited on a run in the feature space of a kernel; `audit` makes it.

    ``w_k`` is the sum of the signed images ``z_i = y_i phi(x_i)`` of the rows erred on up to mistake k, each times its
    weight if it has one, and ``w*`` the unit vector that attains ``margin.lo``. All is known by products ``K(x_i, x_j)``.
    With the kernels "linear", "poly" and "precomputed" every statement is decided in whole numbers, at every mistake; with
    "rbf" the products are those of the exponential function itself, up to an error that is proved to change no statement,
    and each step is checked to be a mistake with them, though the run went by values rounded to float64.

    Attributes
    ----------
    holds : bool
        Whether every step is a mistake, and every statement holds at every mistake.
    violations : tuple of str
        What does not hold.
    mistakes, passes, converged
        What the run did.
    radius_squared : Fraction
        ``R^2``, the largest ``K(x, x)`` of a row.
    margin : KernelMargin or None
        The margin in feature space between proved bounds; None if the classes are not separable there.
    bound : tuple of float or None
        Bounds, rounded outwards, of the most mistakes that the theorem allows: ``R^2 / gamma^2``, times the ratio of the
        largest to the smallest weight if rows have weights.
    obstruction : Certificate or None
        What proves that the classes are not separable in feature space.
    k : array
        The mistakes, from 1 on.
    alignment, alignment_line : array
        ``w*.w_k``, and ``k gamma``, which it is not below; NaN if there is no margin.
    squared_length, squared_length_line : array
        ``||w_k||^2``, and ``k R^2``, which it is not above.
    cosine, cosine_line : array
        ``cos(w*, w_k)``, and ``sqrt(k) gamma / R``, which it is not below.
    margin_ceiling : array
        ``||w_k|| / k``, which the margin is not above.
    updates : array
        Mistakes on each row.
    """

    problem: Problem
    kernel: Kernel
    mistakes: int
    passes: int
    converged: bool
    radius_squared: Fraction
    margin: KernelMargin | None
    bound: tuple[float, float] | None
    obstruction: Certificate | None
    violations: tuple[str, ...]
    k: Indices
    alignment: Floats
    alignment_line: Floats
    squared_length: Floats
    squared_length_line: Floats
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

    @checked_arithmetic
    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Write the audit out for a person, in text, Markdown, LaTeX or HTML."""
        return written(_blocks(self), format)

    def __repr__(self) -> str:
        bound = "not separable" if self.bound is None else f"at most {self.bound[1]:,.6g} allowed"
        mistakes = counted(self.mistakes, "mistake")
        return f"<KernelLedger: {mistakes}, {bound}; {'holds' if self.holds else 'does not hold'}>"

    def _repr_markdown_(self) -> str:
        return self.explain("markdown")

    def _repr_html_(self) -> str:
        return with_picture(self, self.explain("html"))


def _blocks(ledger: KernelLedger) -> list[Block]:
    ended = "came to a pass without one" if ledger.converged else "was stopped before a pass without one"
    weighted = ledger.problem.weights is not None
    blocks: list[Block] = [
        f"{counted(ledger.problem.n, 'row')}. In the feature space of the kernel K(x, x') = {in_words(ledger.kernel)} the "
        f"perceptron made {counted(ledger.mistakes, 'mistake')} in {counted(ledger.passes, 'pass')} and {ended}.",
        "A Hilbert space is all that the proof needs: it adds inner products and expands squares, and no coordinate occurs "
        "in it. Inner products of images are values of the kernel. Write z_i for the image of row i times its label, -1 or "
        "1; at a mistake w.z_i <= 0, and z_i is added to w.",
        f"R^2, the largest K(x, x) of a row, is {_written(ledger.radius_squared)}.",
    ]
    if ledger.margin is None:
        blocks.append(
            "The classes are not separable in this feature space: images of rows, multiplied by positive numbers, add up to "
            "zero. There is no margin, and the theorem does not apply. Every pass errs on one of these rows, unless a score "
            "of 0 is right for all of them."
        )
    else:
        blocks.append(_about_margin(ledger.margin))
    if ledger.mistakes:
        blocks += [_claims(ledger, weighted), _table(ledger)]
    if ledger.bound is not None:
        low, high = (f"{bound:,.6g}" for bound in ledger.bound)
        allowed = high if low == high else f"between {low} and {high}"
        ratio = " times the largest weight over the smallest" if weighted else ""
        verdict = "which the run keeps" if ledger.mistakes <= ledger.bound[1] else "which the run does not keep"
        blocks.append(f"So there are at most R^2 / gamma^2{ratio} = {allowed} mistakes, {verdict}: {ledger.mistakes:,}.")
    if ledger.violations:
        blocks += ["The theorem does not hold on this run, so it is no run of the perceptron with this kernel:"]
        blocks += list(ledger.violations)
    elif ledger.kernel.name == "rbf":
        blocks.append(
            "The values of this kernel are no rational numbers: what is said here is proved of the exponential function "
            "itself, with bounds of all errors, and each step is a mistake with it, not only with the rounded values that "
            "the run went by."
        )
    else:
        blocks.append("Every step is a mistake, and every statement was decided in whole numbers, at every mistake.")
    return blocks


def _about_margin(margin: KernelMargin) -> str:
    if margin.squared is not None:
        value = f"sqrt({_written(margin.squared)}) = {margin.lo:.6g}"
    else:
        value = f"{margin.lo:.6g}" if f"{margin.lo:.6g}" == f"{margin.hi:.6g}" else f"{margin.lo:.6g} to {margin.hi:.6g}"
    return f"gamma, the largest number for which a unit vector w* has w*.z_i >= gamma for every row, is {value}."


def _claims(ledger: KernelLedger, weighted: bool) -> str:
    sums = " (k stands for the sum of the weights of the mistakes, and for that of their squares)" if weighted else ""
    if ledger.margin is None:
        return f"After k mistakes the square of the length is still at most k R^2{sums}:"
    return f"After k mistakes w*.w_k is at least k gamma, and ||w_k||^2 at most k R^2{sums}:"


def _table(ledger: KernelLedger) -> Grid:
    last = len(ledger.k) - 1
    places = sorted({round(last * part / (_MAX_LINES - 1)) for part in range(_MAX_LINES)})
    columns: dict[str, Floats] = {"||w_k||^2": ledger.squared_length, "<= k R^2": ledger.squared_length_line}
    if ledger.margin is not None:
        columns = {
            "w*.w_k": ledger.alignment,
            ">= k gamma": ledger.alignment_line,
            **columns,
            "cos(w*, w_k)": ledger.cosine,
            ">= its line": ledger.cosine_line,
        }
    rows = [[f"{ledger.k[p]:,}", *(f"{values[p]:.6g}" for values in columns.values())] for p in places]
    return Grid(["k", *columns], rows)


def _written(number: Fraction) -> str:
    """Write a number exactly if it is short, else six digits of it."""
    text = number_text(number)
    return text if len(text) <= 12 else f"{float(np.float64(number.numerator / number.denominator)):.6g}"
