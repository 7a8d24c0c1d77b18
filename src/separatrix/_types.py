"""The types of arrays that all rooms speak of."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import scipy.sparse as sp

Floats = NDArray[np.float64]

Rows: TypeAlias = "Floats | sp.csr_array"
"""Rows of float64: a C-contiguous array of shape (n, d), or a canonical CSR array; `problem.rows` tells them apart."""

Bytes = NDArray[np.uint8]

Indices = NDArray[np.int64]
