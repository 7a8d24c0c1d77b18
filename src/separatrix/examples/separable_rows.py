"""Sources of separable rows: with a margin of one's choice, and with as many mistakes as the convergence theorem allows."""

from __future__ import annotations

import math
import numbers
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices
from ..exact.rationals import read_square, read_whole
from ..exact.squares import is_sum_of_squares, random_vector
from ..problem.exact_rows import ExactRows

_LARGEST_SQUARE = 10**10
"""The square that is to be a sum of squares is not larger: finding the sum would take long.

Then coordinates are below 10^12, which float64 holds, and scores below 10^19 / 2, which fit in 64 bits.
"""

_MAX_FEATURES = 30
"""Features that the hyperplane depends on, at most."""

_MAX_DECIMALS = 6
"""Decimals that coordinates may have."""


def separable(
    n: int,
    d: int,
    *,
    margin: Any = None,
    margin_squared: Any = None,
    exact: bool = True,
    decimals: int = 0,
    spread: float = 10.0,
    fit_intercept: bool = True,
    seed: int = 0,
) -> tuple[Floats | ExactRows, NDArray[np.int64]]:
    """Draw rows of two classes that a hyperplane separates with a margin of one's choice.

    With an intercept the margin is the geometric one, half the distance between the classes; without, it is the gamma of
    the convergence theorem, the largest for which a unit vector w has ``y_i w.x_i >= gamma``.

    Parameters
    ----------
    n, d : int
        Numbers of rows and features. The hyperplane that separates them depends on at most 30 features.
    margin, margin_squared : number
        The margin, or its square: a number, a fraction, or a text such as "0.1" or "1/2". Without either it is 1.
    exact : bool
        Whether the margin is exactly the one given, or at least that. For an exact one, two rows, one of each class, face
        each other at twice the margin; without an intercept one row is at the margin's distance from the origin.
    decimals : int
        Decimals of the coordinates; with 0 they are whole numbers. A margin fits if four times its square (without an
        intercept, its square), in units of the last decimal, is a sum of d squares of whole numbers.
    spread : float
        How far rows are from the hyperplane, in margins, about.
    fit_intercept : bool
        Whether the hyperplane may be anywhere, or must pass through the origin.
    seed : int
        Of the draw.

    Returns
    -------
    X : array of float64, or ExactRows if there are decimals
        The rows. Decimals are exact, 0.1 as one tenth; ``numpy.asarray(X)`` has the nearest float64.
    y : array
        The labels, 0 and 1.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.separable(50, 3, margin=2, seed=1)
    >>> sx.margin(X, y, kind="geometric", exact=True).squared
    Fraction(4, 1)
    >>> X, y = sx.examples.separable(50, 2, margin="0.05", decimals=2)
    >>> sx.margin(X, y, kind="geometric", exact=True).squared
    Fraction(1, 400)
    """
    rows = read_whole(n, "n, the number of rows,", 2, 10**7)
    width = read_whole(d, "d, the number of features,", 1, 10**4)
    places = read_whole(decimals, "decimals", 0, _MAX_DECIMALS)
    if not isinstance(spread, numbers.Real) or not 1.0 <= float(spread) <= 1e6:
        raise ValueError(f"spread must be a number from 1 to 1,000,000, got {spread!r}.")
    square = read_square(margin, margin_squared, "margin") or Fraction(1)
    wanted = square * (4 if fit_intercept else 1) * 100**places
    rng = np.random.RandomState(read_whole(seed, "seed", 0, 2**32 - 1))
    if wanted.denominator != 1 or wanted > _LARGEST_SQUARE or not is_sum_of_squares(int(wanted), width):
        raise ValueError(_refusal(square, wanted, width, places, fit_intercept))
    v = np.zeros(width, np.int64)
    v[rng.permutation(width)[:_MAX_FEATURES]] = random_vector(int(wanted), min(width, _MAX_FEATURES), rng)
    size = math.ceil(float(spread) * math.sqrt(wanted) / (2 if fit_intercept else 1))
    X, y = _drawn(v, rows, size, exact, fit_intercept, rng)
    if not places:
        return X.astype(np.float64), y
    return ExactRows(X.astype(np.float64), 10**places, "decimal"), y


def tight(n: int, *, fit_intercept: bool = False) -> tuple[Floats, NDArray[np.int64]]:
    """Return n rows on which the perceptron makes exactly ``R^2 / gamma^2`` mistakes, in any order: the theorem is sharp.

    The signed, lifted rows are orthogonal and of one length. So each is at the score 0 until it is visited and right ever
    after, which makes n mistakes; and their hull comes as near to the origin as ``R / sqrt(n)``. Without an intercept the
    rows are unit vectors, with labels that alternate; with one they are rows of a Hadamard matrix, for which n is a power of
    two, and the constant is one of its columns.

    The tie rule is to be "update", under which a score of 0 is a mistake.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.tight(8)
    >>> perceptron = sx.Perceptron(fit_intercept=False).fit(X, y)
    >>> sx.audit(perceptron, X, y)
    <Ledger: 8 mistakes, at most 8 allowed; holds>
    >>> X, y = sx.examples.tight(4, fit_intercept=True)
    >>> X.tolist()
    [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]]
    >>> sx.audit(sx.Perceptron().fit(X, y), X, y)
    <Ledger: 4 mistakes, at most 4 allowed; holds>
    """
    count = read_whole(n, "n, the number of rows,", 2, 4096)
    y = np.arange(count, dtype=np.int64) % 2
    if not fit_intercept:
        return np.eye(count) * (2 * y - 1)[:, None], y
    if count & (count - 1):
        raise ValueError(f"With an intercept, n must be a power of two, got {count}.")
    hadamard = np.ones((1, 1))
    while len(hadamard) < count:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    return hadamard[:, 1:], y


def _drawn(
    v: Indices, n: int, size: int, exact: bool, intercept: bool, rng: np.random.RandomState
) -> tuple[Indices, NDArray[np.int64]]:
    """Draw rows that v separates, in units of the last decimal.

    With an intercept v leads from the plane of one class to that of the other, whose distance is its length, and rows
    between the planes are moved by it. Without, rows lie beyond the plane through v, or through -v.
    """
    square = int(v @ v)
    low, high = (0, square) if intercept else (-square, square)  # where v.x must not be between
    start = np.zeros_like(v) if intercept else -v
    X = rng.randint(-size, size + 1, size=(n, len(v)), dtype=np.int64)
    if intercept:
        X += v // 2
    scores = X @ v
    y = (2 * scores >= low + high).astype(np.int64)
    if y.min() == y.max():  # by chance, of a few rows: reflect one in the middle of the planes
        X[0] = 2 * start + (v if intercept else 2 * v) - X[0]
        y[0] = 1 - y[0]
        scores = X @ v
    if exact:
        i, j = (int(rng.choice(np.flatnonzero(y == label))) for label in (0, 1))
        X[j] = v
        y[j] = 1
        if intercept:
            X[i], y[i] = 0, 0
        scores = X @ v
    inside = (y == 1) & (scores < high)
    X[inside] += v
    inside = (y == 0) & (scores > low)
    X[inside] -= v
    if intercept:
        X += rng.randint(-size, size + 1, size=len(v), dtype=np.int64)  # anywhere
        low, high = (int(each) for each in ((X[y == 0] @ v).max(), (X[y == 1] @ v).min()))
        assert high - low >= square
    else:
        assert ((2 * y - 1) * (X @ v) >= square).all()
    return X, y


def _refusal(square: Fraction, wanted: Fraction, d: int, decimals: int, intercept: bool) -> str:
    times = "4 gamma^2" if intercept else "gamma^2"
    units = f" * {100**decimals}" if decimals else ""
    why = f"a sum of {d} squares of whole numbers" if wanted.denominator == 1 else "a whole number"
    if wanted > _LARGEST_SQUARE:
        why = f"at most {_LARGEST_SQUARE:,}"
    return (
        f"Rows with coordinates of {decimals} decimals and the margin gamma, gamma^2 = {square}, are made only if "
        f"{times}{units} is a sum of squares; but that is {wanted}, which is not {why}. Choose another margin, more "
        "decimals, or more features."
    )
