"""Columns laid out as rows: the loop that rows of large tables go through in each pass."""

from __future__ import annotations

import ctypes
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .compilation import kernel

config: Any = numba.config

_ROWS_AT_A_TIME = 32
"""Rows that are written at a time: few enough to stay in the processor's first cache."""


def _number_at(typing, address, index):
    """Return the float64 that is so many places behind an address."""

    def generate(context, builder, signature, arguments):
        first = builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())
        return builder.load(builder.gep(first, [arguments[1]]))

    return types.float64(types.int64, types.int64), generate


def _number_at_plainly(address, index):
    return ctypes.c_double.from_address(int(address) + 8 * int(index)).value


number_at: Any = _number_at_plainly if config.DISABLE_JIT else intrinsic(_number_at)


@kernel
def lay_out(addresses, rows):
    """Fill rows with columns of float64, given the addresses of their first numbers."""
    n, d = rows.shape
    for begin in range(0, n, _ROWS_AT_A_TIME):
        end = min(begin + _ROWS_AT_A_TIME, n)
        for j in range(d):
            address = addresses[j]
            for i in range(begin, end):
                rows[i, j] = number_at(address, i)
