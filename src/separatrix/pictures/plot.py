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
from .displays.projection import ProjectionDisplay, projection
from .displays.separators import SeparatorsDisplay, separators
from .displays.squeeze import AlignmentDisplay, SqueezeDisplay, alignment, squeeze
from .displays.structure import StructureDisplay, structure
from .displays.update import UpdateDisplay, update
from .displays.weight_space import WeightSpaceDisplay, weight_space
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
    "ProjectionDisplay",
    "SeparatorsDisplay",
    "SqueezeDisplay",
    "StructureDisplay",
    "UpdateDisplay",
    "WeightSpaceDisplay",
    "WitnessDisplay",
    "alignment",
    "boundary",
    "bounds",
    "comparison",
    "loss",
    "online",
    "pocket",
    "projection",
    "separators",
    "squeeze",
    "structure",
    "update",
    "weight_space",
    "witness",
]
