"""Pictures of answers, with matplotlib: ``pip install 'separatrix[plot]'``.

Each function takes an answer of the library, a scene, or a fitted classifier with its rows; draws on ``ax``, or makes a
figure; and returns its display, which keeps what was drawn.
"""

from __future__ import annotations

from .displays.boundary import BoundaryDisplay, boundary
from .displays.display import Display

__all__ = [
    "BoundaryDisplay",
    "Display",
    "boundary",
]
