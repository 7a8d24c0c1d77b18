"""The types of arrays that all rooms speak of."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Rows: TypeAlias = Any
"""Rows of float64: a C-contiguous array of shape (n, d), or a canonical CSR array."""

Bytes = NDArray[np.uint8]

Indices = NDArray[np.int64]
