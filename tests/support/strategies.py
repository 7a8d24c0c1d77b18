"""Random problems of every kind, the nasty ones above all."""

from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from separatrix.problem import ties

KINDS = (
    "integers", "halves", "decimals", "gaussian", "mixed", "huge", "tiny", "subnormal", "duplicates", "collinear", "xor",
    "constant", "zeros", "ulps", "cancelling", "wide",
)  # fmt: skip

TIES = st.sampled_from(list(ties.TIES))
STEPS = (0.1, 1.0, 3.0, 0.75, 1e-5, 1e200, 1e-200, 5e-324)
"""Weights of rows, far apart."""


@st.composite
def problems(draw, kinds=KINDS, max_rows=9, max_columns=5):
    """Draw rows and labels -1 and 1, both present."""
    kind = draw(st.sampled_from(kinds))
    rng = np.random.RandomState(draw(st.integers(0, 2**31 - 1)))
    n = draw(st.integers(2, max_rows))
    d = draw(st.integers(1, max_columns))
    X = rows_of_kind(kind, n, d, rng)
    n = X.shape[0]
    if kind == "xor":
        y = np.array([-1.0, 1.0, 1.0, -1.0] + [1.0] * (n - 4))
    elif draw(st.booleans()):  # separable, if the scores are not too near 0
        w = rng.randint(-3, 4, X.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            y = np.where(X / max(np.abs(X).max(), 5e-324) @ w > rng.choice([0.0, 0.25]), 1.0, -1.0)
    else:
        y = rng.choice([-1.0, 1.0], n)
    y[:2] = -1.0, 1.0
    if draw(st.booleans()):
        y = y[::-1].copy()
    return X, y


def rows_of_kind(kind, n, d, rng):
    """Make rows of a kind."""
    if kind == "integers":
        return rng.randint(-3, 4, (n, d)).astype(float)
    if kind == "halves":
        return rng.randint(-5, 6, (n, d)) / 2.0
    if kind == "decimals":
        return rng.randint(-20, 21, (n, d)) / 10.0
    if kind == "gaussian":
        return rng.standard_normal((n, d))
    if kind == "mixed":
        return rng.standard_normal((n, d)) * 10.0 ** rng.randint(-300, 300, (n, d))
    if kind == "huge":
        return rng.standard_normal((n, d)) * 1e306
    if kind == "tiny":
        return rng.standard_normal((n, d)) * 1e-300
    if kind == "subnormal":
        return rng.randint(-9, 10, (n, d)) * 5e-324 * 2.0 ** rng.randint(0, 40, (n, d))
    if kind == "duplicates":
        some = rng.randint(-9, 10, (2, d)) / 10.0
        return some[rng.randint(0, 2, n)]
    if kind == "collinear":
        return np.outer(rng.randint(-3, 4, n), rng.standard_normal(d)) + rng.standard_normal(d)
    if kind == "xor":
        square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        return np.hstack([square * 0.1, np.tile(rng.standard_normal(d), (4, 1))])
    if kind == "constant":
        X = rng.standard_normal((n, d))
        X[:, 0] = rng.standard_normal()
        return X
    if kind == "zeros":
        X = rng.randint(-1, 2, (n, d)) * 0.1
        X[rng.random_sample((n, d)) < 0.5] = -0.0
        return X
    if kind == "ulps":
        return 1.0 + rng.randint(-2, 3, (n, d)) * 2.0**-52
    if kind == "cancelling":
        return rng.choice([1.0, -1.0, 2.0**53, -(2.0**53), 0.1], (n, d))
    assert kind == "wide"
    return rng.choice([1.0, -1.0], (n, d)) * 2.0 ** rng.randint(-120, 120, (n, d))


def noisy(n, d, share, seed=0):
    """Normal rows, labelled 0 and 1 by a hyperplane through the origin, but for a share of labels that are flipped."""
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) > 0, 1, 0)
    return X, np.where(rng.random_sample(n) < share, 1 - y, y)


def planted(n, d, digits, rng):
    """Rows, and weights under which their exact scores are about ``10**-digits`` of the norms, or exactly 0.

    The last four entries of a row make up, as a sum of floats, for what the others give.
    """
    d = max(d, 5)
    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    w[-4:] = 1.0
    for i in range(n):
        rest = sum((Fraction(w[j]) * Fraction(X[i, j]) for j in range(d - 4)), Fraction(0))
        rest += int(rng.choice([-1, 0, 1])) * Fraction(10) ** -digits
        for j in range(d - 4, d):
            X[i, j] = -float(rest)
            rest += Fraction(X[i, j])
    return X, w


def batches(data, X, y):
    """Draw rows and labels in batches of any size, some of them sparse."""
    done = 0
    while done < len(X):
        size = data.draw(st.integers(1, len(X) - done))
        rows = X[done : done + size]
        yield sp.csr_array(rows) if data.draw(st.booleans()) else rows, y[done : done + size]
        done += size


@st.composite
def cuts(draw, n):
    """Sizes of blocks, some of them empty, that add up to n."""
    ends = sorted(draw(st.lists(st.integers(0, n), max_size=5)))
    return np.diff([0, *ends, n]).tolist()
