"""The tie rule: what is predicted where scores are equal, or zero. Its compiled half is in `compiled.signs`.

With two classes a score of zero predicts the negative class, the positive one, or, under "update", none: it is a mistake
whatever the label. With several classes, of those with equal scores the first in order is predicted, or, under "positive",
the last; under "update" such a tie for the largest score is a mistake although the first is predicted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..compiled.signs import is_mistake, loses_tie, predicted, prefers_last

__all__ = ["TIES", "is_mistake", "leader", "leaders", "mistakes", "predictions", "prefers_last", "rival", "zero_always_errs"]

TIES = {"update": 0, "positive": 1, "negative": -1}
"""The tie rules, and the class that a score of zero predicts under each (0: none, a mistake for either class)."""


def predictions(scores: NDArray[Any], tie: int) -> Indices:
    """Return the class, -1 or 1, that each score predicts; 0 where the rule leaves it open."""
    signs: Indices = np.sign(scores).astype(np.int64)
    signs[signs == 0] = predicted(0, tie)
    return signs


def mistakes(signs: Indices, labels: Floats, tie: int) -> NDArray[np.bool_]:
    """Tell which rows err; the signs are those of ``w.z_i``, the scores times the labels."""
    found: NDArray[np.bool_] = predictions(signs * labels, tie) != labels
    return found


def zero_always_errs(tie: int) -> bool:
    """Whether a score of zero is a mistake for either class."""
    return all(is_mistake(0, label, tie) for label in (-1, 1))


def leaders(scores: NDArray[Any], tie: int) -> Indices:
    """Return the column of the largest score in each row."""
    last = scores.shape[1] - 1
    found: Indices = last - scores[:, ::-1].argmax(axis=1) if prefers_last(tie) else scores.argmax(axis=1)
    return found


def leader(scores: Sequence[Any], tie: int) -> int:
    """Return which of several scores is the largest."""
    top = max(scores)
    equal = [k for k, score in enumerate(scores) if score == top]
    return equal[-1 if prefers_last(tie) else 0]


def rival(scores: Sequence[Any], c: int, tie: int) -> int | None:
    """Return the class that a row of class c is mistaken for, the first of equals; None if the row is right."""
    top = max(score for k, score in enumerate(scores) if k != c)
    tied = [k for k, score in enumerate(scores) if k != c and score == top]
    other = tied[-1 if prefers_last(tie) else 0]
    errs = scores[c] < top or (scores[c] == top and loses_tie(c, other, tie))
    return tied[0] if errs else None
