"""One pass over rows of any kind: how many mistakes it can make at most.

Freund and Schapire (1999): for a unit vector ``u`` and ``gamma > 0`` let ``d_i = max(0, gamma - z_i.u)`` and
``D^2 = sum d_i^2``. Then one pass from zero makes at most ``((R + D) / gamma)^2`` mistakes. With ``v = u / gamma`` this is
the square of ``R ||v|| + ||max(0, 1 - Z v)||``, which is convex in ``v``, so that the best ``u`` and ``gamma`` are found by
descent. Whatever is found is a bound.

By the hinge loss: let ``L`` be the sum of ``max(0, 1 - z_i.v)``. A row erred on adds ``z_i.v >= 1 - max(0, 1 - z_i.v)`` to
``v.w``, so that ``M - L <= v.w_M <= ||v|| sqrt(M) R`` after M mistakes: a quadratic inequality in ``sqrt(M)``, which says
``sqrt(M) <= (R ||v|| + sqrt(R^2 ||v||^2 + 4 L)) / 2``. This is at most s where ``L + s R ||v|| <= s^2``, a convex set of
``v``, so that descent leads to the best here, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
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
from ..support.clock import present

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


@dataclass(frozen=True)
class HingeBound:
    """The bound of the mistakes of one pass by the hinge loss, beside what happened.

    Attributes
    ----------
    mistakes : int
        Mistakes that one pass made.
    direction : array
        The unit vector u, the intercept last if there is one; None where the bound is no more than the number of rows.
    gamma : float
        The margin that u is asked for.
    loss : float
        L, the sum of ``max(0, 1 - u.z_i / gamma)`` over all rows.
    bound : float
        ``(R / gamma + sqrt(R^2 / gamma^2 + 4 L))^2 / 4``, rounded upwards.
    """

    mistakes: int
    direction: Floats | None
    gamma: float
    loss: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether there were no more mistakes."""
        return self.mistakes <= self.bound


class Shortfall:
    """The bounds as functions of ``v = u / gamma``, for the rows of a problem."""

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

    def hinge_root(self, v: Floats) -> tuple[float, Floats]:
        """``(R ||v|| + sqrt(R^2 ||v||^2 + 4 L)) / 2`` and a gradient, in floating point."""
        length = float(np.linalg.norm(v))
        short = np.maximum(0.0, 1.0 - self.scores(v))
        a, L = self.radius * length, float(short.sum())
        inner = math.hypot(a, 2 * math.sqrt(L))
        back = -(short > 0.0).astype(np.float64)
        last = [back @ self.last] if self.problem.intercept else []
        of_loss = np.concatenate([self.Z.T @ back, last])
        of_length = self.radius * v / length if length else np.zeros_like(v)
        slope = of_length if not inner else of_length * (1 + a / inner) / 2 + of_loss / inner
        return (a + inner) / 2, slope

    def _upper(self, v: Floats) -> tuple[float, Floats]:
        """Return upper bounds of the length of v, and of what rows fall short, errors of rounding included."""
        length = float(np.linalg.norm(v)) * (1 + (v.size + 8) * 2.0**-52)
        error = self.norms * (length * (self.m + 4) * 2.0**-52) + (self.m + 4) * 2.0**-1000
        return length, np.maximum(0.0, (1.0 - self.scores(v)) + (error + 2.0**-50))

    def hinge_at_most(self, v: Floats) -> tuple[float, float]:
        """Return upper bounds of L and of the bound itself, errors of rounding included."""
        with np.errstate(all="ignore"):
            length, short = self._upper(v)
            L = float(short.sum()) * (1 + (self.problem.n + 8) * 2.0**-52)
            a = self.radius * length
            bound = (a + math.sqrt(a * a + 4 * L)) ** 2 / 4 * (1 + 2.0**-48)
        return L, bound if bound == bound else math.inf

    def at_most(self, v: Floats) -> tuple[float, float]:
        """Return upper bounds of D / gamma and of the bound itself, errors of rounding included."""
        n = self.problem.n
        with np.errstate(all="ignore"):
            length, short = self._upper(v)
            D = float(np.linalg.norm(short)) * (1 + (n + 8) * 2.0**-52)
            bound = (self.radius * length + D) ** 2 * (1 + 2.0**-48)
        return D, bound if bound == bound else math.inf


@one_thread
def online_bound(problem: Problem, mistakes: int, candidates: list[Floats]) -> OnlineBound:
    """Bound the mistakes of one pass: by the best of some vectors, at their best lengths, and what descent makes of it."""
    shortfall = Shortfall(problem)
    D, bound, v = _best(shortfall, shortfall.root, shortfall.at_most, candidates)
    if v is None or not bound < problem.n:
        return OnlineBound(mistakes, None, math.inf, math.inf, float(problem.n))
    direction, gamma = _natural(shortfall, v)
    return OnlineBound(mistakes, direction, gamma, D * gamma, bound)


@one_thread
def hinge_bound(problem: Problem, mistakes: int, candidates: list[Floats]) -> HingeBound:
    """Bound the mistakes of one pass by the hinge loss, likewise."""
    shortfall = Shortfall(problem)
    L, bound, v = _best(shortfall, shortfall.hinge_root, shortfall.hinge_at_most, candidates)
    if v is None or not bound < problem.n:
        return HingeBound(mistakes, None, math.inf, math.inf, float(problem.n))
    return HingeBound(mistakes, *_natural(shortfall, v), L, bound)


def _best(
    shortfall: Shortfall,
    root: Callable[[Floats], tuple[float, Floats]],
    at_most: Callable[[Floats], tuple[float, float]],
    candidates: list[Floats],
) -> tuple[float, float, Floats | None]:
    """Return the least bound that is found, with what it is made of and the ``v`` that it is for; None if there is none."""
    nothing = math.inf, math.inf, None
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
        clock = present()

        def timed(v: Floats) -> tuple[float, Floats]:
            clock.check()
            return root(v)

        best = min(starts, key=lambda v: timed(v)[0])
        unit = float(np.linalg.norm(best))

        def scaled(x: Floats) -> tuple[float, Floats]:
            value, slope = timed(x * unit)
            return value, slope * unit

        found = minimize(scaled, best / unit, jac=True, method="CG", options={"maxiter": _STEPS})
    part, bound, v = min(((*at_most(v), v) for v in (best, found.x * unit)), key=lambda each: each[1])
    return part, bound, v


def _natural(shortfall: Shortfall, v: Floats) -> tuple[Floats, float]:
    """Return the direction of ``v = u / gamma``, and gamma in natural units."""
    gamma, unit = 1.0 / float(np.linalg.norm(v)), math.ldexp(1.0, -shortfall.lifted.shift)
    return v * gamma, gamma * unit / shortfall.problem.rows.denominator


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
