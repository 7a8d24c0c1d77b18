"""What the perceptron by parameter mixing learns; `distributed.mixing` has the estimator, which computes in blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..exact.dyadic import Dyadic, Quotient
from .learnt import LearntWeights


@dataclass(frozen=True, kw_only=True, eq=False)
class LearntMixture(LearntWeights):
    """What has been learnt by mixing.

    Attributes
    ----------
    weights : Dyadic
        The mixed weights, S times, in numerators of rows.
    denominator : int
        That of the rows.
    shards : tuple of int
        The rows of each shard.
    mistakes : array of shape (epochs, S)
        The mistakes of each shard in each epoch.
    squared : tuple of Fraction
        The square of the length of the mixed weights after each epoch.
    converged : bool
        Whether no shard erred in the last epoch.
    """

    weights: Dyadic
    denominator: int
    shards: tuple[int, ...]
    mistakes: NDArray[np.int64]
    squared: tuple[Fraction, ...]
    converged: bool

    def exact(self) -> Dyadic | Quotient:
        """Return the mean of the weights of all shards."""
        return self.weights.times_fraction(Fraction(1, self.denominator * len(self.shards)))

    def replaced(self, weights: Dyadic) -> Self:
        """Return the same with other weights, of which nothing is known."""
        return replace(self, weights=weights.times(len(self.shards)), denominator=1, converged=False)

    def _shown(self) -> dict[str, Any]:
        return {
            **self._rounded(),
            "shards_": self.shards,
            "mistakes_": self.mistakes,
            "n_mistakes_": int(self.mistakes.sum()),
            "n_iter_": len(self.mistakes),
            "weighted_mistakes_": Fraction(int(self.mistakes.sum()), len(self.shards)),
            "converged_": self.converged,
        }
