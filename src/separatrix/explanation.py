"""Proofs written out for a person: as plain text, Markdown or LaTeX.

An explanation is a list of blocks, paragraphs and tables and displayed formulas, built once and rendered by a `Style`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import TypeAlias

import numpy as np

from .certificate import Certificate, Claim, Obstruction, Separator
from .columns import LibsvmTable
from .exact import product
from .lifted import Lifted
from .names import latex, markdown, quoted, shown, tamed
from .problem import Others, Problem

_MOST_ROWS = 12
"""Rows of a witness that are written out; a longer one is for machines."""
_MOST_WITNESSES = 60
"""Rows of a witness whose values are shown."""
_MOST_COLUMNS = 8
"""Features that a formula shows before it is cut short."""
_MOST_SOURCES = 16
"""Columns of the user's table that are shown of a witness."""
_SHORT = 10**6
"""Multipliers below this are written as they are,"""
_WHOLE = 10**20
"""and other whole numbers below this."""
_CLOSE = Fraction(1, 2**50)
"""Distances below this, over the largest number of the rows, are of the size of rounding."""
_NOTHING_WEAK = (
    "Nor is there a weak separator: the certificate gives every row a positive multiplier so that all signed rows add up to "
    "zero. A hyperplane with no row on its wrong side would therefore have all of them on itself."
)
_CANDIDATES = 50
"""Rows whose distance from a hyperplane is computed exactly."""
_CLOSEST = 3
"""How many of the rows nearest to a hyperplane are shown."""


@dataclass(frozen=True)
class Formulas:
    """Formulas below each other."""

    lines: list[str]


@dataclass(frozen=True)
class Grid:
    """A small table."""

    header: list[str]
    rows: list[list[str]]


Block: TypeAlias = str | Formulas | Grid


class Style:
    """Plain text; the other styles differ in what they override."""

    greater, times, plus, minus, more, score = ">", "*", "+", "-", "…", "score"

    def name(self, text: str) -> str:
        """Return a feature's name as formulas have it."""
        return text if text.isidentifier() else f"[{text}]"

    def weight(self, j: int, name: str) -> str:
        """Return the unknown weight of a feature."""
        return f"w[{name}]"

    def row(self, i: int) -> str:
        """Return a row as formulas have it."""
        return f"(row {i})"

    def number(self, number: float | Fraction | int) -> str:
        """Return a number, exactly if that is short."""
        return number_text(number)

    def sentence(self, text: str) -> str:
        """Write a paragraph, or a cell of a table: a text on one line."""
        return tamed(text)

    def render(self, blocks: Sequence[Block]) -> str:
        """Write the blocks."""
        return "\n\n".join(self._block(block) for block in blocks) + "\n"

    def _block(self, block: Block) -> str:
        if isinstance(block, Formulas):
            return "\n".join(f"    {line}" for line in block.lines)
        if isinstance(block, Grid):
            header, *rows = [[self.sentence(cell) for cell in line] for line in (block.header, *block.rows)]
            widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
            lines = [header, ["-" * width for width in widths], *rows]
            pairs = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
            return "\n".join(f"    {line}".rstrip() for line in pairs)
        return self.sentence(block)


class Markdown(Style):
    """Markdown, with formulas as code."""

    def sentence(self, text: str) -> str:
        """Write a text so that nothing in it is markup."""
        return markdown(tamed(text))

    def _block(self, block: Block) -> str:
        if isinstance(block, Formulas):
            return "\n".join(["```text", *block.lines, "```"])
        if isinstance(block, Grid):
            header, *rows = [[self.sentence(cell) for cell in line] for line in (block.header, *block.rows)]
            return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---:"] * len(header), *rows))
        return self.sentence(block)


class Latex(Style):
    """LaTeX, for a document that loads amsmath."""

    greater, times, plus, minus, more, score = ">", r"\cdot ", "+", "-", r"\dots", r"\text{score}"

    def name(self, text: str) -> str:
        """Return a feature's name as formulas have it."""
        return rf"\text{{{latex(text)}}}"

    def weight(self, j: int, name: str) -> str:
        """Return the unknown weight of a feature."""
        return f"w_{{{self.name(name)}}}"

    def row(self, i: int) -> str:
        """Return a row as formulas have it."""
        return rf"x_{{{i}}}"

    def sentence(self, text: str) -> str:
        """Write a text so that nothing in it is a command."""
        return latex(tamed(text))

    def number(self, number: float | Fraction | int) -> str:
        """Return a number, with powers of ten as such."""
        text = number_text(number)
        if "e" in text:
            mantissa, _, exponent = text.partition("e")
            return rf"{mantissa}\cdot 10^{{{int(exponent)}}}"
        return text

    def _block(self, block: Block) -> str:
        if isinstance(block, Formulas):
            return "\\begin{align*}\n" + " \\\\\n".join(f"& {line}" for line in block.lines) + "\n\\end{align*}"
        if isinstance(block, Grid):
            lines = [" & ".join(map(self.sentence, line)) + r" \\" for line in (block.header, *block.rows)]
            lines[0] += r" \hline"
            return "\n".join([rf"\begin{{tabular}}{{{'r' * len(block.header)}}}", *lines, r"\end{tabular}"])
        return self.sentence(block)


STYLES = {"text": Style, "markdown": Markdown, "latex": Latex}


def number_text(number: float | Fraction | int) -> str:
    """Write a number: exactly if it is a float64, or short, else by its first digits.

    >>> number_text(0.1), number_text(Fraction(2)), number_text(Fraction(1, 3)), number_text(3**200)
    ('0.1', '2', '1/3', '2.65614e95')
    """
    exact = Fraction(number)
    if max(abs(exact.numerator), exact.denominator) < 10**9 and exact.denominator & (exact.denominator - 1):
        return str(exact)
    if exact.denominator == 1 and abs(exact) < _WHOLE:
        return str(exact)
    if Fraction(1, 2**1074) <= abs(exact) < 2**1023 and Fraction(float(exact)) == exact:
        return repr(float(exact)).removesuffix(".0")
    return _scientific(exact)


def _scientific(number: Fraction, digits: int = 6) -> str:
    """Write so many digits of a rational of any size.

    >>> _scientific(Fraction(2, 3)), _scientific(Fraction(10) ** 40 - 1), _scientific(Fraction(1, 3 * 10**9), 3)
    ('0.666667', '1e40', '3.33e-10')
    """
    if not number:
        return "0"
    sign, number = ("-", -number) if number < 0 else ("", number)
    shift = (number.numerator.bit_length() - number.denominator.bit_length()) * 30103 // 100000
    scaled = number / Fraction(10) ** shift
    while scaled >= 10:
        scaled, shift = scaled / 10, shift + 1
    while scaled < 1:
        scaled, shift = scaled * 10, shift - 1
    whole = round(scaled * 10 ** (digits - 1))
    if whole == 10**digits:
        whole, shift = whole // 10, shift + 1
    if -5 <= shift < digits:
        text = f"{whole / 10 ** (digits - 1) * 10.0**shift:.{digits - 1 - shift}f}"
        return sign + (text.rstrip("0").rstrip(".") if "." in text else text)
    mantissa = f"{whole / 10 ** (digits - 1):.{digits - 1}f}".rstrip("0").rstrip(".")
    return f"{sign}{mantissa}e{shift}"


def explained(problem: Problem, certificate: Certificate | None, message: str, format: str) -> str:  # noqa: A002
    """Explain a verdict."""
    if format not in STYLES:
        raise ValueError(f"format={format!r} is not known. Choose one of: {', '.join(map(repr, STYLES))}.")
    style = STYLES[format]()
    if certificate is None:
        return style.render([message])
    blocks: list[Block] = [_headline(problem, certificate)]
    if certificate.claim == Claim.SEPARABLE:
        assert certificate.separator is not None
        blocks += _separation(problem, certificate.separator, style)
        return style.render(blocks)
    if certificate.separator is not None:
        blocks += _weak_separation(problem, certificate.separator, style)
    if certificate.obstruction is not None:
        opening = "Why not all rows: " if certificate.separator is not None else ""
        blocks += _contradiction(problem, certificate.obstruction, style, opening)
    if certificate.claim == Claim.OVERLAPPING:
        blocks.append(_NOTHING_WEAK)
    if certificate.claim == Claim.NOT_SEPARABLE:
        blocks.append(message)
    return style.render(blocks)


def _headline(problem: Problem, certificate: Certificate) -> str:
    n = f"{problem.n:,} row{'s' if problem.n != 1 else ''}"
    two = len(problem.classes) > 1
    sides = f"{_class(problem, 1)} against {_class(problem, -1)}" if two else f"all of one class, {_class(problem, 1)}"
    claims = {
        Claim.SEPARABLE: "The classes are separable: a hyperplane has every row strictly on its correct side.",
        Claim.NOT_SEPARABLE: "The classes are not separable: no hyperplane has every row strictly on its correct side.",
        Claim.QUASI_SEPARABLE: (
            "The classes are quasi-separable: no hyperplane has every row strictly on its correct side, but one has some "
            "rows there and the others on itself."
        ),
        Claim.OVERLAPPING: "The classes overlap: no hyperplane separates them, not even weakly.",
    }
    features = f"{problem.d:,} feature{'s' if problem.d != 1 else ''}"
    return f"{n}, {features}, {sides}. {claims[certificate.claim]}"


def _class(problem: Problem, label: int) -> str:
    name = problem.classes[-1] if label > 0 else problem.classes[0]
    return quoted(name) if isinstance(name, str) and not isinstance(name, Others) else shown(name)


def _counted_from(problem: Problem) -> str:
    return "counted from 0" if problem.kept is None else "counted from 0 among the rows that are not left out"


def _names(problem: Problem) -> list[str]:
    if problem.names is not None:
        return [shown(name) for name in problem.names]
    first = problem.table.base if isinstance(problem.table, LibsvmTable) else 0  # as the file counts them
    return [f"x{first + j}" for j in range(problem.d)]


def _sum(terms: list[tuple[Fraction, str]], style: Style, unit: str = "") -> str:
    """Write a linear combination, without what is 0, cut short if it is long."""
    there = [(number, name) for number, name in terms if number]
    cut = len(there) > _MOST_COLUMNS + 1
    pieces: list[str] = []
    for number, name in there[:_MOST_COLUMNS] if cut else there:
        size = style.number(abs(number))
        body = size if not name else name if size == "1" else f"{size}{style.times}{name}"
        sign = style.minus if number < 0 else style.plus
        pieces.append(f" {sign} {body}" if pieces else (f"{sign}{body}" if number < 0 else body))
    return "".join(pieces) + (f" {style.plus} {style.more}" if cut else "") or "0"


def _score(problem: Problem, separator: Separator, style: Style) -> str:
    """Write the score of a separator; of many terms only the first are looked at, as the others are not shown."""
    there = ((weight, name) for weight, name in zip(separator.weights, _names(problem), strict=True) if weight)
    terms = [(weight, style.name(name)) for weight, name in islice(there, _MOST_COLUMNS + 2)]
    return _sum([*terms, (separator.intercept, "")], style)


def _separation(problem: Problem, separator: Separator, style: Style) -> list[Block]:
    score = _score(problem, separator, style)
    hint = _hint(separator)
    blocks: list[Block] = [
        f"This score is positive for every row of class {_class(problem, 1)}"
        + (f" and negative for every row of class {_class(problem, -1)}" if len(problem.classes) > 1 else "")
        + (f" ({hint}):" if hint else ":"),
        Formulas([f"{style.score} = {score}"]),
    ]
    closest = _closest(problem, separator)
    if closest:
        blocks.append(
            f"The rows nearest to this hyperplane ({_counted_from(problem)}), with their distances: "
            + "; ".join(f"row {i} ({_class(problem, int(problem.y[i]))}) at {_scientific(far, 4)}" for far, i in closest)
            + ". It is one separating hyperplane of many, not the one with the widest margin."
        )
        if closest[0][0] < _CLOSE * Fraction(problem.measures.largest):
            blocks.append(
                "That is as little as rounding decimals to float64 may move them: the verdict is about the float64 numbers, "
                "and may differ from what the decimals they were read from would give."
            )
    return blocks


def _closest(problem: Problem, separator: Separator) -> list[tuple[Fraction, int]]:
    """Return the rows nearest to a hyperplane with their distances; scores are exact, only the length is rounded."""
    exact = separator.exact(True)
    largest = max(map(abs, exact.integers))
    rounded = np.array([number / largest for number in exact.integers]) if largest else np.zeros(problem.d + 1)
    length = float(np.linalg.norm(rounded[: problem.d]))
    if not length:
        return []
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.abs(problem.X @ rounded[: problem.d] + rounded[problem.d])
    scores[np.isnan(scores)] = 0.0
    distances = []
    for i in np.argsort(scores, kind="stable")[:_CANDIDATES].tolist():
        columns, values = problem.row(i)
        score, exponent = product(exact, columns, values)
        distances.append((abs(score) * Fraction(2) ** exponent / largest / Fraction(length), i))
    return sorted(distances)[:_CLOSEST]


def _hint(separator: Separator) -> str:
    """Say what of a separator is not written out."""
    numbers = [*separator.weights, separator.intercept]
    if sum(map(bool, separator.weights)) > _MOST_COLUMNS + 1:
        return "the certificate has all its terms"
    return "rounded here; the certificate has it exactly" if max(map(abs, numbers)) >= _WHOLE else ""


def _weak_separation(problem: Problem, separator: Separator, style: Style) -> list[Block]:
    score, hint = _score(problem, separator, style), _hint(separator)
    separated = np.flatnonzero(Lifted.of(problem).signs(separator.exact(problem.intercept)) > 0).tolist()
    others = problem.n - len(separated)
    return [
        f"This score is never negative for a row of class {_class(problem, 1)}, "
        + (f"never positive for one of class {_class(problem, -1)}, " if len(problem.classes) > 1 else "")
        + "and 0 for exactly those rows that cannot be strictly separated, as the certificate proves"
        + (f" ({hint}):" if hint else ":"),
        Formulas([f"{style.score} = {score}"]),
        f"It separates {len(separated):,} row{'s' if len(separated) > 1 else ''} strictly ({_listed(separated)}, "
        f"{_counted_from(problem)}); the other {others:,} {'lie' if others > 1 else 'lies'} on the hyperplane.",
    ]


def _contradiction(problem: Problem, obstruction: Obstruction, style: Style, opening: str) -> list[Block]:
    """Write the witness, its inequalities and the sum that reads 0 > 0."""
    names, k = _names(problem), len(obstruction.rows)
    blocks: list[Block] = [f"{opening}{_shape(problem, obstruction)}"]
    used = [j for j in range(problem.d) if any(point[j] for point in obstruction.points)]
    own = _own_columns(problem, used)
    wide = _MOST_SOURCES if problem.columns is not None else _MOST_COLUMNS
    header = ["row", "class", *list(own)[:wide], *(["…"] if len(own) > wide else []), "multiplier"]
    short = max(obstruction.multipliers) < _SHORT
    multipliers = obstruction.multipliers if short else _shares(obstruction)
    rows = []
    for i, label, point, multiplier in zip(
        obstruction.rows, obstruction.labels, obstruction.points, multipliers, strict=True
    ):
        values = [_own_value(problem, point, columns) for columns in list(own.values())[:wide]]
        more = ["…"] if len(own) > wide else []
        rows.append([str(i), _class(problem, label), *values, *more, number_text(multiplier)])
    if k <= _MOST_WITNESSES:
        blocks.append(Grid(header, rows))
    if k > _MOST_ROWS:
        blocks.append(
            f"The multipliers of these {k} rows are in the certificate: multiplied by them and added up, the inequalities "
            "that a separating hyperplane would have to satisfy read 0 > 0."
        )
        return blocks
    if not short:
        blocks.append("(The multipliers are rounded here, and scaled; the certificate has them exactly.)")
    lines = []
    for label, point, multiplier in zip(obstruction.labels, obstruction.points, multipliers, strict=True):
        terms = [(label * point[j], style.weight(j, names[j])) for j in used]
        if problem.intercept:
            terms.append((Fraction(label), "b"))
        lines.append(f"{style.number(multiplier)} {style.times.strip()} ({_sum(terms, style)}) {style.greater} 0")
    blocks.append(
        "A hyperplane with weights w"
        + (" and intercept b" if problem.intercept else "")
        + " that separated them would satisfy, each inequality times its multiplier:"
    )
    blocks.append(Formulas(lines))
    blocks.append("Added up, everything on the left cancels:")
    blocks.append(Formulas([f"0 {style.greater} 0"]))
    return blocks


def _own_columns(problem: Problem, used: list[int]) -> dict[str, list[int]]:
    """Return the columns to show, as the user's table has them: all categories of a source are one."""
    if problem.columns is None:
        names = _names(problem)
        return {names[j]: [j] for j in used or [0]}
    sources = {problem.columns[j].source for j in used or [0]}
    chosen: dict[str, list[int]] = {}
    for j, column in enumerate(problem.columns):
        if column.source in sources:
            chosen.setdefault(shown(column.source), []).append(j)
    return chosen


def _own_value(problem: Problem, point: Sequence[Fraction], columns: list[int]) -> str:
    """Return what the user's table has in a column: a number, a category, or nothing."""
    described = problem.columns
    if described is None:
        return number_text(point[columns[0]])
    if any(described[j].gap and point[j] for j in columns):
        return "(missing)"
    for j in columns:
        category = described[j].category
        if category is None and not described[j].gap:
            return number_text(point[j])
        if category is not None and point[j]:
            return shown(category)
    return "(other)"


def _shares(obstruction: Obstruction) -> tuple[Fraction, ...]:
    """Return the multipliers as shares of their sum over one class: the weights of the means."""
    total = sum(m for m, label in zip(obstruction.multipliers, obstruction.labels, strict=True) if label > 0)
    total = total or sum(obstruction.multipliers)
    return tuple(m / total for m in obstruction.multipliers)


def _shape(problem: Problem, obstruction: Obstruction) -> str:
    """Say in words what the witness looks like."""
    rows, labels = obstruction.rows, obstruction.labels
    sides = {label: [i for i, each in zip(rows, labels, strict=True) if each == label] for label in (1, -1)}
    counts = sorted(map(len, sides.values()))
    if not problem.intercept:
        if len(rows) == 1:
            return f"Row {rows[0]} is all zeros: without an intercept every hyperplane passes through it."
        return (
            f"Without an intercept the hyperplane passes through the origin. Rows {_listed(rows)}, those of class "
            f"{_class(problem, -1)} reflected in it, have the origin in their hull."
        )
    if counts == [1, 1]:
        return (
            f"Rows {rows[0]} and {rows[1]} contradict each other: they are equal, but one is {_class(problem, labels[0])} "
            f"and the other {_class(problem, labels[1])}."
        )
    lone = 1 if len(sides[1]) == counts[0] else -1
    others = sides[-lone]
    where = _point(problem, obstruction)
    if counts == [1, 2]:
        return (
            f"Three collinear points: row {sides[lone][0]} ({_class(problem, lone)}) lies on the segment between rows "
            f"{others[0]} and {others[1]} ({_class(problem, -lone)})."
        )
    if counts == [2, 2]:
        return (
            f"The XOR pattern: the segment between rows {sides[1][0]} and {sides[1][1]} ({_class(problem, 1)}) crosses that "
            f"between rows {sides[-1][0]} and {sides[-1][1]} ({_class(problem, -1)}){where}."
        )
    if counts[0] == 1:
        return (
            f"Row {sides[lone][0]} ({_class(problem, lone)}) is a weighted mean of rows {_listed(others)} "
            f"({_class(problem, -lone)}): it lies in their convex hull, a common point of both hulls{where}."
        )
    return (
        f"The convex hulls of the two classes have a common point{where}: a weighted mean of rows "
        f"{_listed(sides[1])} ({_class(problem, 1)}), and also of rows {_listed(sides[-1])} ({_class(problem, -1)})."
    )


def _point(problem: Problem, obstruction: Obstruction) -> str:
    """Return the common point of both hulls, where it can be shown."""
    if problem.d > _MOST_COLUMNS:
        return ""
    positive = [
        (point, multiplier)
        for label, point, multiplier in zip(obstruction.labels, obstruction.points, obstruction.multipliers, strict=True)
        if label > 0
    ]
    total = sum(multiplier for _, multiplier in positive)
    means = [sum(point[j] * multiplier for point, multiplier in positive) / total for j in range(problem.d)]
    return f" at ({', '.join(number_text(mean) for mean in means)})"


def _listed(rows: Sequence[int]) -> str:
    more = len(rows) - _MOST_ROWS
    texts = [str(i) for i in rows[:_MOST_ROWS]] + ([f"{more:,} more"] if more > 0 else [])
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
