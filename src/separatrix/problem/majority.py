"""The class that most rows are of: whoever always says it is right as often as that, and needs no features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..support.counts import counted, percent
from ..support.escaping import shown


class Majority(NamedTuple):
    """What always saying the most frequent class comes to."""

    label: Any
    errors: int
    rows: int

    @classmethod
    def of(cls, codes: Any, classes: Sequence[Any]) -> Majority:
        """Count rows by the places of their labels among the classes; of equally many the first class is taken.

        >>> Majority.of([0, 1, 1, 1], ["no", "yes"]).in_words()
        'Always saying yes makes 1 error (25.0 %).'
        """
        counts = np.bincount(np.asarray(codes, np.int64), minlength=len(classes))
        return cls.of_counts(counts.tolist(), classes)

    @classmethod
    def of_counts(cls, counts: Sequence[int], classes: Sequence[Any]) -> Majority:
        """Take the number of rows of each class."""
        most = max(counts)
        return cls(classes[list(counts).index(most)], sum(counts) - most, sum(counts))

    def in_words(self) -> str:
        """Say how many errors that makes."""
        return (
            f"Always saying {shown(self.label)} makes {counted(self.errors, 'error')} ({percent(self.errors, self.rows)})."
        )

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        label = self.label.item() if hasattr(self.label, "item") else self.label
        return {"class": label, "errors": self.errors}
