"""What the maximum-margin classifier learns in the feature space of a kernel: multiples of the rows at the margin."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from .._types import Floats, Indices
from ..compiled.error_free import UNIT
from ..exact.dyadic import Dyadic
from ..exact.rounding import nearest
from ..perceptron.expansion import Expansion, Machine
from ..perceptron.gram import Kernel, Points
from ..problem.exact_rows import ExactRows
from ..problem.reading_rows import read_rows
from ..proof.claims import whole
from ..separation.kernel_margins import KernelMargin
from .learnt import Learnt


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntKernelMargin(Learnt):
    """The hyperplane with the widest margin in feature space.

    Attributes
    ----------
    kernel : Kernel
        The kernel, without a constant: the intercept is no feature.
    support : array
        The rows at the margin, in ascending order.
    support_rows : ExactRows or None
        These rows; None if the kernel is precomputed.
    multiples : Dyadic
        Their exact multiples, signed as their classes, in some unit.
    intercept, reach : Fraction
        What is added to scores, and the score of the nearest rows then, in that unit.
    margin_bounds : tuple of float
        What the largest margin is not below, and not above.
    """

    kernel: Kernel
    support: Indices
    support_rows: ExactRows | None
    multiples: Dyadic
    intercept: Fraction
    reach: Fraction
    margin_bounds: tuple[float, float]

    @cached_property
    def machine(self) -> Machine:
        """What scores new rows, without the intercept."""
        if self.support_rows is None:
            return Machine(self.kernel, Expansion(self.support, self.multiples), None)
        return Machine(
            self.kernel, Expansion(np.arange(self.support.size), self.multiples), Points(read_rows(self.support_rows))
        )

    def scores(self, rows: ExactRows) -> Floats:
        """Return the scores of rows, with the sign of the exact sum of the kernel's values."""
        values, errors = self.machine.scores(rows)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            constant, unit = nearest(self.intercept), nearest(self.reach)
            totals = values + constant
            errors = 1.01 * errors + 4 * UNIT * (np.abs(values) + abs(constant))
            result: Floats = totals / unit
        doubtful = ~(np.abs(totals) > errors) | ~np.isfinite(result) | ~(np.abs(result) > 2.0**-1000)
        places = np.flatnonzero(doubtful)
        if places.size:
            exact = self.machine.exact_scores(rows[places])
            result[places] = [nearest((score + self.intercept) / self.reach) for score in exact]
        return result

    def _shown(self) -> dict[str, Any]:
        multiples = [nearest(multiple / self.reach) for multiple in self.multiples.fractions()]
        return {
            "dual_coef_": np.array([multiples]),
            "intercept_": np.array([nearest(self.intercept / self.reach)]),
            "support_": self.support,
            **({} if self.support_rows is None else {"support_vectors_": self.support_rows.nearest()}),
            "gamma_": self.kernel.gamma,
            "margin_bounds_": self.margin_bounds,
            "margin_": self.margin_bounds[0],
        }


def in_support(found: KernelMargin) -> dict[str, Any]:
    """Return a margin as fields of `LearntKernelMargin`, in a unit in which the multiples are about 1 at most."""
    problem = found.problem
    order = np.argsort(found.rows)
    support: Indices = np.array(found.rows, np.int64)[order]
    numbers = whole(found.multipliers)
    power = max(numbers).bit_length()
    factor = Fraction(numbers[0]) / found.multipliers[0] / 2**power
    signed = [int(problem.y[found.rows[k]]) * numbers[k] for k in order]
    return {
        "support": support,
        "support_rows": None if found.kernel.name == "precomputed" else problem.rows[support],
        "multiples": Dyadic(signed, -power),
        "intercept": found.intercept * factor,
        "reach": found.reach * factor,
        "margin_bounds": (found.lo, found.hi),
    }
