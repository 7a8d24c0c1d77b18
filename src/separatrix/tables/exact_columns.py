"""Columns of a table as numerators over one power of ten, where that holds them all; else as float64."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from .._types import Floats, Indices
from ..checker import decimal_in, number_in, number_text
from ..compiled.decimals import MAX_DECIMALS
from ..problem.provenance import NumbersAs, Place
from ..problem.rows import grid
from .cells import Cells, Numbers
from .decimals import LARGEST_NUMERATOR, Decimals, Misfit, required


def as_decimals(
    found: Sequence[Cells], decimals: Decimals | None, numbers: NumbersAs, where: Callable[[int], Place]
) -> tuple[list[Cells], Decimals | None]:
    """Return columns with what their numbers are to be multiplied by, and how they are read; None: as float64.

    Columns of text have the nearest float64 of decimals, or numerators; those of a table are decimals if some are, and then
    the others must be such numbers, too.
    """
    sources = [each for each in found if isinstance(each, Numbers)]
    listed = [each for each in sources if each.numerators is not None]
    long = next((each for each in sources if each.long is not None), None)
    if decimals is None and (numbers == "float64" or not (listed or long)):
        return list(found), None
    if decimals is not None and decimals.misfit is not None:
        return list(found), decimals
    if long is not None and long.long is not None:
        misfit = Misfit(where(long.long), long.name, long.long_text or long.text_of(long.long))
        return list(found), required(numbers, Decimals(misfit=misfit))
    of_text = decimals is not None
    places = max([decimals.places if decimals is not None else 0, *(each.scale for each in listed)])
    if not of_text:  # a float64 has as many decimals as bits behind the point
        for source in (each for each in sources if each.numerators is None):
            bits, row = decimals_of(source)
            if row is not None:
                return list(found), required(numbers, Decimals(misfit=Misfit(where(row), source.name, source.text_of(row))))
            places = max(places, bits)
    columns: list[Cells] = []
    for each in found:
        column: Cells | int = each
        if isinstance(each, Numbers):
            if each.numerators is not None:
                column = scaled(each, each.numerators, places - each.scale)
            elif decimals is not None and decimals.whole:
                column = scaled(each, each.array(), places - (0 if each.is_flag else decimals.places))
            elif of_text:
                column = each._replace(factor=float(10**places))
            else:
                column = scaled(each, each.array(), places)
        if isinstance(column, int):
            assert isinstance(each, Numbers)
            return list(found), required(numbers, Decimals(misfit=Misfit(where(column), each.name, each.text_of(column))))
        columns.append(column)
    return columns, Decimals(places, whole=True)


def decimals_of(source: Numbers) -> tuple[int, int | None]:
    """Return how many decimals float64 need, as many as there are bits behind the point; and the first row of too many.

    Infinite numbers do not count: they are refused later, unless their rows are left out.
    """
    values = source.array() if source.endless is None else np.where(source.endless, 0.0, source.array())
    bits = -grid(values, -MAX_DECIMALS - 1)
    if bits <= MAX_DECIMALS:
        return bits, None
    return bits, int(np.flatnonzero(np.fmod(values, 2.0**-MAX_DECIMALS))[0])


def with_numerators(source: Numbers, texts: Sequence[str], codes: Indices, marks: dict[str, str | None]) -> Numbers:
    """Return numbers that were read as words with what these are as decimals, if they have a common power of ten."""
    meant = {text: decimal_in(number_text(text, marks)) for text in texts if math.isfinite(number_in(text, marks))}
    scale = max(0, *(-power for _, power in meant.values()), 0)
    exact = {text: mantissa * 10 ** min(power + scale, 2 * MAX_DECIMALS) for text, (mantissa, power) in meant.items()}
    long = [text for text, number in exact.items() if abs(number) > LARGEST_NUMERATOR or scale > MAX_DECIMALS]
    if long:
        rows = np.flatnonzero(np.isin(codes, [k for k, text in enumerate(texts) if text in long]))
        return source._replace(long=int(rows[0])) if rows.size else source
    numerators = np.array([float(exact.get(text, 0)) for text in texts] + [0.0])[codes]
    return source._replace(numerators=numerators, scale=scale)


def scaled(source: Numbers, values: Floats, power: int) -> Numbers | int:
    """Multiply whole numbers, or float64 ones, by a power of ten; return the first row for which that is no numerator."""
    gone = np.zeros(values.size, bool) if source.gaps is None else source.gaps
    if source.endless is not None:
        gone = gone | source.endless  # they are refused later, unless their rows are left out
    some = np.where(gone, 0.0, values)
    if power > MAX_DECIMALS:
        wrong = np.flatnonzero(some)
        return int(wrong[0]) if wrong.size else source._replace(values=some)
    ten = float(10**power)
    # The product is exact if it is whole and at most 2**53, and gives back what it was made of.
    product = some * ten
    fits = (np.abs(product) <= LARGEST_NUMERATOR) & (product == np.rint(product)) & _exact(some, power)
    wrong = np.flatnonzero(~fits)
    return int(wrong[0]) if wrong.size else source._replace(values=product)


def _exact(values: Floats, power: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell for which numbers the product with a power of ten is exact in float64."""
    mantissas = (np.frexp(values)[0] * 2.0**53).astype(np.int64)
    lowest = mantissas & -mantissas
    odd = np.abs(mantissas // np.where(lowest == 0, 1, lowest)).astype(np.float64)
    return odd * float(5**power) < LARGEST_NUMERATOR  # odd numbers: what rounds to this is more


def whole(values: Floats | pa.ChunkedArray, factor: float) -> Floats:
    """Return numbers times their factor, rounded to whole numbers if there is one."""
    array = values if isinstance(values, np.ndarray) else values.to_numpy()
    return array if factor == 1.0 else np.rint(array * factor)
