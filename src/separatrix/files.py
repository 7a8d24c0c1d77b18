"""Where rows come from: CSV files with a header and numeric columns."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray


class FileError(ValueError):
    """A file cannot be read for what it should be, and why."""


class MissingColumns(FileError):  # noqa: N818 (it is what it says)
    """A file lacks columns that are asked for."""


@dataclass(frozen=True)
class Table:
    """The numbers of a file, and its labels where asked for."""

    X: NDArray[np.float64]
    features: tuple[str, ...]
    labels: NDArray[Any] | None


def read_csv(path: str | Path, *, label: str | None = None, features: Sequence[str] | None = None) -> Table:
    """Read a CSV file with a header.

    Numbers are read to the nearest float64. Labels are integers if all of them are written so, else texts.

    Parameters
    ----------
    path : str or Path
        The file.
    label : str, optional
        The column that holds the labels.
    features : sequence of str, optional
        The columns to read as numbers, in this order; all but the label if not given.
    """
    header = _header(path)
    doubled = next((name for name in header if header.count(name) > 1), None)
    if doubled is not None:
        raise FileError(f"{path} has two columns named {doubled!r}. Rename one of them.")
    if "" in header:
        raise FileError(f"Column {header.index('') + 1} of {path} has no name. Name it; if it is an index, leave it out.")
    if label is not None and label not in header:
        raise FileError(
            f"{path} has no column {label!r} for the label. Its columns are: {_listed(header)}.{_hint(label, header)}"
        )
    wanted = [name for name in header if name != label] if features is None else list(features)
    missing = [name for name in wanted if name not in header]
    if missing:
        raise MissingColumns(f"{path} lacks the {_counted(missing)} {_listed(missing)}. It has: {_listed(header)}.")
    if not wanted:
        raise FileError(f"{path} has no column besides the label {label!r}: nothing to learn from.")
    types = {name: pa.float64() for name in wanted}
    if label is not None:
        types[label] = pa.string()
    table = _parse(path, header, types)
    if table.num_rows == 0:
        raise FileError(f"{path} has a header but no rows.")
    X = np.empty((table.num_rows, len(wanted)))
    for j, name in enumerate(wanted):
        column = table.column(name)
        if column.null_count:
            line = int(np.flatnonzero(column.is_null().to_numpy())[0]) + 2
            values = "value" if column.null_count == 1 else "values"
            raise FileError(
                f"{path} has {column.null_count} missing {values} in column {name!r}, the first in line {line}. "
                "Fill the gaps or leave such rows out."
            )
        X[:, j] = column.to_numpy()
        endless = np.flatnonzero(~np.isfinite(X[:, j]))
        if endless.size:
            raise FileError(f"{path} holds an infinite or too large number in column {name!r}, line {endless[0] + 2}.")
    labels = None if label is None else _labels(path, table.column(label), label)
    return Table(X, tuple(wanted), labels)


# Files are read in one thread: only then errors carry the number of the row.


def _header(path: str | Path) -> list[str]:
    if not os.path.exists(path):
        raise FileError(f"There is no file {path}.")
    if os.path.isdir(path):
        raise FileError(f"{path} is a folder, not a CSV file.")
    try:
        with pa.csv.open_csv(path, pa.csv.ReadOptions(use_threads=False)) as reader:
            return list(reader.schema.names)
    except pa.ArrowInvalid as error:
        if "Empty CSV file" in str(error):
            raise FileError(f"{path} is empty: expected a header line, then a line for each row.") from None
        raise FileError(_explained(path, str(error), [])) from None
    except (OSError, UnicodeError) as error:
        raise FileError(f"{path} cannot be read: {error}.") from None


def _parse(path: str | Path, header: list[str], types: dict[str, pa.DataType]) -> pa.Table:
    options = pa.csv.ConvertOptions(column_types=types, include_columns=list(types))
    try:
        return pa.csv.read_csv(path, pa.csv.ReadOptions(use_threads=False), convert_options=options)
    except (pa.ArrowInvalid, OSError, UnicodeError) as error:
        raise FileError(_explained(path, str(error), header)) from None


def _explained(path: str | Path, error: str, header: list[str]) -> str:
    value = re.search(r"column #(\d+): (?:Row #(\d+): )?CSV conversion error to double: invalid value '(.*)'", error)
    if value and header:
        where = f", line {value[2]}" if value[2] else ""
        return (
            f"{path} holds {value[3]!r} in column {header[int(value[1])]!r}{where}, which is not a number. "
            "All columns but the label must be numeric."
        )
    ragged = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", error)
    if ragged:
        where = f" in line {ragged[1]}" if ragged[1] else ""
        return (
            f"{path} has {ragged[3]} values{where}, but {ragged[2]} columns. Every line must have one value for each column."
        )
    if "UTF8" in error:
        return f"{path} is not text in UTF-8. Save it in that encoding."
    return f"{path} is not a CSV file that can be read: {error.splitlines()[0]}"


def _labels(path: str | Path, column: pa.ChunkedArray, name: str) -> NDArray[Any]:
    texts = column.to_numpy().astype(str)
    empty = np.flatnonzero(np.isin(texts, ["", "nan", "NaN"]))
    if empty.size:
        raise FileError(f"{path} has no label (column {name!r}) in line {empty[0] + 2}. Every row needs one.")
    values, places = np.unique(texts, return_inverse=True)
    if all(re.fullmatch(r"[+-]?(0|[1-9][0-9]{0,17})", value) for value in values.tolist()):
        numbers = np.array([int(value) for value in values.tolist()])
        if np.unique(numbers).size == numbers.size:  # +1 and 1 are two labels, not one number
            return numbers[places]
    return texts


def _hint(name: str, header: list[str]) -> str:
    """Guess why a column is not found."""
    if len(header) == 1 and (";" in header[0] or "\t" in header[0]):
        return " They seem to be separated by semicolons or tabs: write the file with commas."
    near = next((each for each in header if each.strip().casefold() == name.strip().casefold()), None)
    return f" Did you mean {near!r}?" if near is not None else ""


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:12])
    return shown + (f", … ({len(names)} in all)" if len(names) > 12 else "")


def _counted(names: Sequence[str]) -> str:
    return "column" if len(names) == 1 else f"{len(names)} columns"


def write_whole(path: str | Path, text: str) -> None:
    """Write a file whole or not at all: never half of it in the place of an old one."""
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent or ".", prefix=f".{path.name}.", text=True)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise FileError(f"{path} cannot be written: {error.strerror}.") from None
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
