"""Newton's method for sums of losses of scores, for rows of not too many columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from .._types import Floats
from ..problem.scaled import ScaledRows

_RIDGE = 1e-9
"""What is added to the diagonal of the second derivatives, relative to its mean."""

_SMALLEST_DECREASE = 1e-6
"""Relative decrease of the loss at which it ends."""

_HALVINGS = 6
"""How often a step that does not lower the loss is halved, at most."""


class Loss(NamedTuple):
    """A loss of a score ``z.w``, which is positive where the row is right; with its first and second derivative."""

    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    curvature: Callable[[Floats], Floats]


def _chance_of_error(s: Floats) -> Floats:
    chance: Floats = 0.5 - 0.5 * np.tanh(0.5 * s)
    return chance


LOGISTIC = Loss(
    lambda s: np.logaddexp(0.0, -s),
    lambda s: -_chance_of_error(s),
    lambda s: _chance_of_error(s) * (1.0 - _chance_of_error(s)),
)
SQUARED_HINGE = Loss(
    lambda s: 0.5 * np.maximum(1.0 - s, 0.0) ** 2,
    lambda s: -np.maximum(1.0 - s, 0.0),
    lambda s: (s < 1.0).astype(np.float64),
)


def solved(gram: Floats, right: Floats) -> Floats | None:
    """Solve a system with a matrix of products, made regular by a ridge; None if that is no use."""
    gram = gram.copy()
    gram[np.diag_indices(len(gram))] += _RIDGE * float(np.trace(gram)) / len(gram) + 1e-300
    try:
        w: Floats = np.linalg.solve(gram, right).astype(np.float64)
    except np.linalg.LinAlgError:
        return None
    return w if np.all(np.isfinite(w)) else None


def minimised(rows: ScaledRows, costs: Floats, loss: Loss, w: Floats, most: int) -> Iterator[Floats]:
    """Yield weights that lower the sum of the costs times the losses, step by step, until it is least or steps are over."""
    scores = rows.scores(w)
    total = float(costs @ loss.value(scores))
    for _ in range(most):
        step = solved(rows.gram(costs * loss.curvature(scores)), rows.combine(-costs * loss.slope(scores)))
        if step is None:
            return
        change, before = rows.scores(step), total
        for halving in range(_HALVINGS):
            factor = 0.5**halving
            total = float(costs @ loss.value(scores + factor * change))
            if total < before:
                break
        else:
            return
        w, scores = w + factor * step, scores + factor * change
        yield w
        if not total < before * (1.0 - _SMALLEST_DECREASE):
            return
