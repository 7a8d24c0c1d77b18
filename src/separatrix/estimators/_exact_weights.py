"""What the estimators that learn by exact updates have in common: exact weights, and rounded ones for all to see."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..exact.dyadic import Dyadic, Quotient
from ..exceptions import RoundingWarning
from ..perceptron.run import Run
from ._hyperplanes import Hyperplanes


class Learner(Hyperplanes):
    """Hyperplanes with exact weights, of which the published ones are rounded."""

    tie: str
    fit_intercept: bool
    class_weight: Any
    _weights: Dyadic
    _unit = 1.0  # what the exact weights are counted in

    def exact_weights(self) -> Dyadic | Quotient:
        """Return the exact weights, the intercept last (if there is one), of which ``coef_`` is rounded.

        Their ``fractions()`` are Python's, their ``strings()`` are ``"p"`` or ``"p/q"``.

        >>> import separatrix as sx
        >>> sx.Perceptron(eta0=0.1).fit([[1], [2]], [0, 1]).exact_weights().strings()[1]
        '-10808639105689191/36028797018963968'
        """
        check_is_fitted(self)
        return self._weights.times(self._unit)

    def _publish(self, weights: Dyadic, unit: float, d: int) -> None:
        """Keep exact weights, counted in a unit, and publish them rounded."""
        self._show_rounded(weights.times(unit), d)
        self._weights, self._unit = weights, unit

    def _show_rounded(self, exact: Dyadic | Quotient, d: int, vectors: int = 1) -> None:
        try:
            rounded = exact.round()
        except OverflowError:
            raise OverflowError(
                "The weights have grown too large for float64. Rescale the features, or lower the learning rate or the "
                "sample weights, if there are any."
            ) from None
        self._show(rounded.reshape(vectors, -1), d)

    def _tell_of_rounding(self, run: Run) -> None:
        exact = self.exact_weights()
        numbers = exact.numerators if isinstance(exact, Quotient) else exact
        changed = run.changed_by_rounding(numbers, self._stored().reshape(-1))
        if changed:
            warnings.warn(
                f"Rounding the exact weights to float64 changes the predicted class of {changed} training "
                f"{'row' if changed == 1 else 'rows'}. The run is exact all the same; standardised features make "
                "rounding harmless.",
                RoundingWarning,
                stacklevel=4,
            )

    def _tie(self) -> str:
        return self.tie

    def _is_lifted(self) -> bool:
        return len(self._weights) > self.coef_.size
