"""Formulas, built from terms once: each has its plain text and its LaTeX, and a style prints the one it needs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from .escaping import latex
from .numbers import number_text


@dataclass(frozen=True)
class Formula:
    """A formula, or a part of one, as plain text and as LaTeX."""

    text: str
    latex: str


Part = str | Formula
"""A part of a formula; a text is the same in LaTeX."""

AT_LEAST = Formula(">=", r"\ge")
AT_MOST = Formula("<=", r"\le")
SCORE = Formula("score", r"\text{score}")
MORE = Formula("…", r"\dots")
TIMES = Formula("*", r"\cdot")

_NUMBERED = re.compile("x([0-9]+)")
"""What features without names are called, and those of many texts."""


def glued(*parts: Part) -> Formula:
    """Put parts one after the other.

    >>> glued("(", indexed("x", "i"), ", 1)")
    Formula(text='(x_i, 1)', latex='(x_{i}, 1)')
    """
    return Formula("".join(map(_text, parts)), "".join(map(_latex, parts)))


def formula(*parts: Part) -> Formula:
    r"""Put parts one after the other, with blanks between them.

    >>> formula(dot("w", indexed("z", "i")), AT_LEAST, "0")
    Formula(text='w.z_i >= 0', latex='w \\cdot z_{i} \\ge 0')
    """
    return joined(" ", parts)


def joined(separator: str, parts: Iterable[Part]) -> Formula:
    """Put parts one after the other, with a separator between them."""
    parts = list(parts)
    return Formula(separator.join(map(_text, parts)), separator.join(map(_latex, parts)))


def indexed(symbol: str, index: object) -> Formula:
    """Return a symbol with an index."""
    return Formula(f"{symbol}_{index}", f"{symbol}_{{{index}}}")


def square_of(part: Part) -> Formula:
    """Return a square."""
    return glued(part, "^2")


def norm(part: Part) -> Formula:
    """Return a length."""
    return Formula(f"||{_text(part)}||", rf"\|{_latex(part)}\|")


def dot(left: Part, right: Part) -> Formula:
    """Return a dot product."""
    return Formula(f"{_text(left)}.{_text(right)}", rf"{_latex(left)} \cdot {_latex(right)}")


def square_root(part: Part) -> Formula:
    """Return a square root."""
    return Formula(f"sqrt({_text(part)})", rf"\sqrt{{{_latex(part)}}}")


def named(name: str) -> Formula:
    """Return what LaTeX has a command for: a Greek letter, or a function such as the cosine."""
    return Formula(name, rf"\{name}")


def digits(text: str) -> Formula:
    r"""Return a number that is written already, with commas between thousands or a power of ten.

    >>> digits("1,250.5").latex, digits("1.5e-07").latex
    ('1{,}250.5', '1.5 \\cdot 10^{-7}')
    """
    grouped = re.sub(r"(?<=\d),(?=\d)", "{,}", text)
    mantissa, _, exponent = grouped.partition("e")
    return Formula(text, rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else grouped)


def number(value: float | Fraction | int) -> Formula:
    """Return a number, exactly if that is short."""
    text = number_text(value)
    mantissa, _, exponent = text.partition("e")
    return Formula(text, rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else text)


def feature(name: str) -> Formula:
    r"""Return a feature by its name; x1 has an index in LaTeX.

    >>> feature("x1").latex, feature("age").latex
    ('x_{1}', '\\text{age}')
    """
    numbered = _NUMBERED.fullmatch(name)
    written = f"x_{{{numbered[1]}}}" if numbered else rf"\text{{{latex(name)}}}"
    return Formula(name if name.isidentifier() else f"[{name}]", written)


def weight(name: str) -> Formula:
    r"""Return the unknown weight of a feature; that of x1 has the same index in LaTeX.

    >>> weight("x1").latex, weight("age").latex
    ('w_{1}', 'w_{\\text{age}}')
    """
    numbered = _NUMBERED.fullmatch(name)
    return Formula(f"w[{name}]", f"w_{{{numbered[1]}}}" if numbered else rf"w_{{\text{{{latex(name)}}}}}")


def linear_combination(terms: Iterable[tuple[Fraction, Part]], most: int) -> Formula:
    """Write a linear combination, without what is 0, cut short if it has more terms than ``most`` and one.

    >>> linear_combination([(Fraction(2), "a"), (Fraction(0), "b"), (Fraction(-1), "c")], 8).text
    '2*a - c'
    """
    there = [(coefficient, part) for coefficient, part in terms if coefficient]
    cut = len(there) > most + 1
    pieces: list[Part] = []
    for coefficient, part in there[:most] if cut else there:
        size = number(abs(coefficient))
        body = size if not part else part if size.text == "1" else glued(size, Formula("*", r"\cdot "), part)
        sign = "-" if coefficient < 0 else "+"
        pieces += [f" {sign} " if pieces else "-" if coefficient < 0 else "", body]
    if cut:
        pieces += [" + ", MORE]
    return glued(*pieces) if pieces else glued("0")


def _text(part: Part) -> str:
    return part if isinstance(part, str) else part.text


def _latex(part: Part) -> str:
    return part if isinstance(part, str) else part.latex
