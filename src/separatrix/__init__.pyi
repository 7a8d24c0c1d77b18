from . import examples
from .checker import InvalidCertificate
from .comparison.comparing import compare
from .comparison.results import Comparison, Standing
from .errors.disagreement import Disagreement
from .errors.least_errors import least_errors
from .estimators.bayes import BayesClassifier
from .estimators.kernel_perceptron import KernelPerceptron
from .estimators.least_squares import LeastSquaresClassifier
from .estimators.linear_program import LinearProgramClassifier
from .estimators.max_margin import MaxMargin
from .estimators.perceptron import Perceptron
from .estimators.pocket import Pocket
from .estimators.table_encoder import TableEncoder
from .estimators.voted import VotedPerceptron
from .exceptions import ModelError, RoundingWarning, SeparationWarning
from .models.model_file import load_model, save_model
from .perceptron.loss import perceptron_loss, perceptron_subgradient
from .proof.certificate import Certificate
from .proof.verification import verify
from .separation.decision import check_separation, decide
from .separation.margins import Margin
from .separation.maximum_margin import margin
from .separation.verdict import NotSeparable, Status, Verdict
from .tables.data import Data
from .tables.reading import read_data
from .theorem.auditing import audit
from .theorem.ledger import Ledger

__version__: str

__all__ = [
    "BayesClassifier",
    "Certificate",
    "Comparison",
    "Data",
    "Disagreement",
    "InvalidCertificate",
    "KernelPerceptron",
    "LeastSquaresClassifier",
    "Ledger",
    "LinearProgramClassifier",
    "Margin",
    "MaxMargin",
    "ModelError",
    "NotSeparable",
    "Perceptron",
    "Pocket",
    "RoundingWarning",
    "SeparationWarning",
    "Standing",
    "Status",
    "TableEncoder",
    "Verdict",
    "VotedPerceptron",
    "__version__",
    "audit",
    "check_separation",
    "compare",
    "decide",
    "examples",
    "least_errors",
    "load_model",
    "margin",
    "perceptron_loss",
    "perceptron_subgradient",
    "read_data",
    "save_model",
    "verify",
]
