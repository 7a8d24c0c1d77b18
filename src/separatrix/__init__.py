"""Certified linear classification: the perceptron run exactly.

- `Perceptron`: the classifier.
- `perceptron_loss`, `perceptron_subgradient`: the loss it descends.
- `save_model`, `load_model`, `ModelError`: model files.
- `examples`: built-in problems.
- `RoundingWarning`: what `Perceptron` says when rounding its weights changes a prediction.

Public names are loaded on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import examples as examples
    from .estimators import Perceptron as Perceptron
    from .losses import perceptron_loss as perceptron_loss
    from .losses import perceptron_subgradient as perceptron_subgradient
    from .models import ModelError as ModelError
    from .models import load_model as load_model
    from .models import save_model as save_model
    from .warnings import RoundingWarning as RoundingWarning

__version__ = "0.1.0"

_HOMES = {
    "ModelError": ".models",
    "Perceptron": ".estimators",
    "RoundingWarning": ".warnings",
    "load_model": ".models",
    "perceptron_loss": ".losses",
    "perceptron_subgradient": ".losses",
    "save_model": ".models",
}

__all__ = [*sorted(_HOMES), "__version__", "examples"]


def __getattr__(name: str) -> Any:
    if name == "examples":
        return import_module(".examples", __name__)
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name], __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
