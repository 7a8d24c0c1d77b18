"""A run done by hand, as a table: what its columns mean and what its cells say."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from ..exceptions import FileError
from ..support.counts import few_of
from ..support.escaping import brief, shown
from ..tables.sources import sources
from ..tracing.step_table import StepTable

MAX_LINES = 10_000
"""Lines that a run done by hand may have."""

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?(/[0-9]+)?")

_MAX_CHARACTERS = 4000
"""Characters of a number, at most: as many as Python reads."""

_YES = ("yes", "y", "true", "1", "x", "wrong", "mistake", "update", "✗", "✓", "j", "ja", "oui", "si")
_NO = ("no", "n", "false", "0", "-", "right", "correct", "ok", "none", "nein", "non")
_NOTHING = ("", "-", "–", "none", "nan", "na", "n/a", "?")

TERMS = ("2w.u", "||u||^2", "w*.u")
"""Columns of the terms of the proof, as a step table calls them."""

_COLUMNS = {
    "step": ("step", "visit"),
    "row": ("row", "i", "example", "index", "sample"),
    "passed": ("pass", "epoch", "cycle"),
    "label": ("label", "y", "class", "target"),
    "score": ("score", "w.x", "w·x", "activation"),
    "decision": ("decision", "predicted", "prediction", "output"),
    "mistake": ("mistake", "error", "wrong", "mistake?"),
}
"""Names of columns, beside those of weights and updates."""

_TERMS = {"2w.u": 0, "2w·u": 0, "||u||^2": 1, "||u||²": 1, "|u|^2": 1, "|u|²": 1, "w*.u": 2, "w*·u": 2}
"""Names of terms of the proof, without blanks, and which they are."""

_BIAS = ("b", "bias", "intercept", "w0", "w[intercept]", "w[b]", "w_b")
_VECTORS = {"weights": ("weights", "w", "w after"), "update": ("update", "u")}

T = TypeVar("T")


class HandLine(NamedTuple):
    """One line of a run done by hand; None for what it does not say."""

    place: int
    """Where it is: the number of its line in the file, or its own number from 1."""
    step: int | None
    """The number of the visit, from 1."""
    row: int | None
    passed: int | None
    label: int | None
    """-1 or 1."""
    score: Fraction | None
    decision: int | None
    """-1 or 1."""
    mistake: bool | None
    update: tuple[Fraction | None, ...]
    """What is added to each weight."""
    weights: tuple[Fraction | None, ...]
    """Each weight after the visit."""
    terms: tuple[Fraction | None, ...]
    """What the update adds in the proof, in the order of `TERMS`."""

    @property
    def known_weights(self) -> tuple[Fraction, ...] | None:
        """The weights, if all are given."""
        found = tuple(each for each in self.weights if each is not None)
        return found if len(found) == len(self.weights) else None


@dataclass(frozen=True, kw_only=True)
class HandRun:
    """A run done by hand."""

    name: str
    lines: tuple[HandLine, ...]
    checked: tuple[str, ...]
    """The columns that are understood."""
    ignored: tuple[str, ...]
    """Those that are not."""
    unchecked: tuple[str, ...]
    """Those that are understood, but cannot be checked, as w* is not known."""
    in_file: bool
    """Whether places are lines of a file."""


def read_hand_run(
    source: Any, features: Sequence[str], intercept: bool, classes: Sequence[Any], first_row: int, has_star: bool
) -> HandRun:
    """Read a run done by hand, from a file or a table.

    Parameters
    ----------
    source : path, StepTable, dict of columns, or table
        The run.
    features : texts
        The names of the features.
    intercept : bool
        Whether there is a bias.
    classes : two classes
        The negative and the positive one.
    first_row : int
        The number of the first row.
    has_star : bool
        Whether w* is known.
    """
    name, in_file, header, records = _records(source)
    if len(records) > MAX_LINES:
        raise FileError(f"{name} has {len(records):,} lines. Runs that are checked have {MAX_LINES:,} lines at most.")
    reader = _Reader(name, in_file, header, list(features), intercept, list(map(str, classes)), first_row, has_star)
    lines = _without_line_numbers([reader.line(place, cells) for place, cells in records])
    if not lines:
        raise FileError(f"{name} has no lines below its header: expected one for each visit.")
    return HandRun(
        name=name, lines=lines, checked=tuple(reader.checked), ignored=tuple(reader.ignored),
        unchecked=tuple(reader.unchecked), in_file=in_file,
    )  # fmt: skip


def _without_line_numbers(lines: list[HandLine]) -> tuple[HandLine, ...]:
    """Leave out steps that number the lines one by one, from 1 or from 0, and so agree with any run."""
    for first in (0, 1):
        if all(line.step in (None, k) for k, line in enumerate(lines, first)):
            return tuple(line._replace(step=None) for line in lines)
    return tuple(lines)


def _records(source: Any) -> tuple[str, bool, list[str], list[tuple[int, list[str]]]]:
    """Return the name of a table, whether it is a file, its header, and its lines with their places."""
    if isinstance(source, StepTable):
        source = _columns_of(source)
    if isinstance(source, str | os.PathLike):
        (opened,) = sources(source)
        try:
            text = opened.buffer().to_pybytes().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise FileError(f"{opened.name} is not text in UTF-8. Save it as CSV in UTF-8.") from None
        if "\0" in text:
            raise FileError(f"{opened.name} is not text: it holds NUL bytes. Save it as CSV in UTF-8.")
        first = next((line for line in text.splitlines() if line.strip()), "")
        between = max(",;\t", key=first.count)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=between, skipinitialspace=True)
        try:
            found = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
        except csv.Error as error:
            raise FileError(f"{opened.name}, line {reader.line_num}: {error}.") from None
        found = [(place, cells) for place, cells in found if any(cells)]
        if not found:
            raise FileError(f"{opened.name} is empty: expected a header, then a line for each visit.")
        (_, header), *lines = found
        for place, cells in lines:
            if len(cells) > len(header):
                raise FileError(f"{opened.name}, line {place}: {len(cells)} cells, but the header has {len(header)}.")
        return opened.name, True, header, lines
    if not isinstance(source, dict):
        import narwhals.stable.v2 as nw

        table = nw.from_native(source, eager_only=True, pass_through=True)
        if not isinstance(table, nw.DataFrame):
            raise TypeError(f"Expected the path of a CSV file, a table, or a StepTable, got {type(source).__name__}.")
        source = {str(name): table[name].to_list() for name in table.columns}
    columns = {str(name): [_text(cell) for cell in cells] for name, cells in source.items()}
    if len({len(cells) for cells in columns.values()}) > 1:
        raise FileError("The columns of the run differ in length.")
    rows = list(zip(*columns.values(), strict=True))
    return "the run", False, list(columns), [(k, list(cells)) for k, cells in enumerate(rows, 1)]


def _columns_of(table: StepTable) -> dict[str, list[Any]]:
    header, *lines = csv.reader(io.StringIO(table.csv()))
    return {name: [line[k] for line in lines] for k, name in enumerate(header)}


def _text(cell: Any) -> str:
    if cell is None or cell != cell:  # NaN
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


class _Reader:
    """What the columns of a table mean."""

    def __init__(
        self,
        name: str,
        in_file: bool,
        header: list[str],
        features: list[str],
        intercept: bool,
        classes: list[str],
        first: int,
        has_star: bool,
    ) -> None:
        self._name, self._in_file, self._header = name, in_file, header
        self._features, self._intercept, self._classes, self._first = features, intercept, classes, first
        self._width, self._has_star = len(features) + intercept, has_star
        self._places: dict[str, int] = {}
        self._entries: dict[str, dict[int, int]] = {"weights": {}, "update": {}, "terms": {}}
        self.checked: list[str] = []
        self.ignored: list[str] = []
        self.unchecked: list[str] = []
        for k, title in enumerate(header):
            self._recognise(k, title)
        if not self.checked:
            known = ", ".join(["row", "score", "decision", "mistake", *self._weight_names()])
            some = few_of([brief(each) for each in header], 8)
            raise FileError(f"{name} has no column of a run that can be checked. Expected some of: {known}. It has: {some}.")

    def _weight_names(self) -> list[str]:
        return [*(f"w[{shown(each)}]" for each in self._features), *(["b"] if self._intercept else [])]

    def _recognise(self, k: int, title: str) -> None:
        name = title.strip()
        term = _TERMS.get(name.lower().replace(" ", ""))
        if term == TERMS.index("w*.u") and not self._has_star:
            self.unchecked.append(name)
            return
        field = next((each for each, names in _COLUMNS.items() if name.lower() in names), None)
        field = field or next((each for each, names in _VECTORS.items() if name.lower() in names), None)
        if field is not None:
            taken = self._places.setdefault(field, k)
            if taken != k:
                raise FileError(
                    f"{self._name} has two columns for the same, {brief(self._header[taken])} and {brief(name)}: leave one."
                )
            self.checked.append(name)
            return
        of, rest = ("update", name[7:]) if name.lower().startswith("update ") else ("weights", name)
        of, j = ("terms", term) if term is not None else (of, self._weight(rest.strip()))
        if j is None:
            self.ignored.append(name)
            return
        if self._entries[of].setdefault(j, k) != k:
            same = "term" if of == "terms" else "weight"
            raise FileError(f"{self._name} has two columns for the same {same}, the second is {brief(name)}: leave one.")
        self.checked.append(name)

    def _weight(self, name: str) -> int | None:
        """Return the place of a weight that a column is named for."""
        inside = re.fullmatch(r"w\[(.*)\]", name, re.S) or re.fullmatch(r"w_(.*)", name, re.S)
        if inside and inside[1] in self._features:
            return self._features.index(inside[1])
        if name.lower() in _BIAS:
            return len(self._features) if self._intercept else None
        numbered = re.fullmatch(r"w_?([1-9][0-9]{0,3})", name)
        if numbered and int(numbered[1]) <= self._width:  # with x ending with a 1, the bias is the last weight
            return int(numbered[1]) - 1
        return None

    def line(self, place: int, cells: list[str]) -> HandLine:
        """Read a line."""
        cells = cells + [""] * (len(self._header) - len(cells))

        def read(field: str, reading: Callable[[str], T]) -> T | None:
            k = self._places.get(field)
            return None if k is None else self._cell(place, k, cells[k], reading)

        return HandLine(
            place=place,
            step=read("step", _whole),
            row=read("row", lambda text: _whole(text) - self._first),
            passed=read("passed", _whole),
            label=read("label", self._class),
            score=read("score", number),
            decision=read("decision", self._class),
            mistake=read("mistake", _flag),
            update=self._vector("update", place, cells),
            weights=self._vector("weights", place, cells),
            terms=self._vector("terms", place, cells),
        )

    def _cell(self, place: int, k: int, text: str, reading: Callable[[str], T]) -> T | None:
        if text.lower() in _NOTHING and not (reading is _flag and text == "-"):
            return None
        try:
            return reading(text)
        except ValueError as error:
            where = f"{self._name}, {'line' if self._in_file else 'step'} {place}"
            raise FileError(f"{where}, column {brief(self._header[k])}: {brief(text)} {error}.") from None

    def _vector(self, field: str, place: int, cells: list[str]) -> tuple[Fraction | None, ...]:
        found: list[Fraction | None] = [None] * (len(TERMS) if field == "terms" else self._width)
        whole = self._places.get(field)
        if whole is not None:
            read = self._cell(place, whole, cells[whole], self._numbers)
            found = found if read is None else list(read)
        for j, k in self._entries[field].items():
            found[j] = self._cell(place, k, cells[k], number)
        return tuple(found)

    def _numbers(self, text: str) -> list[Fraction]:
        parts = [part for part in re.split(r"[\s,;]+", text.strip("()[]{} ")) if part]
        if len(parts) != self._width:
            raise ValueError(f"has {len(parts)} numbers, expected {self._width}: one for each weight")
        return list(map(number, parts))

    def _class(self, text: str) -> int:
        if text in self._classes:
            return 2 * self._classes.index(text) - 1
        signs = {"+1": 1, "+": 1, "1": 1, "1.0": 1, "positive": 1, "-1": -1, "−1": -1, "-1.0": -1, "0": -1, "negative": -1}
        if text.lower() in signs:
            return signs[text.lower()]
        raise ValueError(f"is neither class: expected {self._classes[0]} or {self._classes[1]}")


def number(text: str) -> Fraction:
    """Read a number: a decimal, or a fraction such as 1/3.

    >>> number("-1/3"), number("0.5"), number("−2")
    (Fraction(-1, 3), Fraction(1, 2), Fraction(-2, 1))
    """
    plain = text.replace("−", "-").replace(" ", "")
    if len(plain) > _MAX_CHARACTERS or not _NUMBER.fullmatch(plain):
        raise ValueError("is not a number such as 2, -0.5 or 1/3")
    whole, _, divisor = plain.partition("/")
    if divisor and not int(divisor):
        raise ValueError("divides by zero")
    return Fraction(whole) / (int(divisor) if divisor else 1)


def _whole(text: str) -> int:
    found = number(text)
    if found.denominator != 1:
        raise ValueError("is not a whole number")
    return int(found)


def _flag(text: str) -> bool:
    if text.lower() in _YES:
        return True
    if text.lower() in _NO:
        return False
    raise ValueError("is neither yes nor no")
