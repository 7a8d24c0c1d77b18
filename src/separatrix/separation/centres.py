"""Hyperplanes in the middle of the gap between classes, proposed in floating point and made exact.

Where only some rows are at hand, the hyperplane that is as far from them as possible is the one that is most likely to have
the others right, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..exact.dyadic import Dyadic
from ..problem.exact_rows import ExactRows
from ..problem.problem import Problem
from ..problem.rows import filled_in
from ..problem.scaled import MAX_DENSE_COLUMNS
from .search import Search
from .wolfe import Hulls

_TOLERANCE = 1e-3
"""How near to the widest gap, relatively, floating point is to come."""

_BITS = (4, 8, 12, 16, 24, 32, 44)
"""Bits to which weights are rounded, one after the other, until they keep most of the gap."""

_MOST = 0.9
"""The share of the gap that they must keep."""


@np.errstate(all="ignore")
def centred(search: Search, live: NDArray[np.bool_], tied: list[int]) -> Dyadic | None:
    """Return weights, orthogonal to independent tied rows, that have the live ones on their correct side by far.

    None if floating point does not find any, or exact signs say otherwise.
    """
    rows = search.rows
    if rows.width > MAX_DENSE_COLUMNS:
        return None
    Z = filled_in(rows.take(np.flatnonzero(live)))
    if tied:
        Q, _ = np.linalg.qr(filled_in(rows.take(np.array(tied))).T)
        for _ in range(2):
            Z = Z - (Z @ Q) @ Q.T
    if not np.isfinite(Z).all():
        return None
    some, multipliers = Hulls(Problem.bare(ExactRows(np.ascontiguousarray(Z)), False), False).nearest(
        _TOLERANCE, search.clock
    )
    w = multipliers @ Z[some]
    gap = _gap(Z, w)
    if not gap > 0.0:
        return None
    for bits in _BITS:
        exact = search.orthogonal(w, tied, bits)
        if exact is None:
            return None
        scaled = exact.times_powers(-rows.exponents)
        if _gap(Z, scaled.times_power(-scaled.magnitude()).round()) >= _MOST * gap and search.separates(exact, live):
            return exact
    return None


def _gap(Z: Floats, w: Floats) -> float:
    """Return how far the nearest row is from the hyperplane of some weights; NaN if they have no length."""
    return float((Z @ w).min() / np.linalg.norm(w))
