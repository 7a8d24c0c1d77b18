"""Tables with columns of words as rows of numbers, for pipelines: the encoding of the command line as a transformer."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._types import Rows
from ..compiled.environment import checked_arithmetic
from ..problem.provenance import Choice, Column, Layout, Missing, all_gaps
from ..problem.rows import arrays_of, filled_in
from ..support.private_names import input_names, output_config
from ..tables.arrays import as_table, refuse_written_numbers
from ..tables.data import Data
from ..tables.encoding import MissingValues, apply, at_prediction, learn
from ..tables.frame import Frame, arrow_frame, telling_of

UNSEEN = ("refuse", "ignore")


class TableEncoder(TransformerMixin, BaseEstimator):
    """Rows of numbers from a table that has columns of words, made as the command line and `read_data` make them.

    Numbers, and true and false, stay one column. Words become a column for each category, in sorted order: 1 where the
    cell is that word, else 0. Numbers are exact: one that float64 cannot hold is refused.

    Parameters
    ----------
    drop, only : columns, default=()
        The columns to leave out, or the only ones to use, by name or by position: 1 is the first, -1 the last.
    text : columns, default=()
        Columns of categories, even if they hold numbers.
    missing : {"refuse", "indicator"}, default="refuse"
        What to do with missing values, which are NaN, None and ``gaps``: refuse the table, or count them as 0 and add a
        column that tells, to each column that has some when it is learnt.
    unseen : {"refuse", "ignore"}, default="refuse"
        What `transform` does with a category that was not there when the column was learnt, and, under
        ``missing="indicator"``, with a missing value in a column that had none: refuse the table, or count it as 0.
    gaps : texts, default=()
        Cells of text that stand for a missing value, besides the usual ones of `read_data`, such as "", "?" and "NA".
    usual_gaps : bool, default=True
        Whether the usual ones do; if not, ``gaps`` are all.

    Attributes
    ----------
    columns_ : tuple of Column
        What each column of the rows is: its ``source``, and its ``category`` or whether it tells of a ``gap``.
    n_features_in_ : int
        How many columns the table has, those that are not used included.
    feature_names_in_ : array of str
        Their names, if it has names.

    See Also
    --------
    separatrix.read_data : The same for files and for whole tables, with their labels.

    Notes
    -----
    Columns are matched by their names, whatever their order, and those that were not learnt from may be absent. Where the
    table learnt from or the new one has no names, they are matched by their order; columns of arrays are called x0, x1 and
    so on.

    Rows are CSR where they would have more than four columns for each one of the table, unless ``set_output`` asks for a
    data frame.

    Examples
    --------
    >>> import separatrix as sx
    >>> rows = [[20, "clerk"], [30, "cook"], [40, "clerk"]]
    >>> encoder = sx.TableEncoder().fit(rows)
    >>> encoder.get_feature_names_out(["age", "job"])
    array(['age', 'job=clerk', 'job=cook'], dtype=object)
    >>> encoder.transform([[25, "cook"]])
    array([[25.,  0.,  1.]])

    In a pipeline, with words that only later rows have counted as 0:

    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(sx.TableEncoder(unseen="ignore"), sx.Perceptron()).fit(rows, ["no", "yes", "no"])
    >>> model.predict([[20, "cook"], [20, "baker"]])
    array(['yes', 'no'], dtype='<U3')
    """

    def __init__(
        self,
        *,
        drop: Any = (),
        only: Any = (),
        text: Any = (),
        missing: str = "refuse",
        unseen: str = "refuse",
        gaps: Sequence[str] = (),
        usual_gaps: bool = True,
    ) -> None:
        self.drop = drop
        self.only = only
        self.text = text
        self.missing = missing
        self.unseen = unseen
        self.gaps = gaps
        self.usual_gaps = usual_gaps

    @checked_arithmetic
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find out what each column holds: numbers, or which categories, and whether some are missing.

        Parameters
        ----------
        X : table, or array or list of shape (n, d)
            A pandas, polars, pyarrow or other Arrow-compatible table; or rows of numbers and texts.
        y : ignored
            There for pipelines.

        Returns
        -------
        TableEncoder
            Itself.
        """
        self._learn(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Rows:
        """Find out what each column holds, and return the rows; parameters as in `fit`."""
        return self._laid_out(self._learn(X))

    @checked_arithmetic
    def transform(self, X: Any) -> Rows:
        """Return the rows of a table, in the columns that were learnt.

        Parameters
        ----------
        X : table, or array or list of shape (n, d)
            As for `fit`.

        Returns
        -------
        array or CSR array of shape (n, number of columns)
            The rows, float64; a data frame if ``set_output`` asks for one.
        """
        check_is_fitted(self)
        choice, gaps = self._checked()
        table, named, _ = as_table(X, gaps)
        were_named = hasattr(self, "feature_names_in_")
        if not (named and were_named):
            if table.num_columns != self.n_features_in_:
                raise ValueError(
                    f"X has {table.num_columns} features, but TableEncoder is expecting {self.n_features_in_} features as "
                    "input."
                )
            if named or were_named:
                has, was = ("has", "without") if named else ("does not have valid", "with")
                warnings.warn(
                    f"X {has} feature names, but TableEncoder was fitted {was} feature names: its columns are taken in "
                    "their order.",
                    UserWarning,
                    stacklevel=3,
                )
            table = table.rename_columns(input_names(self).tolist())
        with telling_of(X), _every_row_stays():
            missing = at_prediction(choice.missing, self.unseen)
            return self._laid_out(apply(_frame(table, gaps), self.columns_, missing, unseen=self.unseen))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns: of their sources, with the category.

        Parameters
        ----------
        input_features : texts, optional
            The names of the table's columns, where it had none; if it had, they must be the same.
        """
        check_is_fitted(self)
        renamed = dict(zip(input_names(self), input_names(self, input_features), strict=True))
        return np.array([str(column._replace(source=renamed[column.source])) for column in self.columns_], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing == "indicator"
        return tags

    # Below: what fit and transform are made of.

    def _learn(self, X: Any) -> Data:
        choice, gaps = self._checked()
        table, named, written = as_table(X, gaps)
        with telling_of(X), _every_row_stays():
            data = learn(_frame(table, gaps), choice)
            if written:
                refuse_written_numbers(data.columns or (), table.column_names, choice.text)
        self.columns_: tuple[Column, ...] = data.columns or ()
        self.n_features_in_ = table.num_columns
        if named:
            self.feature_names_in_ = np.array(table.column_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return data

    def _laid_out(self, data: Data) -> Rows:
        """Return the rows, dense if they will be wrapped in a data frame."""
        _require_float64(data)
        framed = output_config("transform", self)["dense"] != "default"
        return filled_in(data.X) if framed else data.X

    def _checked(self) -> tuple[Choice, tuple[str, ...]]:
        """Return the parameters as `learn` takes them."""

        def refuse(name: str, expected: str) -> None:
            raise ValueError(
                f"The {name!r} parameter of TableEncoder must be {expected}. Got {getattr(self, name)!r} instead."
            )

        if isinstance(self.missing, str) and self.missing == "drop-rows":
            raise ValueError(
                "The 'missing' parameter of TableEncoder cannot be 'drop-rows': a transformer must return every row. Leave "
                "rows with missing values out of X and y before, or say missing='indicator'."
            )
        if self.missing not in ("refuse", "indicator"):
            refuse("missing", "'refuse' or 'indicator'")
        if self.unseen not in UNSEEN:
            refuse("unseen", "'refuse' or 'ignore'")
        if isinstance(self.gaps, str) or not _all_of(str, self.gaps):
            refuse("gaps", "a list of texts")
        if not isinstance(self.usual_gaps, bool):
            refuse("usual_gaps", "True or False")
        chosen: dict[str, tuple[str | int, ...]] = {}
        for name in ("drop", "only", "text"):
            value = getattr(self, name)
            several = (value,) if isinstance(value, str | numbers.Integral) else value
            if not _all_of((str, numbers.Integral), several):
                refuse(name, "a list of columns, by name or by position")
            chosen[name] = tuple(each if isinstance(each, str) else int(each) for each in several)
        missing: Missing = "indicator" if self.missing == "indicator" else "refuse"
        choice = Choice(drop=chosen["drop"], only=chosen["only"], text=chosen["text"], missing=missing)
        return choice, all_gaps(self.gaps, self.usual_gaps)


def _all_of(kind: Any, values: Any) -> bool:
    sized = isinstance(values, Sequence | set | frozenset | np.ndarray)
    return sized and all(isinstance(value, kind) and not isinstance(value, bool) for value in values)


def _frame(table: pa.Table, gaps: tuple[str, ...]) -> Frame:
    return arrow_frame(table, "X", Layout(gaps=gaps))


@contextmanager
def _every_row_stays() -> Iterator[None]:
    """Tell of missing values as to somebody who cannot have rows left out."""
    try:
        yield
    except MissingValues as error:
        raise error.of_transformer() from None


def _require_float64(data: Data) -> None:
    """Refuse decimals that float64 does not hold: a transformer returns float64."""
    misfit = None if data.decimals is None else data.decimals.misfit
    rows = data.rows
    if misfit is None and rows.reading == "decimal":
        numerators, five = arrays_of(rows.numerators)[0], 5.0 ** (len(str(rows.denominator)) - 1)
        odd = np.argwhere(np.fmod(numerators, five) != 0.0)  # tenths are no sums of halves, quarters and so on
        if not odd.size:
            return
        value = Decimal(int(numerators[tuple(odd[0])])) / rows.denominator
        told = f"X holds the decimal {value}, which float64 cannot hold exactly"
    elif misfit is not None:
        told = f"X holds decimals of more digits than float64 holds, as in {misfit}"
    else:
        return
    raise ValueError(
        f"{told}, and a transformer returns float64. If the nearest number will do, cast "
        "the column to float64 yourself; if the decimals matter, give the table to sx.read_data."
    )
