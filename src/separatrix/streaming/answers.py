"""What rows in blocks are asked, wherever they are: each method hands the question to the file that answers it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from ..problem.batches import Batches


class Answering(Batches):
    """Batches that answer all questions; rows from elsewhere need no more than to say how blocks are computed with."""

    def decide(self, **options: Any) -> Any:
        """Answer `separatrix.decide`."""
        from .deciding import decide

        return decide(self, **options)

    def verify(self, certificate: Any) -> None:
        """Answer `separatrix.verify`."""
        from .verifying import verify

        verify(certificate, self)

    def margin(self, **options: Any) -> Any:
        """Answer `separatrix.margin`."""
        from .margins import margin

        return margin(self, **options)

    def least_errors(self, **options: Any) -> Any:
        """Answer `separatrix.least_errors`."""
        from .fewest_errors import least_errors

        return least_errors(self, **options)

    def describe(self, **options: Any) -> Any:
        """Refuse: equal rows, and different numbers in a column, are found among all rows."""
        raise ValueError(
            "A description tells which rows are equal, and how many different numbers a column has: that takes all rows in "
            "memory. Describe some of the rows; the columns, classes and notes of all of them are stream.names, "
            "stream.facts and stream.notes()."
        )

    def fit(self, estimator: Any, **options: Any) -> Any:
        """Have a perceptron learn, in exact arithmetic: what it would learn were all rows in memory, bit for bit.

        Parameters
        ----------
        estimator : Perceptron
            What learns; it is changed. Its order is "cyclic" or "shuffle" (in blocks of ``block_rows``).
        coef_init, intercept_init
            As for `Perceptron.fit`.
        checkpoint : str or Path, optional
            A file that the state of the run is written to now and then, and at its end.
        every : float, default=60.0
            Seconds between two checkpoints, at least.
        resume : bool, default=False
            Whether to go on from the checkpoint that is there.

        Returns
        -------
        Perceptron
            The same.
        """
        from .learning import learn

        return learn(estimator, self, **options)

    def audit(self, estimator: Any, **options: Any) -> Any:
        """Answer `separatrix.audit`."""
        from .auditing import audit

        return audit(self, estimator, **options)

    def mistake_bound(self, **options: Any) -> Any:
        """Answer `separatrix.mistake_bound`."""
        from .bounding import mistake_bound

        return mistake_bound(self, **options)

    def predict(self, estimator: Any, method: str = "predict") -> Iterator[NDArray[Any]]:
        """Yield what a fitted classifier predicts, block by block, in the order of rows.

        Parameters
        ----------
        estimator : classifier
            Any that takes such rows.
        method : {"predict", "decision_function", ...}
            Which of its methods says something of rows.
        """
        from .predicting import predict

        return predict(self, estimator, method)

    def score(self, estimator: Any) -> float:
        """Return the share of rows that a fitted classifier predicts right."""
        from .predicting import score

        return score(self, estimator)
