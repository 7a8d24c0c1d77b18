"""Dual coordinate descent for the squared hinge loss (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008), in floating point.

Minimised is half the squared length of the weights plus the sum of ``c_i max(0, 1 - z_i.w)^2``. The weights are a
combination of the rows, ``w = sum a_i z_i`` with ``a_i >= 0``; one multiplier at a time is set to what is best for it.
"""

from __future__ import annotations

import numpy as np

from .compilation import by_type, kernel
from .error_free import SAFE_MATH
from .rows import CsrRows, DenseRows, score


@by_type(fastmath=SAFE_MATH, inline=True)
def _add_scaled(rows, i, factor, scale, w):
    """Add a multiple of row i, each of its entries times the scale of its column, to the weights."""


@_add_scaled.register(DenseRows)
def _(rows, i, factor, scale, w):
    matrix, factor = rows.matrix, factor * rows.signs[i]
    d = matrix.shape[1]
    for j in range(d):
        w[j] += factor * scale[j] * matrix[i, j]
    if rows.constant != 0.0:
        w[d] += factor * scale[d] * rows.constant


@_add_scaled.register(CsrRows)
def _(rows, i, factor, scale, w):
    factor *= rows.signs[i]
    for t in range(rows.indptr[i], rows.indptr[i + 1]):
        j = rows.indices[t]
        w[j] += factor * scale[j] * rows.data[t]
    last = w.shape[0] - 1
    w[last] += factor * scale[last] * rows.constant


@kernel
def descend(rows, order, scale, costs, squares, multipliers, w):
    """Visit rows in an order, and set the multiplier of each to what is best for it; return the largest change wanted.

    ``scale`` are the squares of the columns' factors: columns count as if they were multiplied with these. ``squares`` are
    the squared lengths of rows, so scaled. Weights, which are those of the columns as they are, and multipliers change.
    """
    largest = 0.0
    for t in range(order.shape[0]):
        i = order[t]
        ridge = 0.5 / costs[i]
        curvature = squares[i] + ridge
        if not curvature > 0.0:
            continue
        slope = score(rows, i, w) - 1.0 + ridge * multipliers[i]
        before = multipliers[i]
        after = max(before - slope / curvature, 0.0)
        if after == before or not np.isfinite(after):
            continue
        largest = max(largest, abs(after - before) * curvature)
        multipliers[i] = after
        _add_scaled(rows, i, after - before, scale, w)
    return largest
