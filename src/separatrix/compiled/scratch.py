"""Short arrays that a kernel keeps on the stack while it runs.

Of arrays that a kernel is given, the compiler does not know that they do not overlap: before each loop that writes to some
of them it compares where they begin and end, which for a dozen arrays takes as long as a loop over some dozens of numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import RequireLiteralValue
from numba.extending import intrinsic

from .compilation import config

_CACHE_LINE = 64


def _scratch(typing, like, size):
    """Return an array of so many numbers, a literal or a global, of the type of another array; it holds anything."""
    if not isinstance(size, types.IntegerLiteral):
        raise RequireLiteralValue("the size of an array on the stack")
    kind = types.Array(like.dtype, 1, "C")

    def generate(context, builder, signature, arguments):
        number = context.get_data_type(like.dtype)
        place = cgutils.alloca_once(builder, ir.ArrayType(number, size.literal_value))
        place.align = _CACHE_LINE
        width = context.get_constant(types.intp, context.get_abi_sizeof(number))
        array = context.make_array(kind)(context, builder)
        context.populate_array(
            array,
            data=builder.bitcast(place, number.as_pointer()),
            shape=[context.get_constant(types.intp, size.literal_value)],
            strides=[width],
            itemsize=width,
            meminfo=None,
        )
        return array._getvalue()

    return kind(like, size), generate


scratch: Any = (
    (lambda like, size: np.empty(size, like.dtype)) if config.DISABLE_JIT else intrinsic(prefer_literal=True)(_scratch)
)
