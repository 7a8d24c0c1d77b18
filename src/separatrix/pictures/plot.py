"""Pictures of answers, with matplotlib: ``pip install 'separatrix[plot]'``.

Each function takes an answer of the library, a scene, or a fitted classifier with its rows; draws on ``ax``, or makes a
figure; and returns its display, which keeps what was drawn.
"""

from __future__ import annotations

from .displays.boundary import BoundaryDisplay, boundary
from .displays.charts import BoundsDisplay, OnlineDisplay, PocketDisplay, bounds, online, pocket
from .displays.comparison import ComparisonDisplay, comparison
from .displays.display import Display
from .displays.loss import LossDisplay, loss
from .displays.squeeze import AlignmentDisplay, SqueezeDisplay, alignment, squeeze
from .displays.structure import StructureDisplay, structure
from .displays.update import UpdateDisplay, update
from .displays.witness import WitnessDisplay, witness

__all__ = [
    "AlignmentDisplay",
    "BoundaryDisplay",
    "BoundsDisplay",
    "ComparisonDisplay",
    "Display",
    "LossDisplay",
    "OnlineDisplay",
    "PocketDisplay",
    "SqueezeDisplay",
    "StructureDisplay",
    "UpdateDisplay",
    "WitnessDisplay",
    "alignment",
    "boundary",
    "bounds",
    "comparison",
    "loss",
    "online",
    "pocket",
    "squeeze",
    "structure",
    "update",
    "witness",
]
