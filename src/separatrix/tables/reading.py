"""The doors for data: files, tables and arrays in, `Data` or a `Problem` out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from ..checker import Seen, is_gap
from ..compiled.environment import checked_arithmetic
from ..exceptions import FileError, OtherTable, TableError
from ..problem.labels import read_labels
from ..problem.problem import Problem
from ..problem.provenance import (
    Choice,
    Column,
    Layout,
    LibsvmTable,
    Missing,
    NumbersAs,
    Table,
    TextTable,
)
from ..problem.reading_rows import read_rows
from ..problem.rows import is_dense
from ..support.counts import counted
from ..support.limits import exceeded, most_bytes
from ..support.remedies import Remedy
from .asked import asked
from .binary_files import Matrix
from .cells import label_text, listed
from .data import Data
from .decimals import rows_of
from .encoding import apply, at_prediction, learn, place_of_label
from .frame import Frame, opened_as, telling_of

Opened = TypeVar("Opened")

_BYTES_PER_COLUMN = 1024
"""Bytes that a column takes, whatever is in it: its name, weights that are rounded, weights that are exact."""


@checked_arithmetic
def read_data(
    source: Any,
    label: str | int | None = None,
    *,
    drop: Iterable[str | int] = (),
    only: Iterable[str | int] = (),
    text: Iterable[str | int] = (),
    missing: Missing = "refuse",
    header: bool | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    gaps: str | Iterable[str] = (),
    usual_gaps: bool = True,
    format: str | None = None,  # noqa: A002 (what users call it)
    numbers: NumbersAs = "auto",
    skip_lines: int | None = None,
    comment: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    sheet: str | int | None = None,
    ignore_case: bool = False,
    drop_unlabelled: bool = False,
    like: Data | None = None,
    unseen: str = "refuse",
) -> Data:
    """Read labelled rows from files or from a table, as numbers.

    Parameters
    ----------
    source : path, paths, or table
        CSV or TSV (also compressed, or alone in a ``.zip``), Excel's ``.xlsx``, JSON lines, Parquet, Arrow or Feather,
        LIBSVM, ``.npy`` or ``.npz`` files, with wildcards if you like, or ``-`` for standard input; or a pandas, polars,
        pyarrow or other Arrow-compatible table.
    label : str or int, optional
        The column that holds the labels, by name or by position: 1 is the first, -1 the last.
    drop, only : columns, optional
        The columns to leave out, or the only ones to use.
    text : columns, optional
        Columns of categories, even if they look like numbers.
    missing : {"refuse", "drop-rows", "indicator"}
        What to do with missing values: refuse the table, leave such rows out, or count them as 0 and add a column that
        tells.
    header : bool, optional
        Whether a text file begins with the names of its columns; without, columns are called "1", "2", and so on.
    separator, encoding : str, optional
        Of a text file: "comma", "semicolon", "tab", "bar", "space", "colon" or "blanks"; "utf-8", "utf-16", "latin-1" or
        "cp1252".
    gaps : texts
        Cells that stand for a missing value, besides the usual ones: those that are empty, ``?``, ``NA``, ``N/A``, ``n/a``,
        ``#N/A``, ``<NA>``, ``NaN``, ``nan``, ``NULL`` or ``null``.
    usual_gaps : bool
        Whether the usual ones stand for a missing value at all. If not, ``gaps`` are all that do, and ``NA`` may be a
        category.
    format : {"csv", "xlsx", "jsonl", "parquet", "arrow", "libsvm", "npy", "npz"}, optional
        What the files are, if their names do not tell.
    numbers : {"auto", "decimal", "float64"}
        How the numbers of a text, and decimals of Arrow, are read. "auto": as the decimals that they are, 0.1 as one tenth,
        if a power of ten up to ``10**22`` makes all of them whole numbers up to ``2**53``; else all as the nearest float64,
        and ``data.notes()`` says so. "decimal": as decimals, or not at all. "float64": as the nearest float64. Floats of
        arrays and tables are what they are.
    skip_lines, comment : int, str, optional
        Of a text file: how many lines come before the table, and what lines begin with that are left out, one of ``#``,
        ``%``, ``//`` and ``--``.
    decimal, thousands : str, optional
        Of a text file: the decimal mark, ``.`` or ``,``; and what may stand between thousands, one of ``,``, ``.``, ``'``,
        ``_`` and a space.
    sheet : str or int, optional
        Of a spreadsheet: the sheet, by name or by position, counted from 1; without, the only one that is not empty.
    ignore_case : bool
        Take labels that differ by case, or by blanks around them, as one, in small letters.
    drop_unlabelled : bool
        Leave rows without a label out, whatever is done with other missing values.
    like : Data, optional
        Read the table in the columns of this one, and treat missing values likewise: for rows to predict.
    unseen : {"refuse", "ignore"}
        What to do with categories and missing values that the other one does not have: refuse them, or count them as 0.

    Notes
    -----
    ``data.notes()`` says what to beware of: rows left out, columns that identify rows. ``data.kept`` has the rows of the
    table that are here, where some were left out, and ``data.locate(rows)`` says where rows are in their files.

    Examples
    --------
    >>> import separatrix as sx
    >>> data = sx.read_data({"age": [20, 30, 40], "job": ["clerk", "cook", "clerk"], "paid": [0, 1, 1]}, label="paid")
    >>> data.names
    ['age', 'job=clerk', 'job=cook']
    >>> data.X
    array([[20.,  1.,  0.],
           [30.,  0.,  1.],
           [40.,  1.,  0.]])
    >>> sx.decide(data).status
    <Status.SEPARABLE: 'separable'>
    """
    if unseen not in ("refuse", "ignore"):
        raise TableError(Remedy("unseen", unseen), " is not known; it must be refuse or ignore.")
    layout, choice = asked(
        label, drop=drop, only=only, text=text, missing=missing, header=header, separator=separator, encoding=encoding,
        gaps=gaps, usual_gaps=usual_gaps, format=format, numbers=numbers, skip_lines=skip_lines, comment=comment,
        decimal=decimal, thousands=thousands, sheet=sheet, ignore_case=ignore_case, drop_unlabelled=drop_unlabelled,
    )  # fmt: skip
    if like is not None:
        if choice.drop or choice.only or choice.text or missing != "refuse":
            raise TableError(
                "The columns, and what to do with missing values, are those of like: leave the other choices out."
            )
        d = like.shape[1]
        layout = replace(layout, ignore_case=ignore_case or like.ignore_case)
        with telling_of(source):
            return reread(
                source, like.columns, like.table, d, label=label, layout=layout, unseen=unseen, predicting=True
            )  # fmt: skip
    with telling_of(source):
        opened = opened_as(source, layout, label)
        return from_matrix(opened, choice) if isinstance(opened, Matrix) else learn(opened, choice)


def problem_of(X: Any, y: Any, *, positive: Any = None, intercept: bool = True) -> Problem:
    """Validate rows and labels, or take them from `Data`."""
    if not isinstance(X, Data):
        return Problem.of(X, y, positive=positive, intercept=intercept)
    if y is not None:
        raise ValueError("The data has its labels with it: do not give y as well.")
    return X.problem(positive=positive, intercept=intercept)


def from_matrix(matrix: Matrix, choice: Choice) -> Data:
    """Take rows and labels from a file that has no columns by name."""
    refuse_choice(choice, libsvm=matrix.base is not None)
    if sp.issparse(matrix.X):
        require_proportion(matrix.name, matrix.X.shape[1], matrix.X.nnz)
    table = None if matrix.base is None else LibsvmTable(matrix.base)
    try:
        rows = read_rows(matrix.X) if matrix.decimals is None else rows_of(matrix.X, matrix.decimals)
        if matrix.labels is None:
            return Data(rows=rows, columns=None, table=table, decimals=matrix.decimals, places=matrix.places)
        labels = read_labels(matrix.labels, len(rows))
    except (ValueError, TypeError) as error:
        raise FileError(f"{matrix.name}: {error}") from None
    classes, codes = np.unique(labels, return_inverse=True)
    found, seen = tuple(classes.tolist()), Seen()
    seen.rows = len(rows)
    texts = tuple(map(label_text, found))
    return Data(
        rows=rows, columns=None, table=table, classes=found, texts=texts, codes=codes.astype(np.int64), seen=seen,
        decimals=matrix.decimals, places=matrix.places,
    )  # fmt: skip


def refuse_choice(choice: Choice, *, libsvm: bool) -> None:
    """Refuse a choice among columns that have no names."""
    if libsvm and choice.label is not None:
        raise FileError("LIBSVM files have their labels at the beginning of each line: leave ", Remedy("label"), " out.")
    if choice.drop or choice.only or choice.text or choice.missing != "refuse":
        raise FileError(
            "LIBSVM and .npz files have no columns to choose from, nor gaps: ",
            *(Remedy("drop"), ", ", Remedy("only"), ", ", Remedy("text"), " and ", Remedy("missing")),
            " are for tables.",
        )


def require_proportion(name: str, columns: int, entries: int) -> None:
    """Refuse columns out of all proportion to the entries that are there: each of them takes memory, used or not."""
    most = most_bytes()
    if columns > entries and columns * _BYTES_PER_COLUMN > most:
        raise FileError(
            exceeded(
                f"{name} has {columns:,} columns for {counted(entries, 'entry')}. Number "
                f"those anew that are there: so many take, at {_BYTES_PER_COLUMN:,} bytes each,",
                most,
            )
        )


def reread(
    source: Any,
    columns: tuple[Column, ...] | None,
    table: Table | None,
    dimension: int,
    *,
    label: str | int | None = None,
    layout: Layout | None = None,
    unseen: str = "refuse",
    predicting: bool = False,
    classes: Iterable[Any] = (),
) -> Data:
    """Read files or a table as a model or a certificate says: in its columns, written like its table unless told.

    What it calls a category, or a class, is that: also where it would be a gap without the blanks around it.

    For prediction, what is unseen includes missing values where there were none; a proof is about the values that are there.
    """
    return read_as(source, Known(columns, table, dimension, label, layout or Layout(), unseen, predicting, tuple(classes)))


def read_as(source: Any, known: Known) -> Data:
    """Read files or a table of which something is known from before."""
    base = known.table.base if isinstance(known.table, LibsvmTable) else None
    opened = known.opened(lambda written: opened_as(source, written, known.label, base), _head)
    if isinstance(opened, Matrix):
        return _of_width(from_matrix(opened, Choice()), known.dimension)
    wanted = known.wanted(opened)
    if wanted is None:
        return _of_width(learn(opened, Choice(label=known.label, missing=known.missing)), known.dimension)
    data = apply(opened, wanted, known.missing, label=known.label, unseen=known.unseen)
    return data if known.columns is not None else _of_width(data, known.dimension)


def _head(opened: Frame | Matrix) -> Frame | None:
    return opened if isinstance(opened, Frame) else None


class Known(NamedTuple):
    """What is known from before of a table that is to be read, by a model or a certificate."""

    columns: tuple[Column, ...] | None
    table: Table | None
    dimension: int
    label: str | int | None = None
    layout: Layout = Layout()
    unseen: str = "refuse"
    predicting: bool = False
    classes: tuple[Any, ...] = ()

    @property
    def _text(self) -> TextTable | None:
        return self.table if isinstance(self.table, TextTable) else None

    @property
    def missing(self) -> Missing:
        """What is done with missing values."""
        missing = self._text.missing if self._text is not None else "refuse"
        return at_prediction(missing, self.unseen) if self.predicting else missing

    @property
    def choice(self) -> Choice:
        """What is chosen of a table, where the columns are known: what they are made of, and the label."""
        columns = self.columns or ()
        return Choice(
            label=self.label,
            only=tuple(dict.fromkeys(column.source for column in columns)),
            text=tuple(dict.fromkeys(column.source for column in columns if column.category is not None)),
            missing=self.missing,
        )

    def opened(self, open_: Callable[[Layout], Opened], head: Callable[[Opened], Frame | None]) -> Opened:
        """Open a table that is written like the one before, or else as is found out; ``head`` gives its columns."""
        text, said = self._text, self.layout
        written = said if text is None else said.or_else(text, loosely=self.predicting)
        named = [column.category for column in self.columns or () if column.category is not None]
        words = frozenset(word for word in (*named, *self.classes) if isinstance(word, str) and is_gap(word, written.gaps))
        opened = open_(replace(written, words=words))
        if text is not None and self.predicting and not self._has(head(opened)):
            with suppress(FileError):  # it may be written otherwise
                other = open_(replace(said, header=text.header, gaps=written.gaps, words=words))
                opened = other if head(other) is not None and self._has(head(other)) else opened
        frame = head(opened)
        if frame is not None and text is not None and self.label == text.label and self.label not in frame.names:
            raise OtherTable(  # a name, and no position
                f"{frame.name} has no column {self.label!r} for the label. Its columns are: {listed(frame.names)}."
            )
        return opened

    def _has(self, frame: Frame | None) -> bool:
        """Whether a table has all columns that are asked for; one without names has whatever it has."""
        return frame is None or {column.source for column in self.columns or ()} <= set(frame.names)

    def wanted(self, frame: Frame) -> tuple[Column, ...] | None:
        """Return the columns to read; None: they are to be learnt."""
        if self.columns is not None or self.predicting or self.label is None:
            return self.columns
        place = place_of_label(self.label, frame)
        return tuple(Column(name) for k, name in enumerate(frame.names) if k != place)


def _of_width(data: Data, dimension: int) -> Data:
    """See that rows without names have as many columns as were learnt; sparse ones may end with fewer."""
    n, d = data.shape
    X = data.rows.numerators
    if d < dimension and not is_dense(X):
        wider = sp.csr_array((X.data, X.indices, X.indptr), shape=(n, dimension))
        return replace(data, rows=replace(data.rows, numerators=wider))
    if d != dimension:
        raise OtherTable(f"The data has {d:,} columns, expected {dimension:,}.")
    return data
