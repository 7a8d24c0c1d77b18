"""Floating-point environments that other libraries may leave behind: rounding modes, and subnormal numbers flushed."""

import ctypes
import ctypes.util
import platform
from contextlib import contextmanager

import pytest

MODES = {
    "x86_64": {"up": 0x800, "down": 0x400, "zero": 0xC00},
    "aarch64": {"up": 0x400000, "down": 0x800000, "zero": 0xC00000},
}
"""What fesetround takes; 0 is to nearest."""

FLUSHING = {"x86_64": (28, 0x8040), "aarch64": (0, 1 << 24)}
"""Where the control register stands in glibc's fenv_t, and its bits that flush results, and inputs, to zero."""

MACHINE = platform.machine()
known = pytest.mark.skipif(
    platform.system() != "Linux" or MACHINE not in MODES, reason="the numbers of rounding modes are those of Linux"
)


def _library():
    return ctypes.CDLL(ctypes.util.find_library("m"))


@contextmanager
def rounding(mode):
    """Round up, down or towards zero inside, in this thread and those that it starts."""
    library = _library()
    before = library.fegetround()
    assert library.fesetround(MODES[MACHINE][mode]) == 0
    try:
        yield
    finally:
        library.fesetround(before)


@contextmanager
def flushing():
    """Flush subnormal numbers to zero inside."""
    library, (place, bits) = _library(), FLUSHING[MACHINE]
    before, changed = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
    library.fegetenv(before)
    library.fegetenv(changed)
    word = int.from_bytes(changed.raw[place : place + 4], "little") | bits
    changed[place : place + 4] = word.to_bytes(4, "little")
    library.fesetenv(changed)
    try:
        yield
    finally:
        library.fesetenv(before)
