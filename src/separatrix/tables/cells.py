"""The cells of one column of a table: numbers or words, some of them missing; and the classes that labels name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import Context, Decimal
from difflib import get_close_matches
from itertools import chain
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .._types import Floats
from ..checker import is_gap
from ..compiled.decimals import MAX_DECIMALS
from ..exact.float64 import exact_float64
from ..exceptions import FileError, OtherTable
from ..problem.provenance import Place
from ..support.escaping import brief, shown
from ..support.remedies import Remedy
from ..support.threads import in_parts
from .frame import is_text
from .text.csv_reading import flag_in

_LARGEST_NUMERATOR = 2**53
"""Up to here every whole number is a float64."""

_WIDE = Context(prec=100)
"""More digits than any decimal of Arrow's has."""

MAX_NAMES = 12
"""Names of columns, or of classes, that a message lists."""


FOR_THE_LABEL = " for the label"
"""What a column is looked for, in words."""


class Numbers(NamedTuple):
    """A source of numbers."""

    name: str
    values: pa.ChunkedArray | Floats
    """As Arrow has them, NaN and infinity may be among them, see `told_apart`; in an array NaN is not."""
    gaps: NDArray[np.bool_] | None
    """Which cells are missing; None if none is."""
    endless: NDArray[np.bool_] | None = None
    """Which are infinite, or too large for float64; None if none is. No row may have such a number, see `require_finite`."""
    numerators: Floats | None = None
    """Decimals exactly, as numerators over ten to the power of `scale`; None if the values are all that is known."""
    scale: int = 0
    long: int | None = None
    """The first row with a decimal that has no numerator, as that would be too long; None if there is none."""
    long_text: str = ""
    """What it is, where the values do not tell."""
    is_flag: bool = False
    """Whether the values are 1 and 0 for true and false, whatever the numbers beside them are."""
    factor: float = 1.0
    """What the values are to be multiplied by, and rounded to whole numbers, to be the numerators that rows hold."""

    def array(self) -> Floats:
        """Return the numbers as an array; 0 or NaN where they are missing."""
        return self.values if isinstance(self.values, np.ndarray) else self.values.to_numpy()

    def text_of(self, row: int) -> str:
        """Write the number in a row."""
        if self.numerators is None:
            return repr(self.array()[row].item())
        return str(Decimal(int(self.numerators[row])).scaleb(-self.scale))

    def taken(self, kept: NDArray[np.int64]) -> Numbers:
        """Return the numbers of some rows, none of which is missing."""
        numerators = None if self.numerators is None else self.numerators[kept]
        return self._replace(values=self.array()[kept], gaps=None, endless=None, numerators=numerators)


class Words(NamedTuple):
    """A source of words."""

    name: str
    texts: list[str]
    codes: NDArray[np.int64]
    """For each row the place of its word among the texts, -1 if it is missing."""

    def used(self) -> list[str]:
        """Return the words that occur."""
        counts = np.bincount(self.codes + 1, minlength=len(self.texts) + 1)
        return [text for text, count in zip(self.texts, counts[1:].tolist(), strict=True) if count]

    @property
    def gaps(self) -> NDArray[np.bool_] | None:
        """Which cells are missing; None if none is."""
        missing = self.codes < 0
        return missing if missing.any() else None


Cells: TypeAlias = Numbers | Words


def cells_of(
    name: str, column: pa.ChunkedArray, gaps: Sequence[str], where: Callable[[int], Place], words: Collection[str] = ()
) -> Cells:
    """Tell what a column holds."""
    if isinstance(column, np.ndarray):  # of a table with very many; see `csv_reading.Columns`
        return Numbers(name, column, None)
    kind, types = column.type, pa.types
    if types.is_float64(kind) and not column.null_count:
        return Numbers(name, column, None)  # see `told_apart`
    if is_text(kind):
        return words_of(name, column, gaps, words)
    if types.is_null(kind):
        return Numbers(name, np.zeros(len(column)), np.ones(len(column), bool))
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)):
        raise FileError(
            f"The column {name!r} holds {kind}, neither numbers nor words. Leave it out (",
            Remedy("drop"),
            "), or take its values as categories (",
            Remedy("text"),
            ").",
        )
    missing = column.is_null().to_numpy() if column.null_count else np.zeros(len(column), bool)
    if types.is_decimal(kind):
        values, whole, scale = _from_decimals(column)
        most = _LARGEST_NUMERATOR if scale <= MAX_DECIMALS else 0
        long = next((row for row, number in enumerate(whole) if abs(number) > most), None)
        numerators, text = (np.array(whole, np.float64), "") if long is None else (None, str(column[long].as_py()))
        return numbers_of(name, values, missing)._replace(numerators=numerators, scale=scale, long=long, long_text=text)
    else:
        filled = column.fill_null(False if types.is_boolean(kind) else 0) if column.null_count else column
        values = _from_numbers(name, filled.to_numpy(), where)
    return numbers_of(name, values, missing)._replace(is_flag=types.is_boolean(kind))


def _from_decimals(column: pa.ChunkedArray) -> tuple[Floats, list[int], int]:
    """Return decimals as the nearest float64, and as whole numbers over ten to a power, the lowest that there is."""
    filled = column.fill_null(0)
    values: Floats = filled.cast(pa.string()).cast(pa.float64()).to_numpy()
    whole = [int(number.scaleb(column.type.scale, _WIDE)) for number in filled.to_pylist()]
    scale = column.type.scale
    while scale > 0 and not any(number % 10 for number in whole):
        whole, scale = [number // 10 for number in whole], scale - 1
    if scale < 0:
        whole, scale = [number * 10**-scale for number in whole], 0
    return values, whole, scale


def _from_numbers(name: str, given: NDArray[Any], where: Callable[[int], Place]) -> Floats:
    """Return numbers as float64; refuse an integer that would be rounded."""
    try:
        return exact_float64(given, f"The column {name!r}")
    except ValueError:
        large = np.flatnonzero(np.abs(given.astype(np.float64)) >= 2.0**53)
        row = next((row for row in large.tolist() if int(float(given[row])) != int(given[row])), None)
        if row is None:
            raise
        _refuse_inexact(name, where(row), given[row])


def _refuse_inexact(name: str, where: Place, value: Any) -> NoReturn:
    raise FileError(
        f"{where}, column {name!r}: {value}, which float64 cannot hold exactly; nothing is rounded in silence. If the "
        "nearest number will do, cast the column to float64 yourself; if it is one of categories, say ",
        Remedy("text"),
        "; else leave it out with ",
        Remedy("drop"),
        ".",
    )


def numbers_of(name: str, values: Floats, missing: NDArray[np.bool_]) -> Numbers:
    """Take NaN for a gap, and tell where numbers are infinite."""
    missing = missing | np.isnan(values)
    endless = np.isinf(values) & ~missing
    return Numbers(
        name, np.where(missing, 0.0, values), missing if missing.any() else None, endless if endless.any() else None
    )


def told_apart(sources: Sequence[Cells]) -> list[Cells]:
    """Take NaN for a gap, and tell where numbers are infinite, in sources where nobody has looked for either."""
    unknown = {
        k: each for k, each in enumerate(sources) if isinstance(each, Numbers) and not isinstance(each.values, np.ndarray)
    }
    columns = [each.values for each in unknown.values()]
    parts = in_parts(lambda a, b: _which_are_finite(columns[a:b]), len(columns), sum(map(len, columns)))
    found = list(sources)
    for (k, each), finite in zip(unknown.items(), chain.from_iterable(parts), strict=True):
        if not finite:
            found[k] = numbers_of(each.name, each.array(), np.zeros(len(each.values), bool))
    return found


def require_finite(
    sources: Iterable[Cells], where: Callable[[int], Place], left_out: NDArray[np.bool_] | None = None
) -> None:
    """Refuse numbers that are infinite, unless their rows are left out."""
    for source in sources:
        if isinstance(source, Numbers) and source.endless is not None:
            rows = np.flatnonzero(source.endless if left_out is None else source.endless & ~left_out)
            if rows.size:
                raise FileError(
                    f"{where(int(rows[0]))}, column {source.name!r}: an infinite number, or one too large for float64. "
                    "Every number must be finite: correct it, rescale the column, or leave it out."
                )


@np.errstate(over="ignore", invalid="ignore")
def _which_are_finite(columns: list[pa.ChunkedArray]) -> list[bool]:
    return [all(_is_finite(column.chunk(k).to_numpy()) for k in range(column.num_chunks)) for column in columns]


def _is_finite(values: Floats) -> bool:
    """Whether all numbers are finite: mostly told by their sum, which may be infinite otherwise, too."""
    return math.isfinite(values.sum()) or bool(np.isfinite(values).all())


def words_of(name: str, column: pa.ChunkedArray, gaps: Sequence[str], words: Collection[str] = ()) -> Words:
    """Take a column as words."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries()
    if not column.num_chunks:
        return Words(name, [], np.zeros(0, np.int64))
    values = column.chunk(0).dictionary.to_pylist()
    texts = [("true" if v else "false") if isinstance(v, bool) else str(v) for v in values]
    places = [chunk.indices.cast(pa.int64()).fill_null(-1) for chunk in column.chunks]
    codes = np.concatenate([each.to_numpy(zero_copy_only=False) for each in places])
    # A dictionary may list a word twice, words that do not occur, and words that stand for a gap.
    place = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    there = [v is not None and not is_gap(t, gaps, words) for v, t in zip(values, texts, strict=True)]
    lookup = np.array([place[t] if some else -1 for t, some in zip(texts, there, strict=True)] + [-1])
    return Words(name, list(place), lookup[codes])


def classes_of(words: Words) -> tuple[tuple[Any, ...], tuple[str, ...], NDArray[np.int64]]:
    """Return the classes, sorted, how they are written, and the place of each label among them.

    Words that are all whole numbers are integers, and words that are all true or false are so; unless that would make one
    class of two words.
    """
    used = words.used()
    meant: dict[str, Any] = {text: text for text in used}
    for reading in (_integer, lambda text: flag_in(text, blanks=False)):
        values = {text: reading(text) for text in used}
        if None not in values.values() and len(set(values.values())) == len(values):
            meant = values
            break
    ordered = sorted(used, key=lambda text: meant[text])
    place = {text: k for k, text in enumerate(ordered)}
    lookup = np.array([place.get(text, -1) for text in words.texts] + [-1])
    return tuple(meant[text] for text in ordered), tuple(ordered), lookup[words.codes]


def _integer(text: str) -> int | None:
    whole = re.fullmatch(r"([+-]?(?:0|[1-9][0-9]{0,17}))(?:\.0*)?", text)
    return int(whole[1]) if whole else None


def class_called(text: str, classes: Sequence[Any], texts: Sequence[str]) -> Any:
    """Return the class that a text names: as the table writes it, or as Python does; true and false in any case.

    >>> class_called("TRUE", (False, True), ("no", "yes")), class_called("01", (1, 2), ("01", "2"))
    (True, 1)
    """
    called = [k for k, each in enumerate(zip(classes, texts, strict=True)) if is_called(text, *each)]
    # Blanks around it count only if there is another such class.
    called = called[:1] or [k for k, each in enumerate(texts) if each.strip() == text.strip()]
    if len(called) == 1:
        return classes[called[0]]
    if called:
        few = ", ".join(brief(texts[k]) for k in called[:MAX_NAMES])
        raise FileError(Remedy("positive", text), f" may be any of {few}: write the blanks, too.")
    few = ", ".join(map(class_text, classes[:MAX_NAMES]))
    raise FileError(Remedy("positive", text), f" is not a class of the label, which has: {few}.")


def class_text(value: Any) -> str:
    """Write a class as a person may see it, between quotes if there are blanks around it."""
    text = str(value)
    return brief(text) if text != text.strip() or not text else shown(value)


def is_called(text: str, value: Any, written: str) -> bool:
    """Whether a text names a class, which the table writes in its way."""
    return text in (written, str(value)) or (isinstance(value, bool) and text.lower() == str(value).lower())


def label_text(label: Any) -> str:
    """Write a label as a table would: numbers, whatever their type, as whole numbers.

    >>> [label_text(label) for label in ("yes", 1, 1e20, True)]
    ['yes', '1', '100000000000000000000', 'True']
    """
    return str(int(label)) if isinstance(label, float) else str(label)


def place_of(
    column: str | int, names: Sequence[str], where: str, what: str = "", places: dict[str, int] | None = None
) -> int:
    """Find a column by its name, or by its position, counted from 1, or from the end if negative.

    ``places`` are those of all names, for whoever looks for many columns.
    """
    places = places_of(names) if places is None else places
    if str(column) in places and column != "":
        return places[str(column)]
    position = int(column) if re.fullmatch("[+-]?[0-9]{1,9}", str(column)) else 0
    if position and -len(names) <= position <= len(names):
        return position - 1 if position > 0 else len(names) + position
    bare = [k for k, name in enumerate(names) if name.strip() == str(column).strip() and column != ""]
    if len(bare) == 1:  # blanks around a name do not count, unless that makes a difference
        return bare[0]
    near = get_close_matches(str(column).casefold(), [name.casefold() for name in names], 1)
    guess = next((name for name in names if near and name.casefold() == near[0]), None)
    hint = f" Did you mean {guess!r}?" if guess else ""
    last = (" The last column is ", Remedy("label", -1), ".") if what == FOR_THE_LABEL and not guess else ()
    raise OtherTable(f"{where} has no column {column!r}{what}. Its columns are: {listed(names)}.{hint}", *last)


def places_of(names: Sequence[str]) -> dict[str, int]:
    """Return the place of each name, the first one if there are several."""
    return {name: k for k, name in reversed([*enumerate(names)])}


def listed(names: Sequence[str]) -> str:
    """List names, not too many; the last one, which may well be the label, is always among them.

    >>> print(listed([f"c{k}" for k in range(1, 62)]))
    'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9', 'c10', 'c11', …, 'c61' (61 in all)
    """
    if len(names) <= MAX_NAMES:
        return ", ".join(map(brief, names))
    return f"{', '.join(map(brief, names[: MAX_NAMES - 1]))}, …, {brief(names[-1])} ({len(names):,} in all)"
