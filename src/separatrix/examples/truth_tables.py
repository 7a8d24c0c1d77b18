"""Boolean functions of a few inputs, as rows and labels."""

from __future__ import annotations

import itertools
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..exact.rationals import read_whole

CODINGS = {"01": (0, 1), "pm1": (-1, 1)}
"""What false and true are as inputs."""

INPUTS = "n, the number of inputs,"

_MAX_INPUTS = 12
"""Inputs that a function may have."""


def boolean(n: int, function: int | str, *, coding: str = "01") -> tuple[Floats, NDArray[np.int64]]:
    """Return the rows and labels of one Boolean function of n inputs.

    The rows are the inputs in counting order, the first one changing slowest: 00, 01, 10, 11.

    Parameters
    ----------
    n : int
        Number of inputs, from 1 to 12.
    function : int or str
        The outputs, a digit a row, as in "0110"; or the whole number that these digits write in base 2, as 6.
    coding : {"01", "pm1"}
        Whether inputs are 0 and 1, or -1 and 1. Labels are 0 and 1.

    Examples
    --------
    >>> X, y = boolean(2, "0110")
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    >>> boolean(2, 6, coding="pm1")[0].tolist()
    [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    """
    count = read_whole(n, INPUTS, 1, _MAX_INPUTS)
    table = read_table(function, count)
    return inputs(count, coding).astype(np.float64), np.array([int(bit) for bit in table], np.int64)


def inputs(n: int, coding: str = "01") -> NDArray[np.int64]:
    """Return all inputs in counting order."""
    if coding not in CODINGS:
        raise ValueError(f"coding must be one of {', '.join(map(repr, CODINGS))}, got {coding!r}.")
    return np.array(list(itertools.product(CODINGS[coding], repeat=n)), np.int64).reshape(2**n, n)


def read_table(function: Any, n: int) -> str:
    """Return the outputs of a function, a digit for each input; refuse what is none."""
    size = 2**n
    if isinstance(function, str):
        if len(function) != size or set(function) - {"0", "1"}:
            raise ValueError(f"A function of {n} inputs is written as {size} digits 0 and 1, one for each input, "
                             f"got {function[:80]!r}.")  # fmt: skip
        return function
    if isinstance(function, bool) or not isinstance(function, numbers.Integral) or not 0 <= int(function) < 2**size:
        raise ValueError(f"The functions of {n} inputs are numbered from 0 to 2^{size} - 1, got {function!r}.")
    return f"{int(function):0{size}b}"
