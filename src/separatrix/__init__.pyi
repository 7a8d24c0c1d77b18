from . import examples
from .checker import InvalidCertificate
from .comparison.comparing import compare
from .comparison.results import Comparison, Standing
from .distributed.dask_rows import DaskRows
from .distributed.mixing import MixedPerceptron
from .distributed.mixing_audit import MixingLedger
from .errors.disagreement import Disagreement
from .errors.least_errors import least_errors
from .estimators.bayes import BayesClassifier
from .estimators.kernel_perceptron import KernelPerceptron
from .estimators.least_squares import LeastSquaresClassifier
from .estimators.linear_program import LinearProgramClassifier
from .estimators.max_margin import MaxMargin
from .estimators.perceptron import Perceptron
from .estimators.pocket import Pocket
from .estimators.scaler import Scaler
from .estimators.table_encoder import TableEncoder
from .estimators.voted import VotedPerceptron
from .exceptions import (
    CacheWarning,
    FileError,
    LongTable,
    ModelError,
    NoExercise,
    OtherTable,
    RoundingWarning,
    SeparationWarning,
    TableError,
)
from .exporting.checking import ExportCheck
from .exporting.export import Export, export_model
from .geometry.error_count import ErrorCount, count_errors
from .geometry.hyperplane import Hyperplane
from .models.model_file import load_model, save_model
from .online.protocol import Round, play
from .perceptron.descent import Descent, descend_on_loss
from .perceptron.loss import Subdifferential, perceptron_loss, perceptron_subdifferential, perceptron_subgradient
from .pictures import plot
from .pictures.making import scene
from .pictures.parts import SceneError
from .pictures.scene import Scene
from .problem.monomials import LongFeatures
from .proof.certificate import Certificate
from .proof.verification import verify
from .reporting.report import Report, report
from .separation.decision import check_separation, decide
from .separation.kernel_decision import KernelVerdict
from .separation.kernel_margins import KernelMargin
from .separation.margins import Margin
from .separation.maximum_margin import margin
from .separation.stability import Stability
from .separation.verdict import NotSeparable, Status, Verdict
from .streaming.stream import Stream
from .support.progress import Progress
from .tables.data import Data
from .tables.decimals import TooManyDigits
from .tables.describing import describe
from .tables.description_text import Description
from .tables.encoding import MissingValues
from .tables.reading import read_data
from .tables.text.csv_reading import MixedColumns
from .teaching import conventions, exercises
from .teaching.checking import check_run
from .teaching.run_check import RunCheck
from .theorem.auditing import audit
from .theorem.kernel_ledger import KernelLedger
from .theorem.ledger import Ledger
from .theorem.mistake_bound import MistakeBound, mistake_bound
from .tracing.step import Step
from .tracing.step_table import StepTable
from .tracing.steps import steps

__version__: str

__all__ = [
    "BayesClassifier",
    "CacheWarning",
    "Certificate",
    "Comparison",
    "DaskRows",
    "Data",
    "Descent",
    "Description",
    "Disagreement",
    "ErrorCount",
    "Export",
    "ExportCheck",
    "FileError",
    "Hyperplane",
    "InvalidCertificate",
    "KernelLedger",
    "KernelMargin",
    "KernelPerceptron",
    "KernelVerdict",
    "LeastSquaresClassifier",
    "Ledger",
    "LinearProgramClassifier",
    "LongFeatures",
    "LongTable",
    "Margin",
    "MaxMargin",
    "MissingValues",
    "MistakeBound",
    "MixedColumns",
    "MixedPerceptron",
    "MixingLedger",
    "ModelError",
    "NoExercise",
    "NotSeparable",
    "OtherTable",
    "Perceptron",
    "Pocket",
    "Progress",
    "Report",
    "Round",
    "RoundingWarning",
    "RunCheck",
    "Scaler",
    "Scene",
    "SceneError",
    "SeparationWarning",
    "Stability",
    "Standing",
    "Status",
    "Step",
    "StepTable",
    "Stream",
    "Subdifferential",
    "TableEncoder",
    "TableError",
    "TooManyDigits",
    "Verdict",
    "VotedPerceptron",
    "__version__",
    "audit",
    "check_run",
    "check_separation",
    "compare",
    "conventions",
    "count_errors",
    "decide",
    "descend_on_loss",
    "describe",
    "examples",
    "exercises",
    "export_model",
    "least_errors",
    "load_model",
    "margin",
    "mistake_bound",
    "perceptron_loss",
    "perceptron_subdifferential",
    "perceptron_subgradient",
    "play",
    "plot",
    "read_data",
    "report",
    "save_model",
    "scene",
    "steps",
    "verify",
]
