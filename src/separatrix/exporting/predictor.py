"""Functions of exported models: with the constants of a model in place of those below, this file is one.

What stands between the two lines of dashes is replaced; see `python_file`. Nothing but the standard library is used.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from numbers import Rational
from typing import Any

# ---- The model.

CLASSES = ["no", "yes"]
TIES_TO_LAST = False
COLUMNS: dict[str, dict[str, Any]] = {"age": {"number": [1]}, "job": {"words": {"clerk": [0.5], "cook": ["-1/3"]}}}
INTERCEPTS = [-20]
MISSING = "refuse"
UNSEEN = "refuse"
GAPS = ["", "?", "NA"]
NUMBERS = "auto"
TABLE: dict[str, Any] = {
    "header": True,
    "encoding": "utf-8",
    "separator": ",",
    "skipped": 0,
    "comment": None,
    "decimal": ".",
    "thousands": None,
}

# ---- What is done with it.


def predict(row: Mapping[str, Any]) -> Any:
    """Return the class of a row, given as a dict of its cells by the names of their columns; None if it has none."""
    return predict_many([row])[0]


def predict_many(rows: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Return the class of each row; None for rows with missing values, if such were left out when the model was learnt."""
    return [None if scores is None else CLASSES[_largest(scores)] for scores in _scores(rows)]


def score(row: Mapping[str, Any]) -> Any:
    """Return the score of a row, positive for the second of two classes; of more classes, a list with one for each."""
    scores = _scores([row])[0]
    if scores is None:
        return None
    rounded = [float(each) for each in scores]
    return rounded if len(CLASSES) > 2 else rounded[0]


def _largest(scores: list[Fraction]) -> int:
    if len(scores) == 1:
        return int(scores[0] > 0 or (TIES_TO_LAST and scores[0] == 0))
    largest = max(scores)
    return len(scores) - 1 - scores[::-1].index(largest) if TIES_TO_LAST else scores.index(largest)


# ---- Cells. A row becomes a list of what its cells hold: a text, a number, or None where one is missing.


def _cell(name: str, cell: Any) -> Any:
    """Return what a cell holds; of a number that is written, its text with a point and no other marks."""
    words = "words" in COLUMNS[name]
    if cell is None or (not isinstance(cell, str) and cell != cell):  # a NaN
        return None
    if isinstance(cell, bool):
        cell = ("true" if cell else "false") if words else int(cell)
    if words or (UNSEEN == "ignore" and "number" not in COLUMNS[name]):
        text = str(cell)
        return None if _is_gap(text) else text
    if not isinstance(cell, str):
        return _number(name, cell)
    if _is_gap(cell):
        return None
    text = cell.strip(" \t")
    text = {"true": "1", "false": "0"}.get(text.lower(), text)
    found = _WRITTEN.fullmatch(text)
    if not found:
        return _refuse(name, f"{cell!r} is not a number")
    whole, fraction, power = found["sign"] + found["whole"], found["fraction"], "e-2" if found["percent"] else found["power"]
    text = f"{whole.replace(_BETWEEN, '') if _BETWEEN else whole}.{(fraction or '')[1:]}{power or ''}"
    return _Written(text) if math.isfinite(float(text)) else _refuse(name, f"{cell!r} is too large")


def _number(name: str, value: Any) -> Any:
    """Return a number as one that has a quotient of whole numbers."""
    try:
        exact = isinstance(value, int | float | Rational | Decimal)
        number = value if exact and hasattr(value, "as_integer_ratio") else Fraction(int(value) if exact else float(value))
        number.as_integer_ratio()
    except (TypeError, ValueError, OverflowError):
        return _refuse(name, f"{value!r} is not a finite number")
    return number


class _Written(str):
    """The text of a number."""

    def exact(self) -> tuple[int, int]:
        """Return m and e for m times 10**e, where m is not a multiple of 10; 0 and 0 for 0."""
        number, _, power = self.lower().partition("e")
        whole, _, fraction = number.lstrip("+-").partition(".")
        digits = (whole + fraction).lstrip("0")
        kept = digits.rstrip("0")
        if not kept:
            return 0, 0
        exponent = (-1 if power.startswith("-") else 1) * int(power.lstrip("+-").lstrip("0")[:20] or "0")
        size = int(kept[:20])  # longer ones do not fit as decimals
        return -size if number.startswith("-") else size, exponent + len(digits) - len(kept) - len(fraction)


_BETWEEN = TABLE["thousands"]
_WRITTEN = re.compile(
    r"(?P<sign>[+-]?)(?=\W?[0-9])"
    + (f"(?P<whole>[0-9]{{1,3}}(?:{re.escape(_BETWEEN)}[0-9]{{3}})+|[0-9]*)" if _BETWEEN else "(?P<whole>[0-9]*)")
    + f"(?P<fraction>{re.escape(TABLE['decimal'])}[0-9]*)?"
    + "(?:(?P<power>[eE][+-]?[0-9]+)|(?P<percent>[ \u00a0\u202f]?%))?"
)
_TEXTS = {text for column in COLUMNS.values() for text in column.get("words", ())}


def _is_gap(text: str) -> bool:
    return text in GAPS or (text.strip(" \t") in GAPS and text not in _TEXTS)


def _refuse(name: str, why: str) -> Any:
    raise ValueError(f"Column {name!r}: {why}.")


def _read(row: Mapping[str, Any]) -> list[Any] | None:
    """Return the cells of a row; None if it has a missing value and such rows have no class."""
    cells = []
    for name in COLUMNS:
        if name not in row:
            raise ValueError(f"The row has no column {name!r}.")
        cells.append(None if MISSING == "drop-rows" and _is_missing(row[name]) else row[name])
    if MISSING == "drop-rows" and None in cells:
        return None
    return [_cell(name, cell) for name, cell in zip(COLUMNS, cells, strict=True)]


def _is_missing(cell: Any) -> bool:
    return _is_gap(cell) if isinstance(cell, str) else cell is None or cell != cell


def _fit_as_decimals(texts: list[_Written]) -> bool:
    """Whether one power of ten, up to the 22nd, makes all numbers whole and none larger than 2**53."""
    exact = [text.exact() for text in texts]
    places = max([0, *(-power for _, power in exact)])
    fit = places <= 22 and all(power + places <= 22 and abs(m) * 10 ** (power + places) <= 2**53 for m, power in exact if m)
    if not fit and NUMBERS == "decimal":
        raise ValueError("The numbers have too many digits to be read as decimals. Round them.")
    return fit


# ---- Scores, exactly.


def _scores(rows: Iterable[Mapping[str, Any]]) -> list[list[Fraction] | None]:
    read = [_read(row) for row in rows]
    texts = [cell for cells in read for cell in cells or () if isinstance(cell, _Written)]
    decimal = NUMBERS != "float64" and _fit_as_decimals(texts)
    return [None if cells is None else _exact_scores(cells, decimal) for cells in read]


def _ratio(name: str, cell: Any, decimal: bool) -> tuple[int, int]:
    """Return a number, scaled if it is to be, as a quotient of whole numbers, exactly."""
    if isinstance(cell, _Written):
        if decimal:
            mantissa, power = cell.exact()
            cell = Fraction(mantissa) * Fraction(10) ** power
        else:
            cell = float(cell)
    if "scaling" in COLUMNS[name]:
        shift, scale = COLUMNS[name]["scaling"]
        cell = (float(cell) - shift) / scale
        if not math.isfinite(cell):
            _refuse(name, "a number that is too large when it is scaled")
    above, below = cell.as_integer_ratio()
    return above, below


# ---- Scores by weights.


def _exact_scores(cells: list[Any], decimal: bool) -> list[Fraction]:
    terms: list[tuple[list[int], int, int]] = []  # weights, and a number as a quotient
    for name, cell in zip(COLUMNS, cells, strict=True):
        weights = _WEIGHTS[name]
        if cell is None:
            if "gap" in weights:
                terms.append((weights["gap"], 1, 1))
            elif MISSING != "indicator" or UNSEEN == "refuse":
                _refuse(name, "a missing value, where there was none when the model was learnt")
        elif isinstance(cell, str) and not isinstance(cell, _Written):
            if cell in weights.get("words", ()):
                terms.append((weights["words"][cell], 1, 1))
            elif UNSEEN == "refuse":
                _refuse(name, f"the category {cell!r} is new")
        elif "number" in weights:
            terms.append((weights["number"], *_ratio(name, cell, decimal)))
        elif UNSEEN == "refuse":
            _refuse(name, "a number, in a column that was all missing when the model was learnt")
    common = math.lcm(*(below for _, _, below in terms))
    shares = [(weights, above * (common // below)) for weights, above, below in terms]
    totals = [common * last + sum(weights[k] * share for weights, share in shares) for k, last in enumerate(_LAST)]
    return [Fraction(total, common * _UNIT) for total in totals]


def _whole(weights: Any, unit: int) -> Any:
    """Return weights in units of 1 / unit."""
    if isinstance(weights, dict):
        return {name: _whole(each, unit) for name, each in weights.items()}
    if isinstance(weights, tuple):  # a shift and a scale
        return weights
    return [int(Fraction(weight) * unit) for weight in weights]


def _denominators(weights: Any) -> Iterator[int]:
    if isinstance(weights, dict):
        for each in weights.values():
            yield from _denominators(each)
    elif isinstance(weights, list):
        yield from (Fraction(weight).denominator for weight in weights)


_UNIT = math.lcm(*_denominators(COLUMNS), *_denominators(INTERCEPTS))
_WEIGHTS = _whole(COLUMNS, _UNIT)
_LAST = _whole(INTERCEPTS, _UNIT)


# ---- As a program: reads a table, and writes the class of each row.


def _table(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    lines = islice(lines, TABLE["skipped"], None)
    lines = (line for line in lines if not TABLE["comment"] or not line.startswith(TABLE["comment"]))
    separator = TABLE["separator"]
    records = csv.reader(lines, delimiter=separator) if separator else (line.split() for line in lines)
    names: list[str] | None = None
    for cells in filter(None, records):
        if names is None:
            names = cells if TABLE["header"] else [str(k + 1) for k in range(len(cells))]
            if TABLE["header"]:
                continue
        if len(cells) != len(names):
            raise ValueError(f"A row has {len(cells)} cells, expected {len(names)}.")
        yield dict(zip(names, cells, strict=True))


def _main() -> int:
    parser = argparse.ArgumentParser(description="Write the class of each row of a table, a line for each.")
    told = "a table like the one learnt from, as CSV; if it is - or left out, standard input"
    parser.add_argument("file", nargs="?", default="-", help=told)
    name = parser.parse_args().file
    encoding = {"utf-8": "utf-8-sig"}.get(TABLE["encoding"], TABLE["encoding"])
    try:
        with open(0 if name == "-" else name, encoding=encoding, newline="") as given:
            classes = predict_many(_table(given))
        with open(1, "w", encoding="utf-8", newline="") as taken:
            csv.writer(taken, lineterminator="\n").writerows([found] for found in classes)
    except BrokenPipeError:  # whoever reads what is written has seen enough
        return 141
    except (OSError, ValueError, csv.Error) as error:
        why = f"{name}: {error.strerror}." if isinstance(error, OSError) else error
        print(f"Error: {why}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(_main())
