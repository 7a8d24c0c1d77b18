"""Certified linear classification: separability decided and proved, the perceptron run exactly.

- `decide`: whether a hyperplane separates the classes; `Verdict`, `Status`, `Certificate` are what it returns.
- `verify`: check a certificate against data; `InvalidCertificate` says what fails.
- `check_separation`, `SeparationWarning`: a guard for logistic regressions.
- `NotSeparable`: an error that carries its proof.
- `Perceptron`: the classifier.
- `KernelPerceptron`: the same in the feature space of a kernel.
- `TableEncoder`: rows of numbers from a table with columns of words, for pipelines.
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
    from .cautions import RoundingWarning as RoundingWarning
    from .cautions import SeparationWarning as SeparationWarning
    from .certificate import Certificate as Certificate
    from .checker import InvalidCertificate as InvalidCertificate
    from .decision import NotSeparable as NotSeparable
    from .decision import Status as Status
    from .decision import Verdict as Verdict
    from .decision import check_separation as check_separation
    from .decision import decide as decide
    from .encoding import Data as Data
    from .encoding import read_data as read_data
    from .estimators import KernelPerceptron as KernelPerceptron
    from .estimators import MaxMargin as MaxMargin
    from .estimators import Perceptron as Perceptron
    from .estimators import TableEncoder as TableEncoder
    from .ledger import Ledger as Ledger
    from .ledger import audit as audit
    from .losses import perceptron_loss as perceptron_loss
    from .losses import perceptron_subgradient as perceptron_subgradient
    from .margins import Margin as Margin
    from .margins import margin as margin
    from .models import ModelError as ModelError
    from .models import load_model as load_model
    from .models import save_model as save_model
    from .verifier import verify as verify

__version__ = "0.1.0"

_HOMES = {
    "Certificate": ".certificate",
    "Data": ".encoding",
    "InvalidCertificate": ".checker",
    "KernelPerceptron": ".estimators",
    "Ledger": ".ledger",
    "Margin": ".margins",
    "MaxMargin": ".estimators",
    "ModelError": ".models",
    "NotSeparable": ".decision",
    "Perceptron": ".estimators",
    "RoundingWarning": ".cautions",
    "SeparationWarning": ".cautions",
    "Status": ".decision",
    "TableEncoder": ".estimators",
    "Verdict": ".decision",
    "audit": ".ledger",
    "check_separation": ".decision",
    "decide": ".decision",
    "load_model": ".models",
    "margin": ".margins",
    "perceptron_loss": ".losses",
    "perceptron_subgradient": ".losses",
    "read_data": ".encoding",
    "save_model": ".models",
    "verify": ".verifier",
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
