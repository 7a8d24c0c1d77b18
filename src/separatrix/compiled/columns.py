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

_ROWS_AT_A_TIME = 64
"""Rows that are written at a time: few enough to stay in the processor's first cache."""

_SQUARE = 4
"""Rows and columns that are turned at once, in registers."""


def _number_at(typing, address, index):
    """Return the float64 that is so many places behind an address."""

    def generate(context, builder, signature, arguments):
        return builder.load(_place(builder, *arguments, ir.DoubleType()))

    return types.float64(types.int64, types.int64), generate


def _number_at_plainly(address, index):
    return ctypes.c_double.from_address(int(address) + 8 * int(index)).value


def _turn_square(typing, a, b, c, d, index, target, width):
    """Copy four numbers of each of four columns, from an index on, to four places of four rows.

    Columns, and the first of these places, are given by their addresses; a row has so many places.
    """

    def generate(context, builder, signature, arguments):
        *columns, index, target, width = arguments
        four = ir.VectorType(ir.DoubleType(), _SQUARE)

        def mixed(one, other, places):
            chosen = ir.Constant(ir.VectorType(ir.IntType(32), _SQUARE), places)
            return builder.shuffle_vector(one, other, chosen)

        def pairs(one, other):
            """Pair the numbers of two columns: of the first and the third row, of the second and the fourth."""
            return mixed(one, other, [0, 4, 2, 6]), mixed(one, other, [1, 5, 3, 7])

        loaded = [builder.load(_place(builder, column, index, four)) for column in columns]
        for each in loaded:
            each.align = 8
        left, right = pairs(*loaded[:2]), pairs(*loaded[2:])
        for row in range(_SQUARE):
            half = [0, 1, 4, 5] if row < 2 else [2, 3, 6, 7]
            behind = builder.mul(width, ir.Constant(ir.IntType(64), row))
            store = builder.store(mixed(left[row % 2], right[row % 2], half), _place(builder, target, behind, four))
            store.align = 8
        return context.get_dummy_value()

    return types.none(*[types.int64] * 7), generate


def _turn_square_plainly(a, b, c, d, index, target, width):
    for j, column in enumerate((a, b, c, d)):
        for i in range(_SQUARE):
            place = int(target) + 8 * (i * int(width) + j)
            ctypes.c_double.from_address(place).value = _number_at_plainly(column, int(index) + i)


def _place(builder, address, index, kind):
    """Return a pointer to what is so many numbers behind an address."""
    first = builder.inttoptr(address, ir.DoubleType().as_pointer())
    return builder.bitcast(builder.gep(first, [index]), kind.as_pointer())


number_at: Any = _number_at_plainly if config.DISABLE_JIT else intrinsic(_number_at)

turn_square: Any = _turn_square_plainly if config.DISABLE_JIT else intrinsic(_turn_square)


@kernel
def lay_out(addresses, rows):
    """Fill rows with columns of float64, given the addresses of their first numbers."""
    n, d = rows.shape
    target = rows.ctypes.data
    whole = d // _SQUARE * _SQUARE
    for begin in range(0, n, _ROWS_AT_A_TIME):
        end = min(begin + _ROWS_AT_A_TIME, n)
        squares = begin + (end - begin) // _SQUARE * _SQUARE
        for j in range(0, whole, _SQUARE):
            a, b, c, e = addresses[j], addresses[j + 1], addresses[j + 2], addresses[j + 3]
            for i in range(begin, squares, _SQUARE):
                turn_square(a, b, c, e, i, target + 8 * (i * d + j), d)
        for j in range(d):
            address = addresses[j]
            for i in range(begin if j >= whole else squares, end):
                rows[i, j] = number_at(address, i)
