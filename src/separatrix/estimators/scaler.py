"""Columns brought to one size, for pipelines: the scaling of the command line as a transformer."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.pipeline import Pipeline

from .._types import Rows
from ..compiled.environment import checked_arithmetic
from ..problem.reading_rows import read_rows
from ..problem.rows import filled_in
from ..problem.scaling import KINDS, Scaling
from ..support.private_names import output_config
from .learnt import features_of
from .shared.inputs import new_rows
from .shared.parameters import Parameters


class Scaler(OneToOneFeatureMixin, TransformerMixin, Parameters, BaseEstimator):
    """Columns brought to one size: ``(x - shift) / scale``, with a shift and a scale that are learnt for each column.

    Perceptrons, margins and kernels depend on the units that columns are measured in, and a column of large numbers drowns
    the others. With a classifier in a pipeline, scaling is learnt from the rows that the classifier learns from, and model
    files keep both (`save_model`).

    Parameters
    ----------
    kind : {"standard", "minmax", "maxabs", "none"}, default="standard"
        What columns are measured by. "standard": the shift is the mean, the scale the standard deviation (divided by the
        number of rows, as in scikit-learn's ``StandardScaler``). "minmax": the smallest number, and the range, so that
        columns reach from 0 to 1. "maxabs": no shift, and the largest magnitude. "none": numbers stay as they are.

    Attributes
    ----------
    shift_, scale_ : array of shape (d,)
        The float64 nearest to the exact mean, standard deviation, minimum, range or largest magnitude of the rows, which
        may be decimals or fractions. The scale of a column that holds one number only is 1.
    n_features_in_ : int
        Number of features; with ``feature_names_in_`` if the rows had names.

    See Also
    --------
    separatrix.compare : Scales the rows of all classifiers in this way.
    separatrix.save_model : Takes a pipeline of a scaler and a classifier.

    Notes
    -----
    A cell is defined to the last bit: the float64 nearest to the number given, minus the shift, over the scale, with both
    results rounded to the nearest float64. So scaled rows are the same on every machine, and what is proved of them is
    proved of exactly these numbers. They are not the numbers given: a verdict about scaled rows may differ from one about
    the given ones, where rounding moves a row across a hyperplane.

    Sparse rows are not shifted when a scaling is learnt from them, so that zeros stay zeros; they are divided by the same
    scale as dense ones. Sparse rows that are given to a scaler with shifts become dense.

    Numbers that float64 cannot hold when they are shifted or divided are refused, with their place.

    Examples
    --------
    >>> import separatrix as sx
    >>> from sklearn.pipeline import make_pipeline
    >>> sx.Scaler("minmax").fit_transform([[1, 2000], [3, 6000], [2, 3000]])
    array([[0.  , 0.  ],
           [1.  , 1.  ],
           [0.5 , 0.25]])
    >>> X, y = [[1, 9000], [2, 7000], [3, 8000], [4, 6000]], [0, 0, 1, 1]
    >>> make_pipeline(sx.Scaler(), sx.Perceptron()).fit(X, y).score(X, y)
    1.0
    """

    def __init__(self, kind: str = "standard") -> None:
        self.kind = kind

    @checked_arithmetic
    def fit(self, X: Any, y: Any = None) -> Self:
        """Measure the columns.

        Parameters
        ----------
        X : array, sparse matrix, pandas, polars or pyarrow table of shape (n, d)
            The rows, which may hold decimals and fractions.
        y : ignored
            There for pipelines.

        Returns
        -------
        Scaler
            Itself.
        """
        self._require_choice("kind", KINDS)
        rows = read_rows(X)
        _adopt(self, Scaling.of(rows, self.kind), **features_of(X))  # type: ignore[arg-type]  # it is one of them
        return self

    @checked_arithmetic
    def transform(self, X: Any) -> Rows:
        """Return scaled rows.

        Parameters
        ----------
        X : array, sparse matrix, pandas, polars or pyarrow table of shape (n, d)
            The rows.

        Returns
        -------
        array or CSR array of shape (n, d)
            The rows, scaled, in float64; a data frame if ``set_output`` asks for one.
        """
        rows = new_rows(self, X)
        found = scaling_of(self).applied(rows)
        if self.kind == "none":
            found = found.copy()  # which may be the array that was given
        framed = output_config("transform", self)["dense"] != "default"
        return filled_in(found) if framed else found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def parts_of(model: Any) -> tuple[Scaler | None, Any]:
    """Return the scaler of a pipeline, and the classifier behind it; or None and the classifier that there is."""
    if isinstance(model, Pipeline) and len(model) == 2 and type(model[0]) is Scaler:
        return model[0], model[1]
    return None, model


def scaling_of(scaler: Scaler) -> Scaling:
    """Return the scaling that a fitted scaler has learnt."""
    return Scaling(scaler.kind, scaler.shift_, scaler.scale_)  # type: ignore[arg-type]


def scaler_of(scaling: Scaling, names: Any = None) -> Scaler:
    """Return a scaler that has learnt a scaling, of columns with these names."""
    made = Scaler(scaling.kind)
    _adopt(made, scaling, features=len(scaling.shift), names=names)
    return made


def _adopt(scaler: Scaler, scaling: Scaling, features: int, names: Any) -> None:
    """Have a scaler know a scaling, and nothing that it knew before."""
    scaler.shift_, scaler.scale_, scaler.n_features_in_ = scaling.shift, scaling.scale, features
    if names is not None:
        scaler.feature_names_in_ = names
    elif hasattr(scaler, "feature_names_in_"):
        del scaler.feature_names_in_
