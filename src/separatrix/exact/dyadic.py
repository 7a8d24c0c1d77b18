"""Exact arithmetic on float64 numbers, which are dyadic rationals: integers times powers of two."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..compiled.environment import flushes_subnormals, refuse_flushing

_LEAST_SAFE_EXPONENT = -700
"""Exponent from which up the parts of an entry, and what they do not hold of it, stay far from the subnormal numbers."""

_MAGNITUDE = np.uint64(0x7FFFFFFFFFFFFFFF)
"""All bits of a float64 but its sign."""


def mantissas_and_exponents(values: Floats) -> tuple[list[int], list[int]]:
    """Write each float as an integer of at most 53 bits times a power of two; Python's integers are what they are.

    >>> mantissas_and_exponents(np.array([0.75, -2.0]))
    ([6755399441055744, -4503599627370496], [-53, -51])
    """
    if values.dtype == object:
        return values.tolist(), [0] * len(values)
    if not np.isfinite(values).all():
        raise ValueError(
            "There is NaN or infinity where every number was finite when it was read. Has another thread changed the rows "
            "or the weights since?"
        )
    fractions, exponents = np.frexp(values)
    return (fractions * 2.0**53).astype(np.int64).tolist(), (exponents.astype(np.int64) - 53).tolist()


class Dyadic:
    """A vector of dyadic rationals: ``integers[j] * 2**exponent``, exact whatever their size.

    A vector that comes out of a run is given as an unevaluated sum of float64 vectors, ``parts``, times
    ``2**shift``; the integers are made when somebody asks for them.
    """

    def __init__(self, integers: Sequence[int], exponent: int) -> None:
        self._integers: list[int] | None = list(integers)
        self._exponent = exponent
        self._parts: Floats | None = None
        self._shift = 0

    @classmethod
    def from_parts(cls, parts: Floats, shift: int = 0) -> Dyadic:
        """Return the exact sum of the rows of ``parts``, times ``2**shift``.

        Any floats will do. But `zeros` and ``bool`` look at the parts alone: what they call 0 is 0, while a 0 that comes of
        parts that cancel, as none that kernels make do, they miss.
        """
        vector = cls((), 0)
        vector._integers = None
        vector._parts = np.atleast_2d(np.asarray(parts, dtype=np.float64))
        vector._shift = shift
        return vector

    @classmethod
    def joined(cls, vectors: Sequence[Dyadic]) -> Dyadic:
        """Lay vectors end to end."""
        least = min(vector.exponent for vector in vectors)
        return cls([number << (vector.exponent - least) for vector in vectors for number in vector.integers], least)

    @classmethod
    def from_fraction(cls, number: Fraction) -> Dyadic:
        """Return a vector of one entry, a fraction whose denominator is a power of two.

        >>> Dyadic.from_fraction(Fraction(-3, 4))
        Dyadic(['-3/4'])
        """
        return cls([number.numerator], 1 - number.denominator.bit_length())

    @property
    def integers(self) -> list[int]:
        """The entries in units of ``2**exponent``."""
        if self._integers is None:
            assert self._parts is not None
            split = [mantissas_and_exponents(part) for part in self._parts]
            least = min((e for ms, es in split for m, e in zip(ms, es, strict=True) if m), default=0)
            totals = [0] * self._parts.shape[1]
            for ms, es in split:
                for j, (m, e) in enumerate(zip(ms, es, strict=True)):
                    if m:
                        totals[j] += m << (e - least)
            self._integers = totals
            self._exponent = least + self._shift
        return self._integers

    @property
    def exponent(self) -> int:
        """The exponent of the unit in which the integers count."""
        _ = self.integers
        return self._exponent

    @property
    def numerators(self) -> Dyadic:
        """The vector itself: it is a `Quotient` by 1."""
        return self

    @property
    def divisor(self) -> int:
        """See `numerators`."""
        return 1

    def part(self, start: int, stop: int) -> Dyadic:
        """Return some of the entries."""
        if self._integers is None:
            assert self._parts is not None
            return Dyadic.from_parts(np.ascontiguousarray(self._parts[:, start:stop]), self._shift)
        return Dyadic(self._integers[start:stop], self._exponent)

    def __len__(self) -> int:
        return len(self._integers) if self._integers is not None else self._parts.shape[1]  # type: ignore[union-attr]

    def __bool__(self) -> bool:
        """Whether any entry differs from 0."""
        return any(self._integers) if self._integers is not None else bool(np.any(self._parts))

    def zeros(self) -> NDArray[np.bool_]:
        """Tell which entries are 0."""
        if self._parts is not None:
            return ~np.any(self._parts, axis=0)
        return np.array([number == 0 for number in self.integers])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Quotient):
            return other == self
        if not isinstance(other, Dyadic) or len(self) != len(other):
            return False
        here, there = max(0, self.exponent - other.exponent), max(0, other.exponent - self.exponent)
        return all(a << here == b << there for a, b in zip(self.integers, other.integers, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Dyadic({self.strings()!r})"

    def fractions(self) -> list[Fraction]:
        """Return the entries as fractions."""
        return self.fractions_at(range(len(self)))

    def fractions_at(self, columns: Sequence[int]) -> list[Fraction]:
        """Return some of the entries as fractions."""
        integers, power = self.integers, Fraction(2) ** self.exponent
        return [integers[j] * power for j in columns]

    def strings(self) -> list[str]:
        """Write the entries as ``"p"`` or ``"p/q"`` in lowest terms."""
        return [str(number) for number in self.fractions()]

    def times(self, factor: float | int) -> Dyadic:
        """Multiply exactly by a float64, or by an integer of any size."""
        if factor == 1:
            return self
        p, q = factor.as_integer_ratio()
        return Dyadic([number * p for number in self.integers], self.exponent - (q.bit_length() - 1))

    def times_fraction(self, factor: Fraction) -> Dyadic | Quotient:
        """Multiply exactly by any rational number.

        >>> Dyadic([1, 2], 0).times_fraction(Fraction(3, 4)), Dyadic([1, 2], 0).times_fraction(Fraction(1, 10))
        (Dyadic(['3/4', '3/2']), Quotient(['1/10', '1/5']))
        """
        p, q = factor.numerator, factor.denominator
        twos = (q & -q).bit_length() - 1
        vector = self.times(p).times_power(-twos)
        return vector if q >> twos == 1 else Quotient(vector, q >> twos)

    def plus(self, other: Dyadic, multiple: int = 1) -> Dyadic:
        """Add a whole multiple of another vector."""
        least = min(self.exponent, other.exponent)
        here, there = self.exponent - least, other.exponent - least
        pairs = zip(self.integers, other.integers, strict=True)
        return Dyadic([(a << here) + (b * multiple << there) for a, b in pairs], least)

    def dot(self, other: Dyadic) -> Fraction:
        """Return the exact dot product with another vector."""
        pairs = zip(self.integers, other.integers, strict=True)
        return sum(a * b for a, b in pairs) * Fraction(2) ** (self.exponent + other.exponent)

    def times_powers(self, exponents: Iterable[int]) -> Dyadic:
        """Multiply each entry by a power of two of its own, given by its exponent, exactly.

        >>> Dyadic([3, 5], 0).times_powers([1, -1])
        Dyadic(['6', '5/2'])
        """
        powers = [int(e) for e in exponents]
        least = min(powers, default=0)
        integers = [number << (e - least) for number, e in zip(self.integers, powers, strict=True)]
        return Dyadic(integers, self.exponent + least)

    def shortened(self, bits: int) -> Dyadic:
        """Round all entries down to multiples of one power of two, so that the longest has so many bits.

        >>> Dyadic([13, -3], 0).shortened(2)
        Dyadic(['12', '-4'])
        """
        spare = max((abs(number).bit_length() for number in self.integers), default=0) - bits
        return self if spare <= 0 else Dyadic([number >> spare for number in self.integers], self.exponent + spare)

    def times_power(self, k: int) -> Dyadic:
        """Multiply exactly by ``2**k``."""
        if self._parts is not None:
            return Dyadic.from_parts(self._parts, self._shift + k)
        return Dyadic(self.integers, self.exponent + k)

    def round(self) -> Floats:
        """Round each entry to the nearest float64, ties to even.

        Raises
        ------
        OverflowError
            If an entry is too large for a float64.
        """
        quick = self._quick_round()
        if quick is not None:
            return quick
        e = self.exponent
        if e >= 0:
            return np.array([float(number << e) for number in self.integers])
        rounded = np.array([number / (1 << -e) for number in self.integers])
        if np.any((rounded == 0.0) & ~self.zeros()):
            refuse_flushing("the results are")
        return rounded

    def _quick_round(self) -> Floats | None:
        """Round without integers where the first part is the rounded sum and scaling it keeps all its bits."""
        if self._parts is None:
            return None
        first, rest = self._parts[0], self._parts[1:]
        if rest.shape[0] > 1 and np.any(rest[1:]):
            return None
        if rest.shape[0] and np.any(first + rest[0] != first):
            return None
        with np.errstate(over="ignore", under="ignore"):
            scaled: Floats = np.ldexp(first, self._shift)
        if np.any(np.isinf(scaled)) or np.any((np.abs(scaled) < 2.0**-1021) & (first != 0.0)):
            return None
        return scaled

    def holds(self, rounded: Floats) -> bool:
        """Whether the vector is nothing but these floats."""
        if self._parts is not None and self._shift == 0 and not np.any(self._parts[1:]):
            return bool(np.array_equal(self._parts[0], rounded))
        return self._parts is None and Dyadic.from_parts(rounded) == self

    def magnitude(self) -> int:
        """Return an e for which all entries are below ``2**e``; 0 if all are zero.

        It is the smallest such e if the vector is given in integers. If it is given in parts, whose sum may be smaller than
        they are, it may be larger; it is found once, so that it stays what it is when the integers are made.
        """
        if self._magnitude is None:
            self._magnitude = self._find_magnitude()
        return self._magnitude

    _magnitude: int | None = None

    def _find_magnitude(self) -> int:
        if self._parts is not None and self._integers is None:
            with np.errstate(over="ignore"):
                largest = float(np.abs(self._parts).sum(axis=0).max(initial=0.0))
            if largest < np.inf:
                return int(np.frexp(largest)[1]) + 1 + self._shift if largest else 0
        bits = max((abs(number).bit_length() for number in self.integers), default=0)
        return bits + self.exponent if bits else 0

    def split(self, parts: int, shift: int) -> tuple[Floats, Floats]:
        """Write the vector times ``2**shift`` as a sum of so many float64 vectors.

        Returns the parts and, for each entry, an upper bound of what they do not hold. Each part is the sum of itself and
        those that follow, rounded. The scaled entries must be below ``2**1000``.
        """
        if flushes_subnormals() and self._reaches_below(_LEAST_SAFE_EXPONENT - shift):
            refuse_flushing("the weights are")
        result = np.zeros((parts, len(self)))
        loss = np.zeros(len(self))
        if self._parts is not None and self._parts.shape[0] <= parts and self._are_rounded_sums():
            some = self._parts.shape[0]
            with np.errstate(over="ignore", under="ignore"):
                result[:some] = np.ldexp(self._parts, self._shift + shift)
                if np.array_equal(np.ldexp(result[:some], -self._shift - shift), self._parts):
                    return result, loss
            result[:] = 0.0
        e = self.exponent + shift
        if e > -900 and all(-(2**53) <= number <= 2**53 for number in self.integers):
            result[0] = np.ldexp(np.array(self.integers, dtype=np.float64), e)
            return result, loss
        if e > -900 and all(number.bit_length() <= 1000 for number in self.integers):
            rests = self.integers
            for part in range(parts):
                rounded = [float(rest) for rest in rests]
                rests = [rest - int(taken) for rest, taken in zip(rests, rounded, strict=True)]
                result[part] = np.ldexp(rounded, e)
            lost = np.ldexp([float(abs(rest)) for rest in rests], e)
            return result, np.where(lost > 0.0, lost * (1 + 2.0**-50) + 2.0**-1022, 0.0)
        for j, number in enumerate(self.integers):
            rest = Fraction(number) * Fraction(2) ** e
            for part in range(parts):
                if not rest:
                    break
                result[part, j] = rest.numerator / rest.denominator
                rest -= Fraction(result[part, j])
            if rest:
                loss[j] = float(abs(rest)) * (1 + 2.0**-50) + 2.0**-1022
        return result, loss

    def _are_rounded_sums(self) -> bool:
        """Whether no part changes the one before it, and there is none after a zero: as kernels leave them, and trust in."""
        assert self._parts is not None
        pairs = list(pairwise(self._parts))
        return all(np.array_equal(a + b, a) and not b[a == 0.0].any() for a, b in pairs)

    def _reaches_below(self, least: int) -> bool:
        """Whether an entry other than 0 has a part, or is itself, below ``2**least``; told without arithmetic on floats."""
        if self._parts is not None:
            exponents = ((self._parts.view(np.uint64) & _MAGNITUDE) >> np.uint64(52)).astype(np.int64)
            some = self._parts.view(np.uint64) & _MAGNITUDE != 0
            return bool(np.any(some & (exponents - 1023 + self._shift < least)))
        return any(number and abs(number).bit_length() + self._exponent <= least for number in self.integers)


class Quotient:
    """A vector of rationals: dyadic ones over one positive whole number."""

    def __init__(self, numerators: Dyadic, divisor: int) -> None:
        self.numerators = numerators
        self.divisor = divisor

    @classmethod
    def joined(cls, vectors: Sequence[Dyadic | Quotient]) -> Dyadic | Quotient:
        """Lay vectors end to end.

        >>> Quotient.joined([Quotient(Dyadic([1], 0), 3), Dyadic([1], -1)])
        Quotient(['1/3', '1/2'])
        """
        common = math.lcm(*(vector.divisor for vector in vectors))
        whole = Dyadic.joined([vector.numerators.times(common // vector.divisor) for vector in vectors])
        return whole if common == 1 else cls(whole, common)

    @classmethod
    def sum_of(cls, first: Dyadic | Quotient, second: Dyadic | Quotient) -> Dyadic | Quotient:
        """Add two vectors.

        >>> Quotient.sum_of(Quotient(Dyadic([1], 0), 3), Dyadic([1], -1))
        Quotient(['5/6'])
        """
        common = math.lcm(first.divisor, second.divisor)
        here, there = (each.numerators.times(common // each.divisor) for each in (first, second))
        return here.plus(there).times_fraction(Fraction(1, common))

    def part(self, start: int, stop: int) -> Quotient:
        """Return some of the entries."""
        return Quotient(self.numerators.part(start, stop), self.divisor)

    def times_fraction(self, factor: Fraction) -> Dyadic | Quotient:
        """Multiply exactly by any rational number."""
        return self.numerators.times_fraction(factor / self.divisor)

    def __len__(self) -> int:
        return len(self.numerators)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quotient | Dyadic) and self.fractions() == other.fractions()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Quotient({self.strings()!r})"

    def fractions(self) -> list[Fraction]:
        """Return the entries as fractions."""
        return [number / self.divisor for number in self.numerators.fractions()]

    def strings(self) -> list[str]:
        """Write the entries as ``"p"`` or ``"p/q"`` in lowest terms."""
        return [str(number) for number in self.fractions()]

    def round(self) -> Floats:
        """Round each entry to the nearest float64, ties to even, as `Dyadic.round` does.

        >>> Quotient(Dyadic([1, -2], 0), 3).round()
        array([ 0.33333333, -0.66666667])
        """
        e = self.numerators.exponent
        up, divisor = max(0, e), self.divisor << max(0, -e)
        return np.array([(number << up) / divisor for number in self.numerators.integers])
