"""What the estimators that learn by exact updates have in common: exact weights, and rounded ones for all to see."""

from __future__ import annotations

import warnings
from typing import Any

from ..exceptions import RoundingWarning
from ..perceptron.run import Run
from ._hyperplanes import Hyperplanes


class ExactHyperplanes(Hyperplanes):
    """Hyperplanes with exact weights, of which the published ones are rounded.

    What was learnt has the ``weights`` of the run, and says by ``exact()`` which ones predictions are made with.
    """

    tie: str
    fit_intercept: bool
    class_weight: Any

    def _tell_of_rounding(self, run: Run) -> None:
        exact = self.exact_weights()
        changed = run.changed_by_rounding(exact.numerators, exact.round())
        if changed:
            warnings.warn(
                f"coef_ and intercept_, the weights rounded to float64, give {changed} training "
                f"{'row' if changed == 1 else 'rows'} another class than the exact weights do. Predictions here are made "
                "with the exact weights; where you go by the rounded ones, take exact_weights() instead.",
                RoundingWarning,
                stacklevel=4,
            )

    def _tie(self) -> str:
        return self.tie
