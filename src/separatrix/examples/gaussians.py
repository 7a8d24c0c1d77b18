"""Sources of random rows whose best classifier is known."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from .._types import Floats
from ..compiled.environment import checked_arithmetic
from ..estimators.bayes import BayesClassifier
from ..exact.float64 import read_floats


@dataclass(frozen=True)
class TwoGaussians:
    """Two normal distributions with unit covariance, at a distance: the Bayes classifier is a hyperplane, its risk known.

    The mean of class 1 has ``distance / (2 sqrt(dimension))`` in each coordinate, that of class 0 the opposite.

    Parameters
    ----------
    distance : float
        The distance of the means.
    dimension : int
        The number of features.
    prior : float
        The probability of class 1.

    Examples
    --------
    >>> source = TwoGaussians(distance=2.0, dimension=5)
    >>> X, y = source.sample(100, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 5), [0, 1])
    >>> round(source.bayes.risk().value, 6)
    0.158655

    What a hyperplane risks is known in closed form too, so that no test set is needed:

    >>> import separatrix as sx
    >>> learnt = sx.LeastSquaresClassifier().fit(X, y)
    >>> round(source.risk(learnt.coef_, learnt.intercept_), 6)
    0.161106
    """

    distance: float = 2.0
    dimension: int = 2
    prior: float = 0.5

    def __post_init__(self) -> None:
        if not isinstance(self.distance, numbers.Real) or not 0.0 <= float(self.distance) < math.inf:
            raise ValueError(f"distance must be a finite number of at least 0, got {self.distance!r}.")
        if not isinstance(self.dimension, numbers.Integral) or self.dimension < 1:
            raise ValueError(f"dimension must be an integer of at least 1, got {self.dimension!r}.")
        if not isinstance(self.prior, numbers.Real) or not 0.0 < float(self.prior) < 1.0:
            raise ValueError(f"prior, the probability of class 1, must be above 0 and below 1, got {self.prior!r}.")

    @property
    def means(self) -> Floats:
        """The means of the classes 0 and 1."""
        half = np.full(self.dimension, 0.5 * self.distance / math.sqrt(self.dimension))
        return np.stack([-half, half])

    @property
    def bayes(self) -> BayesClassifier:
        """The best classifier there is for this source."""
        from scipy.stats import multivariate_normal

        distributions = [multivariate_normal(mean, np.eye(self.dimension)) for mean in self.means]
        return BayesClassifier(distributions, priors=[1.0 - self.prior, self.prior], classes=[0, 1])

    @checked_arithmetic
    def sample(self, n: int, random_state: Any = None) -> tuple[Floats, NDArray[np.int64]]:
        """Draw rows and their labels, 0 and 1, independently.

        Parameters
        ----------
        n : int
            How many.
        random_state : int, RandomState or None
            The source of randomness.

        Returns
        -------
        X : array of shape (n, dimension)
            The rows.
        y : array of shape (n,)
            Their labels. With few rows, or a prior near 0 or 1, all may be of one class.
        """
        if not isinstance(n, numbers.Integral) or n < 1:
            raise ValueError(f"n must be an integer of at least 1, got {n!r}.")
        rng = check_random_state(random_state)
        y = (rng.random_sample(n) < self.prior).astype(np.int64)
        return rng.standard_normal((n, self.dimension)) + self.means[y], y

    @checked_arithmetic
    def risk(self, coef: ArrayLike, intercept: ArrayLike = 0.0) -> float:
        """Return the probability of error of a hyperplane, in closed form: class 1 is predicted where ``w.x + b > 0``.

        Parameters
        ----------
        coef : array of shape (dimension,) or (1, dimension)
            The weights.
        intercept : float or array of shape (1,)
            The intercept.
        """
        from scipy.special import ndtr

        w, b = read_floats(coef, "coef").reshape(-1), read_floats(intercept, "intercept").reshape(-1)
        if w.size != self.dimension or b.size != 1:
            raise ValueError(f"Expected {self.dimension} weights and one intercept, got {w.size} and {b.size}.")
        if not (np.isfinite(w).all() and np.isfinite(b).all()):
            raise ValueError("The weights and the intercept must be finite, but hold NaN or infinity.")
        size = np.abs(w).max()
        if not np.any(w):
            return float(1.0 - self.prior if b[0] > 0.0 else self.prior)
        w = w / size
        with np.errstate(over="ignore"):
            low, high = (self.means @ w + b / size) / np.linalg.norm(w)
        return float((1.0 - self.prior) * ndtr(low) + self.prior * ndtr(-high))
