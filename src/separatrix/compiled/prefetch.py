"""A hint to the processor to fetch from memory what is going to be read.

Rows in no order that it could guess take longer to come from memory than to be read: unless they have been asked for.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

config: Any = numba.config


def _fetch(typing, array, index):
    """Begin to load the 64 bytes or so around ``array[index]``, which need not exist."""

    def generate(context, builder, signature, arguments):
        values = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, number, nothing = ir.IntType(8).as_pointer(), ir.IntType(32), ir.VoidType()
        prefetch = ir.FunctionType(nothing, [byte, number, number, number])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], prefetch)
        address = builder.bitcast(builder.gep(values.data, [arguments[1]]), byte)
        builder.call(hint, [address, *(ir.Constant(number, choice) for choice in (0, 3, 1))])  # to read, and keep: data
        return context.get_dummy_value()

    return types.void(array, index), generate


fetch: Any = (lambda array, index: None) if config.DISABLE_JIT else intrinsic(_fetch)
