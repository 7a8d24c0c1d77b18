"""One pass over rows of any kind: how many mistakes it can make at most (Freund and Schapire 1999).

For a unit vector ``u`` and ``gamma > 0`` let ``d_i = max(0, gamma - z_i.u)`` and ``D^2 = sum d_i^2``: one pass from zero
makes at most ``((R + D) / gamma)^2`` mistakes. With ``v = u / gamma`` this is the square of
``R ||v|| + ||max(0, 1 - Z v)||``, which is convex in ``v``, so that the best ``u`` and ``gamma`` are found by descent.
Whatever is found is a bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from .._types import Floats
from ..perceptron.run import Run
from ..problem.lifted import Lifted
from ..problem.problem import Problem
from ..problem.rows import affine_scores, times_factors
from ..support.blas import one_thread

_STEPS = 300
"""Steps of the descent, at most."""


@dataclass(frozen=True)
class OnlineBound:
    """The bound of Freund and Schapire for one pass, beside what happened.

    Attributes
    ----------
    mistakes : int
        Mistakes that one pass made.
    direction : array
        The unit vector u, the intercept last if there is one; None where the bound is no more than the number of rows.
    gamma : float
        The margin that u is asked for.
    deviation : float
        D: how far rows fall short of it, as the root of the sum of squares.
    bound : float
        ``((R + D) / gamma)^2``, rounded upwards.
    """

    mistakes: int
    direction: Floats | None
    gamma: float
    deviation: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether there were no more mistakes."""
        return self.mistakes <= self.bound


class Shortfall:
    """The bound as a function of ``v = u / gamma``, for the rows of a problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.lifted = problem, Lifted.of(problem)
        self.Z = times_factors(self.lifted.unsigned, problem.y)
        self.last = problem.y * self.lifted.rows.constant
        self.norms, self.radius, self.m = self.lifted.rows.norms, self.lifted.rows.radius, self.lifted.rows.longest

    def scores(self, v: Floats) -> Floats:
        """``z_i.v`` for scaled rows, in floating point."""
        return affine_scores(self.Z, v, self.last)

    def root(self, v: Floats) -> tuple[float, Floats]:
        """``R ||v|| + ||max(0, 1 - Z v)||`` and its gradient, in floating point."""
        length = float(np.linalg.norm(v))
        short = np.maximum(0.0, 1.0 - self.scores(v))
        D = float(np.linalg.norm(short))
        slope = self.radius * v / length if length else np.zeros_like(v)
        if D:
            back = -(short / D)
            last = [back @ self.last] if self.problem.intercept else []
            slope = slope + np.concatenate([self.Z.T @ back, last])
        return self.radius * length + D, slope

    def at_most(self, v: Floats) -> tuple[float, float]:
        """Return upper bounds of D / gamma and of the bound itself, errors of rounding included."""
        n, m = self.problem.n, self.m
        with np.errstate(all="ignore"):
            length = float(np.linalg.norm(v)) * (1 + (v.size + 8) * 2.0**-52)
            error = self.norms * (length * (m + 4) * 2.0**-52) + (m + 4) * 2.0**-1000
            short = np.maximum(0.0, (1.0 - self.scores(v)) + (error + 2.0**-50))
            D = float(np.linalg.norm(short)) * (1 + (n + 8) * 2.0**-52)
            bound = (self.radius * length + D) ** 2 * (1 + 2.0**-48)
        return D, bound if bound == bound else math.inf


@one_thread
def online_bound(problem: Problem, mistakes: int, candidates: list[Floats]) -> OnlineBound:
    """Bound the mistakes of one pass: by the best of some vectors, at their best lengths, and what descent makes of it."""
    shortfall = Shortfall(problem)
    nothing = OnlineBound(mistakes, None, math.inf, math.inf, float(problem.n))
    if not shortfall.lifted.faithful or not math.isfinite(shortfall.radius) or not shortfall.radius:
        return nothing
    with np.errstate(all="ignore"):
        # Each in its best length, on a grid of powers of two, which is enough to begin with.
        starts = [
            v / np.linalg.norm(v) * (2.0**e / shortfall.radius)
            for v in candidates
            if np.isfinite(v).all() and 0.0 < np.linalg.norm(v) < math.inf
            for e in range(-4, 24)
        ]
        if not starts:
            return nothing
        best = min(starts, key=lambda v: shortfall.root(v)[0])
        unit = float(np.linalg.norm(best))
        found = minimize(
            lambda x: _scaled(shortfall, x, unit), best / unit, jac=True, method="CG", options={"maxiter": _STEPS}
        )
    D, bound, v = min(((*shortfall.at_most(v), v) for v in (best, found.x * unit)), key=lambda each: each[1])
    if not bound < problem.n:
        return nothing
    length = float(np.linalg.norm(v))
    gamma, unit = 1.0 / length, math.ldexp(1.0, -shortfall.lifted.shift) / problem.rows.denominator
    return OnlineBound(mistakes, v * gamma, gamma * unit, D * gamma * unit, bound)


def _scaled(shortfall: Shortfall, x: Floats, unit: float) -> tuple[float, Floats]:
    value, slope = shortfall.root(x * unit)
    return value, slope * unit


def online_pass(problem: Problem, tie: str, order: NDArray[np.int64] | None) -> tuple[int, list[Floats]]:
    """Make one pass from zero; return its mistakes, and the directions of its last weights and of their mean."""
    run = Run(problem, tie=tie, record=True)
    run.advance(order, 1)
    trace = run.trace
    counts = np.bincount(trace, minlength=problem.n).astype(np.float64)
    shares = np.bincount(trace, weights=np.arange(trace.size, 0, -1.0), minlength=problem.n).astype(np.float64)
    return run.mistakes, [_direction(problem, counts), _direction(problem, shares)]


def _direction(problem: Problem, shares: Floats) -> Floats:
    """``sum shares_i z_i``, to propose a direction."""
    with np.errstate(all="ignore"):
        total: Floats = problem.X.T @ (shares * problem.y)
        return np.append(total, shares @ problem.y * problem.constant) if problem.intercept else total
