"""The public way to `describe` data: files, tables, arrays, or what `read_data` returned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa

from ..problem.batches import Batches
from ..problem.provenance import Missing, NumbersAs
from ..support.calls import whole_call
from . import description
from .asked import asked
from .binary_files import Matrix
from .data import Data
from .description_text import Description
from .frame import arrow_table, is_file
from .reading import from_matrix


@whole_call
def describe(
    source: Any,
    label: Any = None,
    *,
    positive: str | None = None,
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
) -> Description:
    """Describe data before anything is made of it: columns, gaps, classes, equal and contradictory rows.

    What was found out of how a file is written comes first. Nothing is refused that can be described: what stands in the way
    of deciding is said, with the way out.

    Parameters
    ----------
    source : path, paths, table, rows, Data, or Stream
        As `read_data` takes it; or an array, a sparse matrix or a list of rows; or what `read_data` returned; or rows in
        blocks, in which case the other parameters, but for ``positive``, are those of the stream.
    label : str, int or array, optional
        The column that holds the labels, by name or by position; of rows without names, the labels themselves.
    positive : str, optional
        The class to set against all others.
    drop, only, text, missing, header, separator, encoding, gaps, usual_gaps, format, numbers, skip_lines, comment, \
decimal, thousands, sheet, ignore_case, drop_unlabelled
        As in `read_data`. Missing values are counted, never refused: with ``missing="refuse"``, what is said of the rows is
        said of those without.

    Returns
    -------
    Description
        Its ``explain()`` writes it out, ``columns``, ``problem``, ``notes`` and ``advice`` have what was found.

    Examples
    --------
    >>> import separatrix as sx
    >>> table = {"id": [*range(20)], "age": [20, 30] * 10, "job": ["cook", "clerk"] * 10, "paid": ["no", "No"] * 10}
    >>> found = sx.describe(table, label="paid")
    >>> found
    <Description: the table, 20 rows, 4 columns, label 'paid', 2 classes; 2 notes>
    >>> for note in found.notes:
    ...     print(note)
    The column 'id' numbers the rows: no two have the same. If it says nothing of the classes, leave it out with drop='id'.
    The classes 'no', 'No' differ by case or by blanks alone. To take such as one, say ignore_case=True.
    """
    if isinstance(source, Batches):
        if label is not None:
            raise ValueError("Rows in blocks have their labels with them: do not give a label as well.")
        found: Description = source.describe(positive)
        return found
    if isinstance(source, Data):
        if label is not None:
            raise ValueError("The data has its labels with it: do not give a label as well.")
        return description.of_data(source, positive)
    named = label is None or isinstance(label, str | int)
    column = label if named else None
    layout, choice = asked(
        column, drop=drop, only=only, text=text, missing=missing, header=header, separator=separator, encoding=encoding,
        gaps=gaps, usual_gaps=usual_gaps, format=format, numbers=numbers, skip_lines=skip_lines, comment=comment,
        decimal=decimal, thousands=thousands, sheet=sheet, ignore_case=ignore_case, drop_unlabelled=drop_unlabelled,
    )  # fmt: skip
    choice = replace(choice, positive=positive)
    if is_file(source):
        if not named:
            raise TypeError("label must be the name or the position of a column, where a file is described.")
        return description.describe(source, choice, layout=layout)
    if _is_table(source):
        if not named:
            table = arrow_table(source)
            name = next(each for each in ("label", *(f"label {k}" for k in range(len(table.column_names) + 1)))
                        if each not in table.column_names)  # fmt: skip
            source = table.append_column(name, pa.array(list(label)))
            choice = replace(choice, label=name)
        return description.describe(source, choice, layout=layout)
    if label is not None and named:
        raise TypeError(f"There are no columns by name: give the labels themselves, not {label!r}.")
    return description.of_data(from_matrix(Matrix(source, label, name="the rows"), choice), positive)


def _is_table(source: Any) -> bool:
    if isinstance(source, dict) or hasattr(source, "__arrow_c_stream__"):
        return True
    return isinstance(nw.from_native(source, eager_only=True, pass_through=True), nw.DataFrame)
