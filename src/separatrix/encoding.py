"""How a table becomes rows of numbers: columns as they are, words one-hot, gaps as chosen; learnt once, applied again.

A source is a column of the table. Numbers, and true and false, give one column of the problem. Words give one for each
category, in sorted order, 1 where the cell is that word. What is done with missing values is one of `columns.MISSING`. The
outcome is a list of `Column`, which models and certificates keep, so that whoever has the table can make the same rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .cells import Numbers, Words, cells_of, classes_of, label_text, listed, numbers_of, place_of, places_of, words_of
from .checker import Seen, is_gap, number_in
from .columns import GAPS, MISSING, SEPARATORS, Column, LibsvmTable, Missing, Table, TextTable, brief
from .delimited import Layout, MixedColumns
from .design import Design, NotFinite, columns_for
from .files import FileError, Matrix, OtherTable
from .frames import Frame, opened_as
from .kernels.environment import checked_arithmetic
from .limits import exceeded, most_bytes
from .problem import Problem, Rows, class_array, code_labels, read_labels, read_rows

_COLUMN = 1024
"""Bytes that a column takes, whatever is in it: its name, weights that are rounded, weights that are exact."""

_MANY = 10
"""Categories in a column, from which it is said to identify rows if it does."""


@dataclass(frozen=True)
class Choice:
    """Which columns of a table are used, and what for; columns are named, or counted from 1, from the end if negative."""

    label: str | int | None = None
    drop: tuple[str | int, ...] = ()
    only: tuple[str | int, ...] = ()
    text: tuple[str | int, ...] = ()
    """Columns of categories, even if they look like numbers."""
    missing: Missing = "refuse"

    def __post_init__(self) -> None:
        if self.missing not in MISSING:
            raise FileError(f"missing={self.missing!r} is not known; it must be one of {', '.join(MISSING)}.")
        if self.drop and self.only:
            raise FileError("Name the columns to drop, or the only ones to use, not both.")


@dataclass(frozen=True, repr=False)
class Data:
    """Rows of numbers with their labels, and how they came from a table; `decide` and `verify` take it as it is.

    Attributes
    ----------
    X : array or CSR array of shape (n, d)
        The rows.
    columns : tuple of Column, or None
        What each column is, where the rows come from a table.
    table : TextTable, LibsvmTable or None
        How the table is written.
    kept : array of int, or None
        The rows of the table that are here, where some were left out.
    """

    X: Rows
    columns: tuple[Column, ...] | None
    table: Table | None
    classes: tuple[Any, ...] = ()
    """The distinct labels, sorted; none if the table has no labels."""
    texts: tuple[str, ...] = field(default=(), repr=False)
    """How the table writes the classes."""
    codes: NDArray[np.int64] | None = field(default=None, repr=False)
    """For each row the place of its label among the classes."""
    kept: NDArray[np.int64] | None = field(default=None, repr=False)
    dropped: int = 0
    """How many rows were left out."""
    places: Callable[[Sequence[int]], list[str]] = field(default=lambda rows: [f"row {i}" for i in rows], repr=False)
    seen: Seen | None = field(default=None, repr=False, compare=False)
    """What the table holds besides the rows: columns that are not used, gaps."""

    @property
    def y(self) -> NDArray[Any]:
        """The labels."""
        if self.codes is None:
            raise ValueError("The data has no labels: name the column that holds them.")
        labels: NDArray[Any] = class_array(self.classes)[self.codes]
        return labels

    @property
    def names(self) -> list[str]:
        """The names of the columns: of their sources, with the category."""
        if self.columns is None:
            first = self.table.base if isinstance(self.table, LibsvmTable) else 0
            return [f"x{first + j}" for j in range(self.X.shape[1])]
        return [str(column) for column in self.columns]

    def __repr__(self) -> str:
        n, d = self.shape
        of = f" of {self.given:,}" if self.dropped else ""
        return f"<Data: {n:,}{of} rows, {d:,} columns, classes {', '.join(map(repr, self.classes[:4])) or 'unknown'}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        n, d = self.X.shape
        return int(n), int(d)

    @property
    def given(self) -> int:
        """How many rows the table has, those left out included."""
        return self.X.shape[0] + self.dropped

    def locate(self, rows: Sequence[int]) -> list[str]:
        """Say where rows are in the files they come from."""
        return self.places(list(rows) if self.kept is None else self.kept[list(rows)].tolist())

    def notes(self) -> list[str]:
        """Return what whoever uses the data should know of it."""
        notes = []
        n, _ = self.shape
        if self.dropped:
            notes.append(f"{self.dropped:,} of {self.given:,} rows were left out, as they have missing values.")
        if len(self.classes) > _MANY and 2 * len(self.classes) > n:
            notes.append(
                f"The label has {len(self.classes):,} classes in {n:,} rows: it looks like a quantity. Say "
                "which of its values belong together in a column of their own, and take that."
            )
        counts = Counter(column.source for column in self.columns or () if column.category is not None)
        for name, count in counts.items():
            if count > _MANY and 2 * count > n:
                notes.append(
                    f"The column {name!r} has {count:,} categories in {n:,} rows: it all but identifies them, and a "
                    "hyperplane can use it to tell any classes apart. Leave it out with --drop, unless you want just that."
                )
        return notes

    @checked_arithmetic
    def problem(self, *, positive: Any = None, intercept: bool = True) -> Problem:
        """Return the rows with their labels coded as -1 and 1; parameters as in `Problem.of`."""
        if self.codes is None:
            raise ValueError("The data has no labels: name the column that holds them.")
        rows, _, measures = read_rows(self.X)
        signs, classes = code_labels(class_array(self.classes), positive=positive)
        return Problem(
            rows, signs[self.codes], classes, intercept, self.columns, None, rows.shape[0], self.kept, measures, self.table
        )


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
    gaps: Iterable[str] = GAPS,
    format: str | None = None,  # noqa: A002 (what users call it)
    like: Data | None = None,
    unseen: str = "refuse",
) -> Data:
    """Read labelled rows from files or from a table, as numbers.

    Parameters
    ----------
    source : path, paths, or table
        CSV or TSV (also compressed), Parquet, Arrow or Feather, LIBSVM, ``.npy`` or ``.npz`` files, with wildcards if you
        like, or ``-`` for standard input; or a pandas, polars, pyarrow or other Arrow-compatible table.
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
        The cells that stand for a missing value.
    format : {"csv", "parquet", "arrow", "libsvm", "npy", "npz"}, optional
        What the files are, if their names do not tell.

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
        raise FileError(f"unseen={unseen!r} is not known; it must be refuse or ignore.")
    layout = Layout(header, separator, encoding, tuple(gaps))
    if like is not None:
        if any((drop, only, text)) or missing != "refuse":
            raise FileError(
                "The columns, and what to do with missing values, are those of like: leave the other choices out."
            )
        d = like.shape[1]
        return reread(
            source, like.columns, like.table, d, label=label, layout=layout, kind=format, unseen=unseen, predicting=True
        )  # fmt: skip
    choice = Choice(label, _several(drop), _several(only), _several(text), missing)
    opened = opened_as(source, layout, format, label)
    return from_matrix(opened, choice) if isinstance(opened, Matrix) else learn(opened, choice)


def problem_of(X: Any, y: Any, *, positive: Any = None, intercept: bool = True) -> Problem:
    """Validate rows and labels, or take them from `Data`."""
    if not isinstance(X, Data):
        return Problem.of(X, y, positive=positive, intercept=intercept)
    if y is not None:
        raise ValueError("The data has its labels with it: do not give y as well.")
    return X.problem(positive=positive, intercept=intercept)


def _several(columns: Iterable[str | int]) -> tuple[str | int, ...]:
    return (columns,) if isinstance(columns, str | int) else tuple(columns)


# ---- Choosing columns.


def _chosen(frame: Frame, choice: Choice) -> tuple[int | None, list[int], set[int]]:
    """Return the places of the label, of the sources, and of those that are categories whatever they look like."""
    names, where, places = frame.names, frame.name, places_of(frame.names)
    label = None if choice.label is None else place_of(choice.label, names, where, " for the label", places)
    dropped = {place_of(each, names, where, " to drop", places) for each in choice.drop}
    only = [place_of(each, names, where, " to use", places) for each in choice.only]
    texts = {place_of(each, names, where, " of categories", places) for each in choice.text}
    if label in dropped or label in only:
        raise FileError(f"The label, {names[label or 0]!r}, cannot be dropped, nor be used as a column to learn from.")
    wanted = [k for k in (sorted(only) if only else range(len(names))) if k != label and k not in dropped]
    if not wanted:
        raise FileError(f"{where} has no column to learn from besides the label and those dropped.")
    unnamed = next((k for k in [*wanted, label] if k is not None and not names[k]), None)
    if unnamed is not None:
        raise FileError(
            f"Column {unnamed + 1} of {where} has no name. Name it; or, if it is an index, leave it out with "
            f"--drop {unnamed + 1}."
        )
    return label, wanted, texts


def learn(frame: Frame, choice: Choice) -> Data:
    """Read a table, and find out how to make rows of it."""
    label, wanted, texts = _chosen(frame, choice)
    extra = [] if label is None else [label]
    table = frame.read([*wanted, *extra], [*(texts & set(wanted)), *extra])
    gaps = frame.layout.gaps
    columns = table.columns
    found = [cells_of(frame.names[k], column, gaps, frame.where) for k, column in zip(wanted, columns, strict=False)]
    labels = None if label is None else words_of(frame.names[label], columns[-1], gaps)
    return _assembled(frame, found, labels, choice.missing, None, table.num_rows)


def _assembled(
    frame: Frame,
    found: list[Numbers | Words],
    labels: Words | None,
    missing: Missing,
    columns: tuple[Column, ...] | None,
    n: int,
    unseen: str = "refuse",
) -> Data:
    """Make rows of sources, in the given columns or, if there are none yet, in those that they ask for."""
    if labels is not None and labels.gaps is not None and missing != "drop-rows":
        raise FileError(
            f"{frame.where(_first(labels.gaps))}: no label (column {labels.name!r}). Every row needs one; leave such rows "
            "out with --missing drop-rows."
        )
    try:
        X, columns, kept = _laid_out(frame, found, labels, missing, columns, n, unseen)
    except NotFinite as odd:  # NaN counts as a gap: where there is one, look at every number
        found = [
            numbers_of(s.name, s.array(), np.zeros(n, bool), frame.where)
            if isinstance(s, Numbers) and s.name in odd.names
            else s
            for s in found
        ]
        return _assembled(frame, found, labels, missing, columns, n, unseen)
    dropped = n - X.shape[0]
    if labels is None:
        return Data(X, columns, None, kept=kept, dropped=dropped, places=frame.places)
    seen = _seen(frame, found, labels, columns, kept, n)
    if kept is not None:
        labels = labels._replace(codes=labels.codes[kept])
    layout = frame.layout
    separator = SEPARATORS[layout.separator or "comma"]
    table = TextTable(labels.name, bool(layout.header), separator, layout.encoding or "utf-8", layout.gaps, missing)
    return Data(X, columns, table, *classes_of(labels), kept, dropped, frame.places, seen)


def _seen(
    frame: Frame,
    found: Sequence[Numbers | Words],
    labels: Words,
    columns: tuple[Column, ...],
    kept: NDArray[np.int64] | None,
    n: int,
) -> Seen:
    """Tell what the table holds besides the rows that were made of it."""
    seen = Seen()
    seen.label, seen.rows = labels.name, n
    seen.columns = tuple(name for name in frame.names if name != labels.name)
    touched = np.zeros(n, bool)
    asked = set(columns)
    for source in [*found, labels]:
        gaps = source.gaps
        if gaps is not None:
            count = int(np.count_nonzero(gaps))
            touched |= gaps
            seen.gaps += count
            seen.untold += 0 if Column(source.name, gap=True) in asked or source is labels else count
    seen.rows_with_gaps = int(np.count_nonzero(touched))
    categories = {column.source for column in columns if column.category is not None}
    for source in found:
        if isinstance(source, Words) and source.name in categories:
            codes = source.codes if kept is None else source.codes[kept]
            unlisted = [Column(source.name, text) not in asked for text in source.texts]
            seen.unlisted += int(np.count_nonzero(np.array([*unlisted, False])[codes]))
    return seen


def _laid_out(
    frame: Frame,
    found: list[Numbers | Words],
    labels: Words | None,
    missing: Missing,
    columns: tuple[Column, ...] | None,
    n: int,
    unseen: str,
) -> tuple[Rows, tuple[Column, ...], NDArray[np.int64] | None]:
    """Return rows, their columns, and which rows of the table they are if some are left out for their missing values."""
    masks = {source.name: source.gaps for source in found}
    if missing == "refuse" and any(mask is not None for mask in masks.values()):
        raise OtherTable(_refusal(frame, masks, n, columns is not None))
    gone = _gone(masks, labels, n) if missing == "drop-rows" else None
    kept = None if gone is None else np.flatnonzero(~gone)
    if kept is not None:
        if not kept.size:
            raise FileError(f"Every row of {frame.name} has a missing value: none is left. {_counts(masks)}")
        found = [_without(source, kept) for source in found]
    columns = columns_for(found, missing) if columns is None else columns
    design = Design(columns, unseen, lambda row: frame.where(row if kept is None else int(kept[row])))
    return design.rows(found, n if kept is None else kept.size), columns, kept


def _first(mask: NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(mask)[0])


def _gone(masks: dict[str, NDArray[np.bool_] | None], labels: Words | None, n: int) -> NDArray[np.bool_] | None:
    gone = np.zeros(n, bool)
    for mask in [*masks.values(), None if labels is None else labels.gaps]:
        if mask is not None:
            gone |= mask
    return gone if gone.any() else None


def _refusal(frame: Frame, masks: dict[str, NDArray[np.bool_] | None], n: int, learnt: bool) -> str:
    gone = _gone(masks, None, n)
    assert gone is not None
    first = _first(gone)
    column = next(name for name, mask in masks.items() if mask is not None and mask[first])
    return (
        f"{frame.name} has missing values in {int(gone.sum()):,} of its {n:,} rows, the first in {frame.where(first)}, "
        f"column {column!r}. {_counts(masks)} "
        + (
            "There were none when it was learnt. Say --unseen ignore to count them as 0."
            if learnt
            else "Leave such rows out with --missing drop-rows, count them as 0 with a column that tells by --missing "
            "indicator, or --drop the columns."
        )
    )


def _counts(masks: dict[str, NDArray[np.bool_] | None]) -> str:
    counts = [f"{name!r} {int(mask.sum()):,}" for name, mask in masks.items() if mask is not None]
    return f"By column: {', '.join(counts[:12])}{', …' if len(counts) > 12 else ''}."


def _without(source: Numbers | Words, kept: NDArray[np.int64]) -> Numbers | Words:
    if isinstance(source, Words):
        return Words(source.name, source.texts, source.codes[kept])
    numbers = source.array()
    if not np.isfinite(numbers).all():
        raise NotFinite({source.name})
    return Numbers(source.name, numbers[kept], None)


def at_prediction(missing: Missing, unseen: str) -> Missing:
    """Return what to do with missing values of new rows: those that were refused before count as 0 if so chosen."""
    return "indicator" if missing == "refuse" and unseen == "ignore" else missing


def apply(
    frame: Frame, columns: tuple[Column, ...], missing: Missing, *, label: str | int | None = None, unseen: str = "refuse"
) -> Data:
    """Make rows of another table in the columns that were learnt; labels are optional."""
    names = frame.names
    sources = list(dict.fromkeys(column.source for column in columns))
    places = places_of(names)
    absent = [name for name in sources if name not in places]
    if absent:
        what = "column" if len(absent) == 1 else f"{len(absent)} columns"
        raise OtherTable(f"{frame.name} lacks the {what} {listed(absent)}. It has: {listed(names)}.")
    wanted = [places[name] for name in sources]
    place = None if label is None else _place_of_label(label, frame)
    if "" in (sources if place is None else [*sources, names[place]]) and names.count("") > 1:
        raise FileError(f"{frame.name} has two columns without a name. Name them, so that each is told apart.")
    if place is not None and place in wanted:
        raise OtherTable(f"The label, {names[place]!r}, is one of the columns that were learnt from.")
    categories = {column.source for column in columns if column.category is not None}
    if unseen == "ignore":  # of columns that are asked for their gaps alone, the other cells are of no interest
        categories |= set(sources) - {column.source for column in columns if not column.gap}
    extra = [] if place is None else [place]
    gaps, words = frame.layout.gaps, frame.layout.words
    try:
        read = frame.read([*wanted, *extra], [*(k for k in wanted if names[k] in categories), *extra])
    except MixedColumns:
        read = frame.read([*wanted, *extra], [*wanted, *extra])
    found = [cells_of(name, column, gaps, frame.where, words) for name, column in zip(sources, read.columns, strict=False)]
    labels = None if place is None else words_of(names[place], read.column(len(sources)), gaps, words)
    if any(isinstance(source, Words) and source.name not in categories for source in found):
        gone = _gone({source.name: source.gaps for source in found}, labels, read.num_rows)
        dropped = np.zeros(read.num_rows, bool) if gone is None or missing != "drop-rows" else gone
        found = [source if source.name in categories else _as_numbers(source, dropped, frame) for source in found]
    return _assembled(frame, found, labels, missing, columns, read.num_rows, unseen)


def _as_numbers(source: Words | Numbers, dropped: NDArray[np.bool_], frame: Frame) -> Numbers:
    """Take words as the numbers that they are, true and false among them; what is none is of interest in rows that stay."""
    if isinstance(source, Numbers):
        return source
    values = np.array([number_in(text) for text in source.texts] + [0.0])[source.codes]
    odd = ~np.isfinite(values)
    if np.any(odd & ~dropped):
        row = _first(odd & ~dropped)
        where = f"{frame.where(row)}, column {brief(source.name)}: {brief(source.texts[source.codes[row]])}"
        if not np.any(~odd & (source.codes >= 0)):
            raise FileError(f"{where} is a word, in a column that had none when it was learnt.")
        raise FileError(
            f"{where} is not a number, as the values of the column were when it was learnt. If it stands for a missing "
            "value, say --gap."
        )
    return Numbers(source.name, np.where(odd, 0.0, values), source.gaps)


def _place_of_label(label: str | int, frame: Frame) -> int:
    """Find the label: by its name, be that empty, before all else."""
    if isinstance(label, str) and label in frame.names:
        return frame.names.index(label)
    return place_of(label, frame.names, frame.name, " for the label")


def from_matrix(matrix: Matrix, choice: Choice) -> Data:
    """Take rows and labels from a file that has no columns by name."""
    if matrix.base is not None and choice.label is not None:
        raise FileError("LIBSVM files have their labels at the beginning of each line: leave --label out.")
    if choice.drop or choice.only or choice.text or choice.missing != "refuse":
        raise FileError(
            "LIBSVM and .npz files have no columns to choose from, nor gaps: --drop, --only, --text and --missing are for "
            "tables."
        )
    _require_proportion(matrix)
    table = None if matrix.base is None else LibsvmTable(matrix.base)
    try:
        rows, _, _ = read_rows(matrix.X)
        if matrix.labels is None:
            return Data(rows, None, table)
        labels = read_labels(matrix.labels, rows.shape[0])
    except (ValueError, TypeError) as error:
        raise FileError(f"{matrix.name}: {error}") from None
    classes, codes = np.unique(labels, return_inverse=True)
    found, seen = tuple(classes.tolist()), Seen()
    seen.rows = rows.shape[0]
    return Data(rows, None, table, found, tuple(map(label_text, found)), codes.astype(np.int64), seen=seen)


def _require_proportion(matrix: Matrix) -> None:
    """Refuse columns out of all proportion to the entries that are there: each of them takes memory, used or not."""
    if not sp.issparse(matrix.X):
        return
    columns, entries, most = matrix.X.shape[1], matrix.X.nnz, most_bytes()
    if columns > entries and columns * _COLUMN > most:
        raise FileError(
            exceeded(
                f"{matrix.name} has {columns:,} columns for {entries:,} {'entry' if entries == 1 else 'entries'}. Number "
                f"those anew that are there: so many take, at {_COLUMN:,} bytes each,",
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
    kind: str | None = None,
    unseen: str = "refuse",
    predicting: bool = False,
    classes: Iterable[Any] = (),
) -> Data:
    """Read files or a table as a model or a certificate says: in its columns, written like its table unless told.

    What it calls a category, or a class, is that: also where it would be a gap without the blanks around it.

    For prediction, what is unseen includes missing values where there were none; a proof is about the values that are there.
    """
    text = table if isinstance(table, TextTable) else None
    written = layout or Layout()
    if text is not None:
        written = Layout(
            text.header if written.header is None else written.header,
            text.separator_name if written.separator is None else written.separator,
            text.encoding if written.encoding is None else written.encoding,
            text.gaps if written.gaps == GAPS else written.gaps,
        )
    named = [column.category for column in columns or () if column.category is not None]
    words = frozenset(word for word in (*named, *classes) if isinstance(word, str) and is_gap(word, written.gaps))
    base = table.base if isinstance(table, LibsvmTable) else None
    opened = opened_as(source, replace(written, words=words), kind, label, base)
    if isinstance(opened, Matrix):
        return _of_width(from_matrix(opened, Choice()), dimension)
    missing = text.missing if text is not None else "refuse"
    if predicting:
        missing = at_prediction(missing, unseen)
    if text is not None and label == text.label and label not in opened.names:  # a name, and no position
        raise OtherTable(f"{opened.name} has no column {label!r} for the label. Its columns are: {listed(opened.names)}.")
    if columns is not None:
        return apply(opened, columns, missing, label=label, unseen=unseen)
    if predicting or label is None:
        return _of_width(learn(opened, Choice(label, missing=missing)), dimension)
    place = _place_of_label(label, opened)
    columns = tuple(Column(name) for k, name in enumerate(opened.names) if k != place)
    return _of_width(apply(opened, columns, missing, label=label, unseen=unseen), dimension)


def _of_width(data: Data, dimension: int) -> Data:
    """See that rows without names have as many columns as were learnt; sparse ones may end with fewer."""
    d = data.X.shape[1]
    if d < dimension and sp.issparse(data.X):
        X = sp.csr_array((data.X.data, data.X.indices, data.X.indptr), shape=(data.X.shape[0], dimension))
        return replace(data, X=X)
    if d != dimension:
        raise OtherTable(f"The data has {d:,} columns, expected {dimension:,}.")
    return data
