"""Margins, checked by their definition."""

from fractions import Fraction

from hypothesis import strategies as st
from reference import dot, lifted

import separatrix as sx

KINDS = st.sampled_from(["lifted", "geometric"])


def check(found, X, y, intercept=True, tolerance=1e-9):
    """Check both bounds by what they claim."""
    Z = lifted(X, y, intercept)
    d = X.shape[1]
    w = found.weights.fractions()
    classes = found.kind == "geometric" and intercept
    least = min(dot(z, w) for z in Z)
    assert least > 0
    length = dot(w[:d], w[:d]) if found.kind == "geometric" else dot(w, w)
    assert found.lo_squared == least * least / length
    assert all(m > 0 for m in found.multipliers)
    for side in [1, -1] if classes else [0]:
        assert sum(m for i, m in zip(found.rows, found.multipliers, strict=True) if side in (0, y[i])) == 1
    v = [sum((m * Z[i][j] for i, m in zip(found.rows, found.multipliers, strict=True)), Fraction(0)) for j in range(len(w))]
    if classes:
        assert v[d] == 0
        assert found.hi_squared == dot(v[:d], v[:d]) / 4
    else:
        assert found.hi_squared == dot(v, v)
    assert Fraction(found.lo) ** 2 <= found.lo_squared <= found.hi_squared <= Fraction(found.hi) ** 2
    assert found.hi - found.lo <= max(tolerance, 1e-15) * found.hi or found.hi < 1e-307
    sx.verify(found.at_least, X, y.astype(int))
    sx.verify(found.at_most, X, y.astype(int))
