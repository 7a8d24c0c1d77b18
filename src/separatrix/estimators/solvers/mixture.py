"""Known distributions of classes with their priors: the joint log-densities of rows, and the Bayes risk.

The Bayes risk is the least probability of error that any classifier can have: the integral of the joint density of all
classes but the likeliest one. It is found in closed form, by a sum, by cutting the line into intervals, or by Monte Carlo:
by the first of these that suits the distributions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats

METHODS = ("closed form", "summation", "intervals", "Monte Carlo")

_TAIL_PROBABILITIES = (1e-16, 1e-12, 1e-8, 1e-5, 1e-3, 0.02, 0.1, 0.25, 0.5)
"""Probabilities, on either side, whose quantiles cut the line into pieces; each piece gets a grid of its own."""

_PLACES_PER_PIECE = 64
"""Places in a piece of the line where a change of the likeliest class is looked for."""

_MAX_VALUES_TO_SUM = 2**18
"""The most values of a discrete distribution that are summed over."""

_NEGLIGIBLE_PROBABILITY = 1e-12
"""A probability of values left out that is taken for nothing."""


@dataclass(frozen=True)
class Risk:
    """A probability of error.

    Attributes
    ----------
    value : float
        The probability.
    error : float
        0.0 if it is exact up to rounding. Else by Monte Carlo one standard error, by intervals an estimate of the error,
        and by summation a bound: the probability of what was left out.
    method : str
        "closed form", "summation", "intervals" or "Monte Carlo".
    """

    value: float
    error: float
    method: str

    def __float__(self) -> float:
        return self.value


class Density:
    """One distribution: a frozen one of scipy.stats, an object with ``logpdf`` or ``logpmf``, or a function of rows."""

    def __init__(self, distribution: Any, which: str) -> None:
        self.distribution, self.which = distribution, which
        self.discrete = hasattr(distribution, "logpmf") and not hasattr(distribution, "logpdf")
        self.continuous = hasattr(distribution, "logpdf")
        self.univariate = hasattr(distribution, "support") and hasattr(distribution, "ppf")
        self._log: Callable[..., Any]
        if self.discrete or self.continuous:
            self._log = distribution.logpmf if self.discrete else distribution.logpdf
        elif callable(distribution) and not hasattr(distribution, "freeze") and not isinstance(distribution, type):
            self._log = distribution
        else:
            raise TypeError(
                f"{which} must be a frozen distribution of scipy.stats, such as norm(0, 1), an object with logpdf or "
                f"logpmf, or a function from rows to log-densities; got {distribution!r}."
            )
        dim = 1 if self.univariate else getattr(distribution, "dim", None)
        self.dimension = int(dim) if isinstance(dim, int | np.integer) else None

    def log(self, rows: Floats) -> Floats:
        """Logarithms of the density, or of the probability, at rows."""
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            values = np.asarray(self._log(rows[:, 0] if self.univariate else rows), dtype=np.float64).reshape(-1)
        if values.size != rows.shape[0]:
            raise ValueError(
                f"{self.which} gives {values.size} log-densities for {rows.shape[0]} rows of {rows.shape[1]} features: "
                "expected one for each row."
            )
        if np.isnan(values).any():
            raise ValueError(
                f"{self.which} gives NaN for row {np.flatnonzero(np.isnan(values))[0]}: expected a log-density."
            )
        return values

    def sample(self, size: int, rng: np.random.RandomState) -> Floats:
        """Draw rows."""
        if not hasattr(self.distribution, "rvs"):
            raise ValueError(
                f"{self.which} cannot be sampled: Monte Carlo needs an object with a method rvs(size=..., random_state=...) "
                "beside its log-density."
            )
        drawn = np.asarray(self.distribution.rvs(size=size, random_state=rng), dtype=np.float64)
        return drawn.reshape(size, -1)

    @cached_property
    def gaussian(self) -> tuple[Floats, Floats] | None:
        """Mean and covariance, if it is a normal distribution."""
        from scipy import stats

        if isinstance(self.distribution, type(stats.multivariate_normal([0.0]))):
            return np.atleast_1d(self.distribution.mean), np.atleast_2d(self.distribution.cov)
        if isinstance(getattr(self.distribution, "dist", None), type(stats.norm)):
            return np.array([float(self.distribution.mean())]), np.array([[float(self.distribution.var())]])
        return None

    def values(self) -> tuple[Floats, float]:
        """Return the values of a univariate discrete distribution, and a bound of the probability of those left out."""
        family = getattr(self.distribution, "dist", self.distribution)
        least, most = map(float, self.distribution.support())
        if hasattr(family, "xk"):  # a list of values, perhaps shifted
            listed = np.sort(np.asarray(family.xk, dtype=np.float64))
            return listed + (least - listed[0]), 0.0
        first = least if np.isfinite(least) else math.floor(float(self.distribution.median()))
        reach = 64
        while True:
            low, high = max(least, first - reach), min(most, first + reach)
            points = np.arange(low, high + 1.0)
            rest = 0.0 if low == least and high == most else max(0.0, 1.0 - math.fsum(self.distribution.pmf(points)))
            if rest <= _NEGLIGIBLE_PROBABILITY or len(points) >= _MAX_VALUES_TO_SUM:
                return points, 0.0 if rest <= _NEGLIGIBLE_PROBABILITY else rest
            reach *= 4


class Mixture:
    """Densities of K classes and their priors."""

    def __init__(self, densities: list[Density], priors: Floats) -> None:
        self.densities, self.priors = densities, priors
        self.log_priors = np.log(priors)
        if any(d.discrete for d in densities) and any(d.continuous for d in densities):
            raise ValueError(
                "Some of the distributions have densities (logpdf), others probabilities (logpmf): they cannot be compared. "
                "Give distributions of one kind."
            )
        known = sorted({d.dimension for d in densities if d.dimension is not None})
        if len(known) > 1:
            raise ValueError(f"The distributions are of different dimensions: {', '.join(map(str, known))}.")
        self.dimension = known[0] if known else None

    def joint(self, rows: Floats) -> Floats:
        """Return log prior + log density, of shape (n, K).

        Where that is minus infinity for all classes, so that none can have made the row, it is the log prior. Where it is
        infinity for some, at a pole, it is the log prior of those, and minus infinity for the others.
        """
        logs = np.stack([density.log(rows) for density in self.densities], axis=1)
        poles = np.isposinf(logs)
        at_pole, nowhere = poles.any(axis=1, keepdims=True), np.isneginf(logs).all(axis=1, keepdims=True)
        logs = np.where(at_pole, np.where(poles, 0.0, -np.inf), np.where(nowhere, 0.0, logs))
        return self.log_priors + logs

    def posterior(self, rows: Floats) -> Floats:
        """Return the logarithms of the probabilities of the classes, given the row."""
        from scipy.special import log_softmax

        with np.errstate(under="ignore"):
            logarithms: Floats = log_softmax(self.joint(rows), axis=1)
        return logarithms

    @cached_property
    def discriminant(self) -> tuple[Floats, float, float] | None:
        """Weights and intercept of the log odds, and the Mahalanobis distance, for two Gaussians with one covariance."""
        if len(self.densities) != 2:
            return None
        first, second = (density.gaussian for density in self.densities)
        if first is None or second is None or not np.array_equal(first[1], second[1]):
            return None
        try:
            root = np.linalg.cholesky(first[1])
        except np.linalg.LinAlgError:
            return None
        white = np.linalg.solve(root, second[0] - first[0])
        coef: Floats = np.linalg.solve(root.T, white)
        intercept = float(self.log_priors[1] - self.log_priors[0] - 0.5 * coef @ (first[0] + second[0]))
        return coef, intercept, float(np.linalg.norm(white))

    # The risk.

    def risk(self, method: str | None, samples: int, rng: np.random.RandomState) -> Risk:
        """Find the Bayes risk by a method, or by the best there is for these distributions."""
        simple = all(density.univariate for density in self.densities)
        suitable = {
            "closed form": self.discriminant is not None,
            "summation": simple and all(density.discrete for density in self.densities),
            "intervals": simple and all(density.continuous for density in self.densities),
            "Monte Carlo": True,
        }
        if method is None:
            method = next(name for name, suits in suitable.items() if suits)
        elif not suitable[method]:
            raise ValueError(
                f"The risk of these distributions cannot be found by {method}: it is for "
                + {
                    "closed form": "two Gaussians with the same covariance",
                    "summation": "discrete distributions of one dimension",
                    "intervals": "continuous distributions of one dimension",
                }[method]
                + ". Leave method out, and the best one is taken."
            )
        if method == "closed form":
            return self._closed_form()
        if method == "summation":
            return self._summed()
        return self._divided() if method == "intervals" else self._sampled(samples, rng)

    def _closed_form(self) -> Risk:
        """Integrate two normal tails: the log odds are normal in either class, with variance the squared distance."""
        from scipy.special import ndtr

        assert self.discriminant is not None
        distance = self.discriminant[2]
        if distance == 0.0:
            return Risk(float(self.priors.min()), 0.0, "closed form")
        shift = float(self.log_priors[1] - self.log_priors[0]) / distance
        wrong = self.priors[1] * ndtr(-shift - 0.5 * distance) + self.priors[0] * ndtr(shift - 0.5 * distance)
        return Risk(float(wrong), 0.0, "closed form")

    def _lost(self, rows: Floats) -> Floats:
        """Return the joint density of all classes but the likeliest."""
        with np.errstate(under="ignore", over="ignore"):
            joint = np.exp(self.log_priors + np.stack([density.log(rows) for density in self.densities], axis=1))
        joint[np.arange(len(joint)), joint.argmax(axis=1)] = 0.0
        return joint.sum(axis=1)

    def _summed(self) -> Risk:
        found = [density.values() for density in self.densities]
        points = np.unique(np.concatenate([values for values, _ in found]))
        rest = math.fsum(self.priors * [left_out for _, left_out in found])
        return Risk(math.fsum(self._lost(points[:, None])), rest, "summation")

    def _divided(self) -> Risk:
        """Cut the line where the likeliest class changes, and read the probabilities of the others off their cdf.

        Two changes between neighbouring places of a grid go unnoticed; what a grid twice as fine finds tells if it matters.
        """
        coarse, fine = self._wrong(_PLACES_PER_PIECE), self._wrong(2 * _PLACES_PER_PIECE)
        return Risk(fine, abs(fine - coarse), "intervals")

    def _wrong(self, steps: int) -> float:
        cuts = self._cuts(steps)
        inside = np.isfinite(cuts)
        middles = 0.5 * (cuts[inside][1:] + cuts[inside][:-1])
        likeliest = self.joint(middles[:, None]).argmax(axis=1)
        if not inside[0]:
            likeliest = np.append(likeliest[:1], likeliest)
        if not inside[-1]:
            likeliest = np.append(likeliest, likeliest[-1:])
        wrong = []
        for k, (prior, density) in enumerate(zip(self.priors.tolist(), self.densities, strict=True)):
            below, above = density.distribution.cdf(cuts), density.distribution.sf(cuts)
            mass = np.where(below[1:] < 0.5, np.diff(below), -np.diff(above))
            wrong.append(prior * math.fsum(mass[likeliest != k]))
        return math.fsum(wrong)

    def _cuts(self, steps: int) -> Floats:
        """Return the ends of the supports, quantiles, and the places where the likeliest class changes."""
        from scipy.optimize import brentq

        ends: set[float] = set()
        for density in self.densities:
            ends.update(map(float, density.distribution.support()))
            ends.update(map(float, density.distribution.ppf(_TAIL_PROBABILITIES)))
            ends.update(map(float, density.distribution.isf(_TAIL_PROBABILITIES)))
        finite = sorted(x for x in ends if math.isfinite(x))
        grid = np.unique(np.concatenate([np.linspace(a, b, steps) for a, b in pairwise(finite)]))
        best: NDArray[np.intp] = self.joint(grid[:, None]).argmax(axis=1)
        for k in np.flatnonzero(best[:-1] != best[1:]).tolist():
            one, other = int(best[k]), int(best[k + 1])

            def lead(x: float, one: int = one, other: int = other) -> float:
                scores = self.joint(np.array([[x]]))[0]
                return float(np.clip(scores[one] - scores[other], -1e300, 1e300))

            if lead(grid[k]) > 0.0 > lead(grid[k + 1]):
                ends.add(float(brentq(lead, grid[k], grid[k + 1], xtol=1e-300)))
            else:
                ends.update(grid[[k, k + 1]].tolist())
        return np.array(sorted(ends))

    def _sampled(self, samples: int, rng: np.random.RandomState) -> Risk:
        """Average the posterior probability of error, over rows drawn from each class in proportion to its prior."""
        value, variance = 0.0, 0.0
        for prior, density in zip(self.priors.tolist(), self.densities, strict=True):
            rows = density.sample(max(2, round(samples * prior)), rng)
            posterior = np.exp(self.posterior(rows))
            posterior[np.arange(len(rows)), posterior.argmax(axis=1)] = 0.0
            wrong = posterior.sum(axis=1)
            value += prior * float(wrong.mean())
            variance += prior * prior * float(wrong.var(ddof=1)) / len(rows)
        return Risk(value, math.sqrt(variance), "Monte Carlo")
