"""A ledger in words: the quantities, the two inequalities, the squeeze, the conclusion, with the numbers of the run.

Formulas are written once, as in plain text, and between backticks where they stand in a sentence; the styles here print
them as they are, as code, or as LaTeX has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..problem.ties import zero_always_errs
from ..proof.claims import Obstruction
from ..support.blocks import Block, Formulas, Grid, Latex, Markdown, Style
from ..support.numbers import number_text

if TYPE_CHECKING:
    from .ledger import Ledger


_LINES = 9
"""Mistakes shown in the table, the first and the last among them."""

_MOST_ROWS = 12
"""Rows of an obstruction that are listed."""


def lecture(ledger: Ledger, format: str) -> str:  # noqa: A002
    """Explain an audit."""
    blocks: list[Block] = [_opening(ledger)]
    if ledger.margin is None:
        blocks += _without_margin(ledger)
    else:
        blocks += _adjustment(ledger)
        blocks += _quantities(ledger)
        blocks += _inequalities(ledger)
        blocks += _squeeze(ledger)
    blocks += _verdict(ledger)
    return written(blocks, format)


def written(blocks: Sequence[Block], format: str) -> str:  # noqa: A002
    """Write blocks whose formulas are marked."""
    if format not in _STYLES:
        raise ValueError(f"format={format!r} is not known. Choose one of: {', '.join(map(repr, _STYLES))}.")
    return _STYLES[format]().render(blocks)


class _Text(Style):
    def sentence(self, text: str) -> str:
        return super().sentence(text.replace("`", ""))


class _Markdown(Markdown):
    bar = "|"

    def sentence(self, text: str) -> str:
        said = super().sentence
        parts = text.split("`")
        return "".join(f"`{part.replace('|', self.bar)}`" if odd % 2 else said(part) for odd, part in enumerate(parts))

    def _block(self, block: Block) -> str:
        self.bar = r"\|" if isinstance(block, Grid) else "|"  # a bare one ends a cell, even in code
        return super()._block(block)


class _Latex(Latex):
    def sentence(self, text: str) -> str:
        said = super().sentence
        return "".join(f"${_latex(part)}$" if odd % 2 else said(part) for odd, part in enumerate(text.split("`")))

    def _block(self, block: Block) -> str:
        return super()._block(Formulas(list(map(_latex, block.lines))) if isinstance(block, Formulas) else block)


_STYLES: dict[str, type[Style]] = {"text": _Text, "markdown": _Markdown, "latex": _Latex}

_TO_LATEX = (
    (r"\|\|(.*?)\|\|", r"\\|\1\\|"),
    (r"w\*", r"w^*"),
    (r"(?<=\d)\*", r"\\, "),
    (r"<=", r"\\le"),
    (r">=", r"\\ge"),
    (r"sqrt\((.*?)\)", r"\\sqrt{\1}"),
    (r"\b(gamma|lambda|delta|max|min|cos|ln|exp)(?=\b|_)", r"\\\1"),
    (r"\bC\((\w+), (\w+)\)", r"\\tbinom{\1}{\2}"),
    (r"(?<=[a-z*\d])\.(?=[a-z])", r" \\cdot "),
    (r"_(\w+)", r"_{\1}"),
    (r"(?<=\d),(?=\d)", r"{,}"),
    (r"(?<=\d)e([+-]?)0*(\d+)", r" \\cdot 10^{\1\2}"),
    (r"\b(and|rows|mistakes|in|one|pass|errors|between|exactly|the|root|of|every|sum)\b", r"\\text{ \1 }"),
)


def _latex(formula: str) -> str:
    r"""Write a formula of plain text in LaTeX.

    >>> _latex("w*.w_k >= k gamma, ||w_k||^2 <= 1,250.5")
    'w^* \\cdot w_{k} \\ge k \\gamma, \\|w_{k}\\|^2 \\le 1{,}250.5'
    """
    for pattern, replacement in _TO_LATEX:
        formula = re.sub(pattern, replacement, formula)
    return formula.replace("10^{+", "10^{")


def _few(number: float | Fraction) -> str:
    """Write six digits of a number; whole ones as they are."""
    if isinstance(number, Fraction) and number.denominator == 1 and abs(number) < 10**15:
        return f"{number.numerator:,}"
    value = float(number) if isinstance(number, float) or abs(number) < 2**1000 else None
    if value is None:
        return number_text(number)
    if not np.isfinite(value) or abs(value) >= 1e15:
        return f"{value:.6g}"
    if value == int(value):
        return f"{value:,.0f}"
    return f"{float(f'{value:.6g}'):,.0f}" if abs(value) >= 1e6 else f"{value:,.6g}"


def _outward(number: float, direction: int) -> str:
    """Write eight digits of a positive number, rounded down or up.

    >>> _outward(0.123456789, -1), _outward(0.123456789, 1), _outward(0.25, 1), _outward(123456789.5, 1)
    ('0.12345678', '0.12345679', '0.25', '1.2345679e+08')
    """
    context = Context(prec=8, rounding=ROUND_FLOOR if direction < 0 else ROUND_CEILING)
    return f"{float(context.create_decimal(Decimal(number))):.8g}"


def _plural(number: int, word: str) -> str:
    ending = "es" if word.endswith("s") else "s"
    return f"{number:,} {word}{'' if number == 1 else ending}"


def _opening(ledger: Ledger) -> str:
    problem = ledger.problem
    ended = "came to a pass without one" if ledger.converged else "was stopped before a pass without one"
    return (
        f"{_plural(problem.n, 'row')} of {_plural(problem.d, 'feature')}. The perceptron made "
        f"{_plural(ledger.mistakes, 'mistake')} in {_plural(ledger.passes, 'pass')} and {ended}."
    )


def _adjustment(ledger: Ledger) -> list[Block]:
    """Say that the theorem does not apply as it stands, and what does."""
    if ledger.applies:
        return []
    reasons = []
    if ledger.start_squared:
        reasons.append("the run did not start from zero")
    if ledger.steps.weights is not None:
        reasons.append("updates are multiplied by weights `c`")
    elif not ledger.steps.plain:
        reasons.append(f"the learning rate does not cancel: every step is `c = {ledger.steps.factor:g}`")
    return [
        f"The theorem does not apply as it is usually stated, because {' and '.join(reasons)}. With `S` the sum of the "
        "steps `c` taken, `Q` that of their squares (both `k` where all steps are 1), and `w_0` the start, the same proof "
        "gives",
        Formulas(
            [
                "w*.w_k >= w*.w_0 + S gamma",
                "||w_k||^2 <= ||w_0||^2 + Q R^2",
                "k <= (max c / min c)^2 R^2 / gamma^2 + 2 ||w_0|| / (gamma min c)",
            ]
        ),
        "and that is what is audited. Below, the lines are these; the last column is `(||w_k|| + ||w_0||) / S`.",
    ]


def _quantities(ledger: Ledger) -> list[Block]:
    margin, R2 = ledger.margin, ledger.radius_squared
    assert margin is not None
    row = "y_i (x_i, 1)" if ledger.problem.intercept else "y_i x_i"
    square = margin.squared
    if square is not None and max(square.numerator, square.denominator) < 10**9:
        gamma = f"gamma = sqrt({number_text(square)}) = {_few(margin.lo)}"
    else:
        gamma = f"{_outward(margin.lo, -1)} <= gamma <= {_outward(margin.hi, 1)}"
    return [
        f"The quantities. Write `z_i = {row}` for row i times its label, -1 or 1. A row is right if `w.z_i > 0`. At a "
        "mistake `w.z_i <= 0`, and `z_i` is added to `w`; so the weights `w_k` after k mistakes are a sum of k rows (times "
        "the learning rate, which changes no sign and is left out here). Let `R` be the largest of the lengths `||z_i||`, "
        "and `gamma` the margin: the largest number for which a unit vector `w*` has `w*.z_i >= gamma` for every row.",
        Formulas([f"k = {ledger.mistakes:,}", f"R = {_few(ledger.radius)}, R^2 = {_few(R2)}", gamma]),
    ]


def _chosen(ledger: Ledger) -> list[int]:
    """Choose the marks to show: exact ones, evenly spaced on a logarithmic scale."""
    exact = np.flatnonzero(ledger.exact)
    if exact.size <= _LINES:
        return exact.tolist()
    wanted = np.geomspace(1, ledger.mistakes, _LINES)
    return sorted({int(exact[np.abs(np.log(ledger.k[exact] / each)).argmin()]) for each in wanted})


def _inequalities(ledger: Ledger) -> list[Block]:
    if not ledger.mistakes:
        return ["There was no mistake, so that there is nothing to follow."]
    header = [
        "`k`",
        "`w*.w_k`",
        "`>= k gamma`",
        "`||w_k||^2`",
        "`<= k R^2`",
        "`cos(w*, w_k)`",
        "`>=` its line",
        "`||w_k|| / k`",
    ]
    columns = (
        ledger.alignment, ledger.alignment_line, ledger.squared_length, ledger.squared_length_line, ledger.cosine,
        ledger.cosine_line, ledger.margin_ceiling,
    )  # fmt: skip
    if not ledger.applies:
        header[2], header[4], header[7] = "`>=` its line", "`<=` its line", "ceiling"
    rows = [[f"{ledger.k[t]:,}", *(_few(float(column[t])) for column in columns)] for t in _chosen(ledger)]
    steps = _plural(ledger.mistakes, "step")
    blocks: list[Block] = []
    if ledger.applies:
        blocks = [
            "Claim 1: the alignment grows. A mistake on row i adds `w*.z_i` to `w*.w`, and that is at least `gamma`, "
            "whatever the row. After k mistakes",
            Formulas(["w*.w_k >= k gamma"]),
            "Claim 2: the length grows slowly. A mistake on row i turns the square of the length into",
            Formulas(["||w + z_i||^2 = ||w||^2 + 2 w.z_i + ||z_i||^2 <= ||w||^2 + R^2"]),
            f"because it was a mistake: `w.z_i <= 0`, as is checked at each of the {steps}. After k mistakes",
            Formulas(["||w_k||^2 <= k R^2"]),
            "On this run, with the angle between `w*` and `w_k` and its line `sqrt(k) gamma / R`, which both claims "
            "together give:",
        ]
    return [
        *blocks,
        Grid(header, rows),
        "The last column is a bound for free: since the first line is never longer than `w_k`, the margin is at most so "
        f"much at every k. The least of these is {_few(float(np.nanmin(ledger.margin_ceiling)))}.",
    ]


def _squeeze(ledger: Ledger) -> list[Block]:
    assert ledger.bound is not None
    lo, hi = ledger.bound
    k = ledger.mistakes
    blocks: list[Block] = []
    if ledger.applies:
        blocks = [
            "The squeeze. The product with a unit vector is never longer than the vector itself, so that the first line "
            "stays below the root of the second:",
            Formulas(["k gamma <= w*.w_k <= ||w_k|| <= sqrt(k) R", "k <= R^2 / gamma^2"]),
            "The left side grows like k, the right side like its root: they meet, and there the mistakes end.",
        ]
    name = "`R^2 / gamma^2`" if ledger.applies else "the bound"
    where = f"is {_few(hi)}" if _few(lo) == _few(hi) else f"lies between {_few(lo)} and {_few(hi)}"
    if np.isinf(hi):
        where = "is beyond the range of float64"
    share = f", {100.0 * k / hi:.3g} % of that" if 0 < hi < np.inf else ""
    order = ", in whatever order the rows come" if ledger.applies else ""
    blocks.append(f"The conclusion. Here {name} {where}: more mistakes are impossible{order}. This run made {k:,}{share}.")
    return blocks


def _without_margin(ledger: Ledger) -> list[Block]:
    assert ledger.obstruction is not None
    assert ledger.obstruction.obstruction is not None
    ceiling = "||w_k||^2 <= k R^2" if ledger.steps.plain and not ledger.start_squared else "||w_k||^2 <= ||w_0||^2 + Q R^2"
    extra = "" if ceiling.endswith("k R^2") else ", with `Q` the sum of the squares of the steps"
    blocks: list[Block] = [
        "The theorem does not apply: no hyperplane separates the classes, so that there is no `w*` with a positive margin "
        f"and nothing for the weights to turn to. Claim 2 needs no `w*`, and holds all the same: `{ceiling}`{extra}.",
        *_obstruction(ledger, ledger.obstruction.obstruction),
    ]
    if ledger.mistakes:
        columns = (ledger.squared_length, ledger.squared_length_line)
        rows = [[f"{ledger.k[t]:,}", *(_few(float(column[t])) for column in columns)] for t in _chosen(ledger)]
        blocks.append(Grid(["`k`", "`||w_k||^2`", "`<=` its line"], rows))
    online, n = ledger.online, ledger.problem.n
    assert online is not None
    blocks.append(
        "What can be said of one pass. For any unit vector `u` and `gamma > 0` let row i fall short of `gamma` by "
        "`d_i = max(0, gamma - u.z_i)`, and let `D^2` be the sum of the `d_i^2`. Then one pass from zero makes at most "
        "`((R + D) / gamma)^2` mistakes (Freund and Schapire 1999)."
    )
    if online.direction is None:
        blocks.append(
            f"No `u` was found for which that is less than {n:,}, the number of rows, and more mistakes than rows no pass "
            f"can make: the bound is vacuous here. One pass made {online.mistakes:,}."
        )
    else:
        blocks.append(
            f"With `R = {_few(ledger.radius)}`, `gamma = {_few(online.gamma)}` and the best `u` found, "
            f"`D = {_few(online.deviation)}`: at most {_few(online.bound)} mistakes in a pass over {n:,} rows. One pass "
            f"made {online.mistakes:,}."
        )
    return blocks


def _obstruction(ledger: Ledger, obstruction: Obstruction) -> list[Block]:
    kept, multipliers = ledger.problem.kept, obstruction.multipliers
    rows = [i if kept is None else int(kept[i]) for i in obstruction.rows]
    short = len(rows) <= _MOST_ROWS and max(multipliers) < 10**6
    if short:
        terms = [f"z_{i}" if m == 1 else f"{number_text(m)}*z_{i}" for i, m in zip(rows, multipliers, strict=True)]
        line = f"{' + '.join(terms)} = 0"
        what = (
            f"rows {', '.join(map(str, rows))}, counted from 0, add up to zero:"
            if len(rows) > 1
            else f"row {rows[0]} is zero:"
        )
    else:
        line = "lambda_1 z_1 + lambda_2 z_2 + ... = 0"
        what = f"{len(rows):,} rows, times positive numbers that the certificate holds, add up to zero:"
    if zero_always_errs(ledger.steps.tie):
        halting = "every pass, for ever, has a mistake on one of them. However many passes are allowed, the run cannot halt."
    else:
        halting = (
            "every pass meets one of them that is not strictly on its right side. The tie rule counts a score of exactly 0 "
            "as right for one of the classes, so that the run may halt with rows on the hyperplane; otherwise it runs for "
            "ever."
        )
    return [
        f"Why a run of many passes does not end: signed by their labels, {what}",
        Formulas([line]),
        "Whatever the weights `w`, the scores `w.z_i` of these rows, so multiplied, add up to 0; they are not all positive, "
        f"and {halting}",
    ]


def _verdict(ledger: Ledger) -> list[Block]:
    if not ledger.holds:
        return [f"The audit fails. {' '.join(ledger.violations)}"]
    exact = int(np.count_nonzero(ledger.exact))
    how = "all in exact arithmetic"
    if exact < ledger.k.size:
        how = f"at {exact:,} of them in exact arithmetic, at the others in floating point with a proved bound of its error"
    return [f"Every statement was checked after {_plural(ledger.k.size, 'mistake')}, {how}, and holds."]
