"""Certified linear classification: separability decided and proved, the perceptron run exactly.

Questions and their answers:

- `decide`: whether a hyperplane separates the classes; `Verdict`, `Status` and `Certificate` are what it returns.
- `Stability`, by `verdict.stability()`: how far numbers may be off without changing a verdict.
- `margin`: how wide the gap between separable classes is; `Margin`.
- Both ask of the feature space of a kernel, too; `KernelVerdict`, `KernelMargin`.
- `least_errors`: a hyperplane with few errors, and how many none avoids; `Disagreement`.
- `mistake_bound`: how many mistakes the perceptron can make, before any run; `MistakeBound`.
- `audit`: the convergence theorem, checked on a run of the perceptron; `Ledger`; of a kernel perceptron, `KernelLedger`.
- `steps`: the run of a perceptron, visit by visit, in exact numbers; `StepTable`, `Step`.
- `check_run`: a run done by hand, its first wrong line and the likely cause; `RunCheck`.
- `compare`: classifiers side by side, beside the errors that no hyperplane avoids; `Comparison`, `Standing`.
- `report`: all of these in one HTML file; `Report`.
- `verify`: check a certificate against data.
- `count_errors`: the rows that given weights have wrong; `ErrorCount`.
- `Hyperplane`: where a hyperplane lies, projections and distances, exactly.
- `check_separation`: a guard for logistic regressions.
- `plot`: pictures of all this; `scene`: what they are drawn from, `Scene`.
- `Progress`: what a function given as `verbose=` is told, by whatever may take long.

Classifiers:

- `Perceptron`, also with given weights, `Perceptron.of`; `VotedPerceptron`: the vote of all its weights;
  `KernelPerceptron`: in the feature space of a kernel.
- `Pocket`: the perceptron that keeps the weights with the fewest errors, for classes that overlap.
- `MaxMargin`: the hyperplane with the widest margin.
- `LeastSquaresClassifier`: regression on the labels.
- `LinearProgramClassifier`: the least violation, and a separator whenever there is one.
- `MixedPerceptron`: perceptrons on parts of the rows, whose weights are mixed; `MixingLedger`: its theorem, audited.
- `BayesClassifier`: the optimum for known distributions, and its risk.

Data and models:

- `read_data`: rows and labels from files and tables; `Data`.
- `Stream`: rows in blocks, read anew for each pass, of which there may be more than memory holds; `DaskRows`: rows on the
  workers of a Dask cluster. What takes rows and labels takes them.
- `describe`: what a file or a table holds, before anything is made of it; `Description`.
- `Scaler`: columns brought to one size, for pipelines and model files.
- `TableEncoder`: rows of numbers from a table with columns of words, for pipelines.
- `perceptron_loss`, `perceptron_subgradient`, `perceptron_subdifferential`, `Subdifferential`: the loss that the perceptron
  descends; `descend_on_loss`, `Descent`: all rows at once.
- `play`, `Round`: rows one by one, round by round.
- `conventions`: which text means what by the perceptron.
- `save_model`, `load_model`: model files.
- `export_model`, `Export`, `ExportCheck`: models as Python, SQL or ONNX.
- `examples`: built-in problems.
- `exercises`: data to set as exercises, with solutions; worst orders of visits; all Boolean functions of a few inputs.

Errors and warnings, all of them a `ValueError` or a `UserWarning`:

- `NotSeparable`: no hyperplane separates the classes; an error that carries its proof.
- `InvalidCertificate`: a proof does not hold.
- `TableError`: a table, or what is chosen of it, is not as it must be. Of its kind are `FileError`, a file that cannot be
  read; `OtherTable`, a table unlike the one learnt from; `MissingValues`; `MixedColumns` of numbers and words; and
  `TooManyDigits` for decimals.
- `ModelError`: a file is no model.
- `LongTable`, `LongFeatures`: a table of steps, or the features of a kernel, would be too long.
- `NoExercise`: there is no exercise as asked for.
- `SceneError`: there is nothing to draw.
- `RoundingWarning`: rounding weights changes a prediction.
- `SeparationWarning`: a logistic regression has no estimate.
- `CacheWarning`: compiled loops cannot be kept, and are compiled in each process anew.

Public names are loaded on first use, so that importing the package costs next to nothing; ``__init__.pyi`` says where each
lives.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]


def __dir__() -> list[str]:
    return sorted(__all__)
