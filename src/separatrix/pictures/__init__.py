"""What there is to see: scenes, made of answers and runs, and pictures of them. May import ``tracing`` and below.

``scene`` says what a scene is, and ``parts`` how it is written. ``making`` makes scenes, with ``projecting`` from rows to
points and ``thinning`` where there are many; ``scenery`` makes their parts. ``plot`` has the public names of pictures:
``displays`` draw scenes, in one ``style``. ``svg`` makes them pieces of pages, and ``notebook`` chooses the one that a
notebook shows of an answer.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """Load the public module when it is first asked for."""
    if name == "plot":
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
