"""What the estimators that learn by exact updates have in common: exact weights, and rounded ones for all to see."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.utils.validation import check_is_fitted

from .._types import Floats
from ..exact.dyadic import Dyadic, Quotient
from ..exceptions import RoundingWarning
from ..perceptron.run import Run
from ._hyperplanes import Hyperplanes
from .learnt import hyperplanes


class ExactHyperplanes(Hyperplanes):
    """Hyperplanes with exact weights, of which the published ones are rounded.

    What was learnt has the ``weights`` of the run, and says by ``exact()`` which ones predictions are made with.
    """

    tie: str
    fit_intercept: bool
    class_weight: Any

    def exact_weights(self) -> Dyadic | Quotient:
        """Return the exact weights, the intercept last (if there is one), of which ``coef_`` is rounded.

        Their ``fractions()`` are Python's, their ``strings()`` are ``"p"`` or ``"p/q"``.

        >>> import separatrix as sx
        >>> sx.Perceptron(eta0=0.1).fit([[1], [2]], [0, 1]).exact_weights().strings()[1]
        '-10808639105689191/36028797018963968'
        """
        check_is_fitted(self)
        exact: Dyadic | Quotient = self._learnt.exact()
        return exact

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
        return len(self._learnt.weights) > self.coef_.size


def rounded(exact: Dyadic | Quotient, d: int, vectors: int = 1) -> dict[str, Floats]:
    """Return exact weights as attributes, correctly rounded."""
    try:
        numbers = exact.round()
    except OverflowError:
        raise OverflowError(
            "The weights have grown too large for float64. Rescale the features, or lower the learning rate or the "
            "sample weights, if there are any."
        ) from None
    return hyperplanes(numbers.reshape(vectors, -1), d)
