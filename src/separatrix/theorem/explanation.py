"""A ledger in words: the quantities, the two inequalities, the squeeze, the conclusion, with the numbers of the run."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..problem.ties import zero_always_errs
from ..proof.claims import Obstruction
from ..support.blocks import Block, Formulas, Grid, Line, said, written
from ..support.counts import counted
from ..support.formulas import (
    AT_LEAST,
    AT_MOST,
    Formula,
    digits,
    dot,
    formula,
    glued,
    indexed,
    joined,
    named,
    norm,
    square_of,
    square_root,
)
from ..support.numbers import number_text

if TYPE_CHECKING:
    from .ledger import Ledger


_MAX_LINES = 9
"""Mistakes shown in the table, the first and the last among them."""

_MAX_ROWS = 12
"""Rows of an obstruction that are listed."""

# The letters of the theorem.

_C, _D, _K, _Q, _R, _S, _U, _W = (Formula(letter, letter) for letter in "cDkQRSuw")
_GAMMA = named("gamma")
_STAR = Formula("w*", "w^*")
_W_0, _W_K, _Z_I = indexed("w", 0), indexed("w", "k"), indexed("z", "i")
_D_I = indexed("d", "i")
_LENGTH, _START_LENGTH = norm(_W_K), norm(_W_0)
_ALIGNMENT = dot(_STAR, _W_K)
_SQUARED_RADIUS = square_of(_R)
_LENGTH_LINE = formula(_K, _SQUARED_RADIUS)
_ADJUSTED_LENGTH_LINE = formula(square_of(_START_LENGTH), "+", _Q, _SQUARED_RADIUS)
_COSINE = glued(named("cos"), "(", _STAR, ", ", _W_K, ")")
_BOUND = formula(_SQUARED_RADIUS, "/", square_of(_GAMMA))


def explained(ledger: Ledger, format: str) -> str:  # noqa: A002
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


def _few(number: float | Fraction) -> Formula:
    """Write six digits of a number; whole ones as they are."""
    if isinstance(number, Fraction) and number.denominator == 1 and abs(number) < 10**15:
        return digits(f"{number.numerator:,}")
    value = float(number) if isinstance(number, float) or abs(number) < 2**1000 else None
    if value is None:
        return digits(number_text(number))
    if not np.isfinite(value) or abs(value) >= 1e15:
        return digits(f"{value:.6g}")
    if value == int(value):
        return digits(f"{value:,.0f}")
    return digits(f"{float(f'{value:.6g}'):,.0f}" if abs(value) >= 1e6 else f"{value:,.6g}")


def _outward(number: float, direction: int) -> Formula:
    """Write eight digits of a positive number, rounded down or up.

    >>> [_outward(number, 1).text for number in (0.123456789, 0.25, 123456789.5)], _outward(0.123456789, -1).text
    (['0.12345679', '0.25', '1.2345679e+08'], '0.12345678')
    """
    context = Context(prec=8, rounding=ROUND_FLOOR if direction < 0 else ROUND_CEILING)
    return digits(f"{float(context.create_decimal(Decimal(number))):.8g}")


def _opening(ledger: Ledger) -> str:
    problem = ledger.problem
    ended = "came to a pass without one" if ledger.converged else "was stopped before a pass without one"
    return (
        f"{counted(problem.n, 'row')} of {counted(problem.d, 'feature')}. The perceptron made "
        f"{counted(ledger.mistakes, 'mistake')} in {counted(ledger.passes, 'pass')} and {ended}."
    )


def _adjustment(ledger: Ledger) -> list[Block]:
    """Say that the theorem does not apply as it stands, and what does."""
    if ledger.applies:
        return []
    reasons, steps = [], []
    if ledger.start_squared:
        reasons.append("the run did not start from zero")
    if ledger.steps.multiples is not None:
        reasons.append("updates are multiplied by weights {}")
        steps.append(_C)
    elif not ledger.steps.plain:
        reasons.append("the learning rate does not cancel: every step is {}")
        steps.append(formula(_C, "=", digits(f"{float(ledger.steps.rate):g}")))
    most, least = formula(named("max"), _C), formula(named("min"), _C)
    ratio = glued("(", most, " / ", least, ")^2")
    start = formula("2", _START_LENGTH, "/", glued("(", _GAMMA, " ", least, ")"))
    return [
        said(
            f"The theorem does not apply as it is usually stated, because {' and '.join(reasons)}. With {{}} the sum of the "
            "steps {} taken, {} that of their squares (both {} where all steps are 1), and {} the start, the same proof "
            "gives",
            *steps, _S, _C, _Q, _K, _W_0,
        ),
        Formulas(
            [
                formula(_ALIGNMENT, AT_LEAST, dot(_STAR, _W_0), "+", _S, _GAMMA),
                formula(square_of(_LENGTH), AT_MOST, _ADJUSTED_LENGTH_LINE),
                formula(_K, AT_MOST, ratio, _BOUND, "+", start),
            ]
        ),
        said(
            "and that is what is audited. Below, the lines are these; the last column is {}.",
            formula(glued("(", _LENGTH, " + ", _START_LENGTH, ")"), "/", _S),
        ),
    ]  # fmt: skip


def _quantities(ledger: Ledger) -> list[Block]:
    margin = ledger.margin
    assert margin is not None
    label, point = indexed("y", "i"), indexed("x", "i")
    square = margin.squared
    if square is not None and max(square.numerator, square.denominator) < 10**9:
        gamma = formula(_GAMMA, "=", square_root(digits(number_text(square))), "=", _few(margin.lo))
    else:
        gamma = formula(_outward(margin.lo, -1), AT_MOST, _GAMMA, AT_MOST, _outward(margin.hi, 1))
    problem, tie = ledger.problem, ledger.steps.tie
    zeros = problem.n - problem.fallible(tie).n
    or_zero = f", or if this is 0 and its label is {tie}, as the tie rule has it" if tie else ""
    every = f"every row, but for {counted(zeros, 'row')} of zeros that the rule never has wrong" if zeros else "every row"
    return [
        said(
            f"The quantities. Write {{}} for row i times its label, -1 or 1. A row is right if {{}}{or_zero}. At a "
            "mistake {}, and {} is added to {}; so the weights {} after k mistakes are a sum of k rows (times "
            "the learning rate, which changes no sign and is left out here). Let {} be the largest of the lengths {}, "
            f"and {{}} the margin: the largest number for which a unit vector {{}} has {{}} for {every}.",
            formula(_Z_I, "=", label, glued("(", point, ", 1)") if ledger.problem.intercept else point),
            formula(dot(_W, _Z_I), ">", "0"),
            formula(dot(_W, _Z_I), AT_MOST, "0"),
            _Z_I, _W, _W_K, _R, norm(_Z_I), _GAMMA, _STAR,
            formula(dot(_STAR, _Z_I), AT_LEAST, _GAMMA),
        ),
        Formulas(
            [
                formula(_K, "=", digits(f"{ledger.mistakes:,}")),
                joined(
                    ", ",
                    [formula(_R, "=", _few(ledger.radius)), formula(_SQUARED_RADIUS, "=", _few(ledger.radius_squared))],
                ),
                gamma,
            ]
        ),
    ]  # fmt: skip


def _chosen(ledger: Ledger) -> list[int]:
    """Choose the marks to show: exact ones, evenly spaced on a logarithmic scale."""
    exact = np.flatnonzero(ledger.exact)
    if exact.size <= _MAX_LINES:
        return exact.tolist()
    wanted = np.geomspace(1, ledger.mistakes, _MAX_LINES)
    return sorted({int(exact[np.abs(np.log(ledger.k[exact] / each)).argmin()]) for each in wanted})


def _inequalities(ledger: Ledger) -> list[Block]:
    if not ledger.mistakes:
        return ["There was no mistake, so that there is nothing to follow."]
    its_line = "{} its line"
    header: list[Line] = [
        said("{}", _K),
        said("{}", _ALIGNMENT),
        said("{}", formula(AT_LEAST, _K, _GAMMA)),
        said("{}", square_of(_LENGTH)),
        said("{}", formula(AT_MOST, _LENGTH_LINE)),
        said("{}", _COSINE),
        said(its_line, AT_LEAST),
        said("{}", formula(_LENGTH, "/", _K)),
    ]
    columns = (
        ledger.alignment, ledger.alignment_line, ledger.squared_length, ledger.squared_length_line, ledger.cosine,
        ledger.cosine_line, ledger.margin_ceiling,
    )  # fmt: skip
    if not ledger.applies:
        header[2], header[4], header[7] = said(its_line, AT_LEAST), said(its_line, AT_MOST), "ceiling"
    rows = [[f"{ledger.k[t]:,}", *(_few(float(column[t])).text for column in columns)] for t in _chosen(ledger)]
    return [
        *(_claims(ledger) if ledger.applies else []),
        Grid(header, rows),
        said(
            "The last column is a bound for free: since the first line is never longer than {}, the margin is at most so "
            f"much at every k. The least of these is {_few(float(np.nanmin(ledger.margin_ceiling))).text}.",
            _W_K,
        ),
    ]


def _claims(ledger: Ledger) -> list[Block]:
    step = formula(
        square_of(norm(formula(_W, "+", _Z_I))), "=", square_of(norm(_W)), "+ 2", dot(_W, _Z_I), "+", square_of(norm(_Z_I)),
        AT_MOST, square_of(norm(_W)), "+", _SQUARED_RADIUS,
    )  # fmt: skip
    return [
        said(
            "Claim 1: the alignment grows. A mistake on row i adds {} to {}, and that is at least {}, whatever the row. "
            "After k mistakes",
            dot(_STAR, _Z_I), dot(_STAR, _W), _GAMMA,
        ),
        Formulas([formula(_ALIGNMENT, AT_LEAST, _K, _GAMMA)]),
        "Claim 2: the length grows slowly. A mistake on row i turns the square of the length into",
        Formulas([step]),
        said(
            f"because it was a mistake: {{}}, as is checked at each of the {counted(ledger.mistakes, 'step')}. After k "
            "mistakes",
            formula(dot(_W, _Z_I), AT_MOST, "0"),
        ),
        Formulas([formula(square_of(_LENGTH), AT_MOST, _LENGTH_LINE)]),
        said(
            "On this run, with the angle between {} and {} and its line {}, which both claims together give:",
            _STAR, _W_K, formula(square_root(_K), _GAMMA, "/", _R),
        ),
    ]  # fmt: skip


def _squeeze(ledger: Ledger) -> list[Block]:
    assert ledger.bound is not None
    lo, hi = ledger.bound
    k = ledger.mistakes
    blocks: list[Block] = []
    if ledger.applies:
        blocks = [
            "The squeeze. The product with a unit vector is never longer than the vector itself, so that the first line "
            "stays below the root of the second:",
            Formulas(
                [
                    formula(_K, _GAMMA, AT_MOST, _ALIGNMENT, AT_MOST, _LENGTH, AT_MOST, square_root(_K), _R),
                    formula(_K, AT_MOST, _BOUND),
                ]
            ),
            "The left side grows like k, the right side like its root: they meet, and there the mistakes end.",
        ]
    low, high = _few(lo).text, _few(hi).text
    where = f"is {high}" if low == high else f"lies between {low} and {high}"
    if np.isinf(hi):
        where = "is beyond the range of float64"
    share = f", {100.0 * k / hi:.3g} % of that" if 0 < hi < np.inf else ""
    said_of_it = f"{where}: more mistakes are impossible"
    made = f"This run made {k:,}{share}."
    if ledger.applies:
        text = f"The conclusion. Here {{}} {said_of_it}, in whatever order the rows come. {made}"
        return [*blocks, said(text, _BOUND)]
    return [*blocks, f"The conclusion. Here the bound {said_of_it}. {made}"]


def _without_margin(ledger: Ledger) -> list[Block]:
    assert ledger.obstruction is not None
    assert ledger.obstruction.obstruction is not None
    adjusted = not ledger.steps.plain or bool(ledger.start_squared)
    ceiling = formula(square_of(_LENGTH), AT_MOST, _ADJUSTED_LENGTH_LINE if adjusted else _LENGTH_LINE)
    blocks: list[Block] = [
        said(
            "The theorem does not apply: no hyperplane has every row strictly on its correct side, so that there is no {} "
            "with a positive margin and nothing for the weights to turn to. Claim 2 needs no {}, and holds all the same: {}"
            + (", with {} the sum of the squares of the steps." if adjusted else "."),
            _STAR, _STAR, ceiling, *([_Q] if adjusted else []),
        ),
        *_obstruction(ledger, ledger.obstruction.obstruction),
    ]  # fmt: skip
    if ledger.mistakes:
        columns = (ledger.squared_length, ledger.squared_length_line)
        rows = [[f"{ledger.k[t]:,}", *(_few(float(column[t])).text for column in columns)] for t in _chosen(ledger)]
        header = [said("{}", _K), said("{}", square_of(_LENGTH)), said("{} its line", AT_MOST)]
        blocks.append(Grid(header, rows))
    return [*blocks, *_one_pass(ledger)]


def _one_pass(ledger: Ledger) -> list[Block]:
    online, n = ledger.online, ledger.problem.n
    assert online is not None
    short = glued(named("max"), "(0, ", _GAMMA, " - ", dot(_U, _Z_I), ")")
    theorem = said(
        "What can be said of one pass. For any unit vector {} and {} let row i fall short of {} by "
        "{}, and let {} be the sum of the {}. Then one pass from zero makes at most "
        "{} mistakes (Freund and Schapire 1999).",
        _U, formula(_GAMMA, ">", "0"), _GAMMA, formula(_D_I, "=", short), square_of(_D), square_of(_D_I),
        square_of(glued("(", formula("(R + D)", "/", _GAMMA), ")")),
    )  # fmt: skip
    if online.direction is None:
        found = said(
            f"No {{}} was found for which that is less than {n:,}, the number of rows, and more mistakes than rows no pass "
            f"can make: the bound is vacuous here. One pass made {online.mistakes:,}.",
            _U,
        )
    else:
        found = said(
            f"With {{}}, {{}} and the best {{}} found, {{}}: at most {_few(online.bound).text} mistakes in a pass over "
            f"{n:,} rows. One pass made {online.mistakes:,}.",
            formula(_R, "=", _few(ledger.radius)), formula(_GAMMA, "=", _few(online.gamma)), _U,
            formula(_D, "=", _few(online.deviation)),
        )  # fmt: skip
    return [theorem, found]


def _obstruction(ledger: Ledger, obstruction: Obstruction) -> list[Block]:
    kept, multipliers = ledger.problem.kept, obstruction.multipliers
    rows = [i if kept is None else int(kept[i]) for i in obstruction.rows]
    short = len(rows) <= _MAX_ROWS and max(multipliers) < 10**6
    if short:
        terms = [
            indexed("z", i) if m == 1 else glued(digits(number_text(m)), Formula("*", r"\, "), indexed("z", i))
            for i, m in zip(rows, multipliers, strict=True)
        ]
        line = formula(joined(" + ", terms), "=", "0")
        what = (
            f"rows {', '.join(map(str, rows))}, counted from 0, add up to zero:"
            if len(rows) > 1
            else f"row {rows[0]} is zero:"
        )
    else:
        terms = [formula(glued(named("lambda"), Formula(f"_{k}", f"_{{{k}}}")), indexed("z", k)) for k in (1, 2)]
        line = formula(joined(" + ", [*terms, "..."]), "=", "0")
        what = f"{len(rows):,} rows, times positive numbers that the certificate holds, add up to zero:"
    if zero_always_errs(ledger.steps.tie):
        halting = "every pass, for ever, has a mistake on one of them. However many passes are allowed, the run cannot halt."
    else:
        halting = (
            "every pass meets one of them that is not strictly on its right side. The tie rule counts a score of exactly 0 "
            "as right for one of the classes, so that the run may halt with rows on the hyperplane; otherwise it runs for "
            "ever."
        )
    opening = "Why a run need not end, though this one did" if ledger.converged else "Why a run of many passes does not end"
    return [
        f"{opening}: signed by their labels, {what}",
        Formulas([line]),
        said(
            "Whatever the weights {}, the scores {} of these rows, so multiplied, add up to 0; they are not all positive, "
            f"and {halting}",
            _W,
            dot(_W, _Z_I),
        ),
    ]


def _verdict(ledger: Ledger) -> list[Block]:
    if not ledger.holds:
        return [f"The audit fails. {' '.join(ledger.violations)}"]
    exact = int(np.count_nonzero(ledger.exact))
    how = "all in exact arithmetic"
    if exact < ledger.k.size:
        how = f"at {exact:,} of them in exact arithmetic, at the others in floating point with a proved bound of its error"
    return [f"Every statement was checked after {counted(ledger.k.size, 'mistake')}, {how}, and holds."]
