"""For lectures: data to set as exercises, small questions answered completely, runs done by hand. The room below ``cli``.

``exercises`` has the public names of exercises: ``request`` is what is asked for, ``impossible`` says why it cannot be had,
``placement`` places rows so that margin and radius are right, ``search`` changes them until the mistakes are, ``exercise``
is what comes out, with ``solution`` in words. ``worst_order`` tries orders of visits, ``boolean_functions`` all functions of
a few bits.

``conventions`` lists texts with their rules; ``parting`` runs two of them side by side. ``checking`` asks whether a run done
by hand is right and ``run_check`` is the answer; ``hand_run`` reads what was done by hand, ``hand_rules`` does it again,
right or wrong in a certain way, and ``causes`` finds which way explains it best.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

_PUBLIC = ("conventions", "exercises")


def __getattr__(name: str) -> ModuleType:
    """Load a public module when it is first asked for."""
    if name in _PUBLIC:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
