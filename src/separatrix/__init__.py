"""Certified linear classification: separability decided and proved, the perceptron run exactly.

- `decide`: whether a hyperplane separates the classes; `Verdict`, `Status`, `Certificate` are what it returns.
- `verify`: check a certificate against data; `InvalidCertificate` says what fails.
- `check_separation`, `SeparationWarning`: a guard for logistic regressions.
- `NotSeparable`: an error that carries its proof.
- `Perceptron`: the classifier; `VotedPerceptron`: the vote of all its weights.
- `KernelPerceptron`: the same in the feature space of a kernel.
- `Pocket`: the perceptron that keeps the weights with the fewest errors, for classes that overlap.
- `LeastSquaresClassifier`: regression on the labels.
- `LinearProgramClassifier`: the least violation, and a separator whenever there is one.
- `BayesClassifier`: the optimum for known distributions, and its risk.
- `compare`: classifiers side by side, beside the errors that no hyperplane avoids; `Comparison`, `Standing`.
- `TableEncoder`: rows of numbers from a table with columns of words, for pipelines.
- `perceptron_loss`, `perceptron_subgradient`: the loss it descends.
- `save_model`, `load_model`, `ModelError`: model files.
- `examples`: built-in problems.
- `RoundingWarning`: what `Perceptron` and others say when rounding their weights changes a prediction.

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
    from .comparison import compare as compare
    from .decision import NotSeparable as NotSeparable
    from .decision import Status as Status
    from .decision import Verdict as Verdict
    from .decision import check_separation as check_separation
    from .decision import decide as decide
    from .disagreement import Disagreement as Disagreement
    from .disagreement import least_errors as least_errors
    from .encoding import Data as Data
    from .encoding import read_data as read_data
    from .estimators import BayesClassifier as BayesClassifier
    from .estimators import KernelPerceptron as KernelPerceptron
    from .estimators import LeastSquaresClassifier as LeastSquaresClassifier
    from .estimators import LinearProgramClassifier as LinearProgramClassifier
    from .estimators import MaxMargin as MaxMargin
    from .estimators import Perceptron as Perceptron
    from .estimators import Pocket as Pocket
    from .estimators import TableEncoder as TableEncoder
    from .estimators import VotedPerceptron as VotedPerceptron
    from .ledger import Ledger as Ledger
    from .ledger import audit as audit
    from .losses import perceptron_loss as perceptron_loss
    from .losses import perceptron_subgradient as perceptron_subgradient
    from .margins import Margin as Margin
    from .margins import margin as margin
    from .models import ModelError as ModelError
    from .models import load_model as load_model
    from .models import save_model as save_model
    from .standings import Comparison as Comparison
    from .standings import Standing as Standing
    from .verifier import verify as verify

__version__ = "0.1.0"

_HOMES = {
    "BayesClassifier": ".estimators",
    "Certificate": ".certificate",
    "Comparison": ".standings",
    "Data": ".encoding",
    "Disagreement": ".disagreement",
    "InvalidCertificate": ".checker",
    "KernelPerceptron": ".estimators",
    "Ledger": ".ledger",
    "LeastSquaresClassifier": ".estimators",
    "LinearProgramClassifier": ".estimators",
    "Margin": ".margins",
    "MaxMargin": ".estimators",
    "ModelError": ".models",
    "NotSeparable": ".decision",
    "Perceptron": ".estimators",
    "Pocket": ".estimators",
    "RoundingWarning": ".cautions",
    "SeparationWarning": ".cautions",
    "Standing": ".standings",
    "Status": ".decision",
    "TableEncoder": ".estimators",
    "Verdict": ".decision",
    "VotedPerceptron": ".estimators",
    "audit": ".ledger",
    "check_separation": ".decision",
    "compare": ".comparison",
    "decide": ".decision",
    "least_errors": ".disagreement",
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
