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
        raise NotImplementedError

    def margin(self, **options: Any) -> Any:
        """Answer `separatrix.margin`."""
        raise NotImplementedError

    def least_errors(self, **options: Any) -> Any:
        """Answer `separatrix.least_errors`."""
        raise NotImplementedError

    def describe(self, **options: Any) -> Any:
        """Answer `separatrix.describe`."""
        raise NotImplementedError

    def fit(self, estimator: Any) -> None:
        """Have an estimator learn."""
        raise NotImplementedError

    def audit(self, estimator: Any, **options: Any) -> Any:
        """Answer `separatrix.audit`."""
        raise NotImplementedError

    def predict(self, estimator: Any) -> Iterator[NDArray[Any]]:
        """Yield what an estimator predicts, block by block."""
        raise NotImplementedError

    def score(self, estimator: Any) -> float:
        """Return the share of rows that an estimator predicts right."""
        raise NotImplementedError
