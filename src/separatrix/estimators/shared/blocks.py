"""Rows that come in blocks: who learns from them, and what the others say."""

from __future__ import annotations

from typing import Any

from ...problem.batches import Batches


def refuse_blocks(estimator: Any, X: Any, why: str) -> None:
    """Refuse to learn from rows that come in blocks, and say what does."""
    if isinstance(X, Batches):
        raise TypeError(
            f"{type(estimator).__name__} does not learn from a stream: {why}. sx.Perceptron does, also averaged, of two "
            "classes or more. Or read as many rows as memory holds, with sx.read_data, and learn from those."
        )


def refuse_beside_blocks(X: Batches, y: Any, sample_weight: Any = None) -> None:
    """Refuse labels and weights beside rows that come in blocks, which have their own labels."""
    X.refuse_besides(y)
    if sample_weight is not None:
        raise ValueError("A stream takes no sample_weight, a number for each row. Weigh the classes: class_weight.")
