"""A ledger in words: the quantities, the two inequalities, the squeeze, the conclusion, with the numbers of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..problem.problem import Problem
from ..problem.row_names import RowNames
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
from .letters import (
    ADJUSTED_LENGTH_LINE,
    ALIGNMENT,
    BOUND,
    COSINE,
    COSINE_LINE,
    GAMMA,
    LENGTH,
    LENGTH_LINE,
    RUN_BOUND,
    SQUARED_RADIUS,
    SQUARED_ROWS,
    STAR,
    START_LENGTH,
    W_0,
    W_K,
    Z_I,
    C,
    K,
    Q,
    R,
    S,
    W,
    few,
    outward,
)
from .unseparated import obstructed, one_pass

if TYPE_CHECKING:
    from fractions import Fraction

    from .._types import Floats
    from ..problem.batches import AnyProblem
    from ..separation.margins import Margin
    from .ledger import Ledger
    from .stars import GivenStar, Star


_MAX_LINES = 9
"""Mistakes shown in the table, the first and the last among them."""


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
        blocks += _conclusion(ledger)
        blocks += _own_star(ledger)
    blocks += _verdict(ledger)
    return written(blocks, format)


def _opening(ledger: Ledger) -> str:
    problem = ledger.problem
    rows = f"{counted(problem.n, 'row')} of {counted(problem.d, 'feature')}."
    made = f"The perceptron made {counted(ledger.mistakes, 'mistake')}"
    if ledger.rounds is not None:
        return f"{rows} {made} in {counted(ledger.rounds, 'round')}: it was shown each row once."
    ended = "came to a pass without one" if ledger.converged else "was stopped before a pass without one"
    return f"{rows} {made} in {counted(ledger.passes, 'pass')} and {ended}."


def _adjustment(ledger: Ledger) -> list[Block]:
    """Say that the theorem does not apply as it stands, and what does."""
    if ledger.applies:
        return []
    reasons, steps = [], []
    if ledger.start_squared:
        reasons.append("the run did not start from zero")
    if ledger.steps.multiples is not None:
        reasons.append("updates are multiplied by weights {}")
        steps.append(C)
    elif not ledger.steps.plain:
        reasons.append("the learning rate does not cancel: every step is {}")
        steps.append(formula(C, "=", digits(f"{float(ledger.steps.rate):g}")))
    most, least = formula(named("max"), C), formula(named("min"), C)
    ratio = glued("(", most, " / ", least, ")^2")
    start = formula("2", START_LENGTH, "/", glued("(", GAMMA, " ", least, ")"))
    return [
        said(
            f"The theorem does not apply as it is usually stated, because {' and '.join(reasons)}. With {{}} the sum of the "
            "steps {} taken, {} that of their squares (both {} where all steps are 1), and {} the start, the same proof "
            "gives",
            *steps, S, C, Q, K, W_0,
        ),
        Formulas(
            [
                formula(ALIGNMENT, AT_LEAST, dot(STAR, W_0), "+", S, GAMMA),
                formula(square_of(LENGTH), AT_MOST, ADJUSTED_LENGTH_LINE),
                formula(K, AT_MOST, ratio, BOUND, "+", start),
            ]
        ),
        said(
            "and that is what is audited. Below, the lines are these; the last column is {}.",
            formula(glued("(", LENGTH, " + ", START_LENGTH, ")"), "/", S),
        ),
    ]  # fmt: skip


def _summed(ledger: Ledger) -> tuple[str, list[Formula]]:
    """Say what the weights are a sum of, as a text with gaps and what goes there."""
    weights = "{} is added to {}; so the weights {} after k mistakes are"
    rate = " (times the learning rate, which changes no sign and is left out here)"
    first = [W_0] if ledger.start_squared else []
    rows = "{} plus a sum of k rows" if first else "a sum of k rows"
    if ledger.steps.plain:
        return f"{weights} {rows}{'' if first else rate}", [Z_I, W, W_K, *first]
    return f"{weights} {rows}, each times its step {{}}{'' if first else rate}", [formula(C, Z_I), W, W_K, *first, C]


def gamma_between(margin: Margin) -> Formula:
    """Write the margin: exactly, if that is short, else its bounds."""
    square = margin.squared
    if square is not None and max(square.numerator, square.denominator) < 10**9:
        return formula(GAMMA, "=", square_root(digits(number_text(square))), "=", few(margin.lo))
    return formula(outward(margin.lo, -1), AT_MOST, GAMMA, AT_MOST, outward(margin.hi, 1))


def _quantities(ledger: Ledger) -> list[Block]:
    margin = ledger.margin
    assert margin is not None
    problem, tie = ledger.problem, ledger.steps.tie
    or_zero = f", or if this is 0 and its label is {tie}, as the tie rule has it" if tie else ""
    added, terms = _summed(ledger)
    return [
        said(
            f"The quantities. Write {{}} for row i times its label, -1 or 1. A row is right if {{}}{or_zero}. At a "
            f"mistake {{}}, and {added}. Let {{}} be the largest of the lengths {{}}, and {{}} the margin: the largest "
            f"number for which a unit vector {{}} has {{}} for {every_row(problem, tie)}.",
            lifted_row(problem),
            formula(dot(W, Z_I), ">", "0"),
            formula(dot(W, Z_I), AT_MOST, "0"),
            *terms, R, norm(Z_I), GAMMA, STAR,
            formula(dot(STAR, Z_I), AT_LEAST, GAMMA),
        ),
        Formulas(
            [
                formula(K, "=", digits(f"{ledger.mistakes:,}")),
                radius_line(ledger.radius, ledger.radius_squared),
                gamma_between(margin),
            ]
        ),
    ]  # fmt: skip


def radius_line(radius: float, square: Fraction) -> Formula:
    """Write R and its square."""
    return joined(", ", [formula(R, "=", few(radius)), formula(SQUARED_RADIUS, "=", few(square))])


def every_row(problem: AnyProblem, tie: int) -> str:
    """Say which rows have the margin; rows in blocks have none that cannot be wrong, or the audit refuses them."""
    zeros = problem.n - problem.fallible(tie).n if isinstance(problem, Problem) else 0
    return f"every row, but for {counted(zeros, 'row')} of zeros that the tie rule never has wrong" if zeros else "every row"


def lifted_row(problem: AnyProblem) -> Formula:
    """Write what a row becomes."""
    point = indexed("x", "i")
    return formula(Z_I, "=", indexed("y", "i"), glued("(", point, ", 1)") if problem.intercept else point)


def _chosen(ledger: Ledger) -> list[int]:
    """Choose the marks to show: exact ones, evenly spaced on a logarithmic scale."""
    exact = np.flatnonzero(ledger.exact)
    if exact.size <= _MAX_LINES:
        return exact.tolist()
    wanted = np.geomspace(1, ledger.mistakes, _MAX_LINES)
    return sorted({int(exact[np.abs(np.log(ledger.k[exact] / each)).argmin()]) for each in wanted})


def _table(ledger: Ledger, columns: list[tuple[Line, Floats]]) -> Grid:
    """Show some columns at some mistakes."""
    rows = [[f"{ledger.k[t]:,}", *(few(float(column[t])).text for _, column in columns)] for t in _chosen(ledger)]
    return Grid([said("{}", K), *(header for header, _ in columns)], rows)


def _inequalities(ledger: Ledger) -> list[Block]:
    if not ledger.mistakes:
        return ["There was no mistake, so that there is nothing to follow."]
    plain, its_line = ledger.applies, "{} its line"
    table = _table(
        ledger,
        [
            (said("{}", ALIGNMENT), ledger.alignment),
            (said("{}", formula(AT_LEAST, K, GAMMA)) if plain else said(its_line, AT_LEAST), ledger.alignment_line),
            (said("{}", square_of(LENGTH)), ledger.squared_length),
            (said("{}", formula(AT_MOST, SQUARED_ROWS)) if plain else said("{} sharper line", AT_MOST), ledger.squared_rows),
            (said("{}", formula(AT_MOST, LENGTH_LINE)) if plain else said(its_line, AT_MOST), ledger.squared_length_line),
            (said("{}", COSINE), ledger.cosine),
            (said(its_line, AT_LEAST), ledger.cosine_line),
            (said("{}", formula(LENGTH, "/", K)) if plain else "ceiling", ledger.margin_ceiling),
        ],
    )
    ceiling = said(
        "The last column is a bound for free: since the first line is never longer than {}, the margin is at most so "
        f"much at every k. The least of these is {few(float(np.nanmin(ledger.margin_ceiling))).text}.",
        W_K,
    )
    return [*(_claims(ledger) if plain else []), table, ceiling, *_growth(ledger, ledger)]


def _claims(ledger: Ledger) -> list[Block]:
    step = formula(
        square_of(norm(formula(W, "+", Z_I))), "=", square_of(norm(W)), "+ 2", dot(W, Z_I), "+", square_of(norm(Z_I)),
        AT_MOST, square_of(norm(W)), "+", square_of(norm(Z_I)),
    )  # fmt: skip
    some = f"{ledger.zero_scores:,} of them, and negative at the others"
    steps = "the one step" if ledger.mistakes == 1 else f"each of the {ledger.mistakes:,} steps"
    zeros = f"It is exactly 0 at {'all of them' if ledger.zero_scores == ledger.mistakes else some}."
    return [
        said(
            "Claim 1: the alignment grows. A mistake on row i adds {} to {}, and that is at least {}, whatever the row. "
            "After k mistakes",
            dot(STAR, Z_I), dot(STAR, W), GAMMA,
        ),
        Formulas([formula(ALIGNMENT, AT_LEAST, K, GAMMA)]),
        "Claim 2: the length grows slowly. A mistake on row i turns the square of the length into",
        Formulas([step]),
        said(
            f"because it was a mistake: {{}}, as is checked at {steps}. {zeros} "
            "After k mistakes, with the sum over the rows erred on,",
            formula(dot(W, Z_I), AT_MOST, "0"),
        ),
        Formulas([formula(square_of(LENGTH), AT_MOST, SQUARED_ROWS, AT_MOST, LENGTH_LINE)]),
        said(
            "On this run, with the angle between {} and {} and its line {}, which both claims together give:",
            STAR, W_K, COSINE_LINE,
        ),
    ]  # fmt: skip


def _growth(ledger: Ledger, held: Ledger | Star) -> list[Block]:
    """Say how much of the growth is length and how much angle, for a ``w*``."""
    growth = held.growth
    if growth is None or ledger.mistakes < 2:
        return []
    alignment, length, cosine = (few(float(f"{factor:.3g}")).text for factor in growth)
    every = ledger.cosine_steps == ledger.mistakes - 1
    steps = counted(held.cosine_steps, "step")
    looked = f"the {steps}" if every else f"the {steps} from one mistake to the next that were looked at"
    return [
        said(
            f"Longer, or better aligned? From the first mistake to the last {{}} has become {alignment} times as large: "
            f"{length} by the length of {{}}, times {cosine} by the cosine. The cosine fell in {held.cosine_falls:,} of "
            f"{looked}{'; it is its line that rises at each' if ledger.applies else ''}.",
            ALIGNMENT, W_K,
        )
    ]  # fmt: skip


def _squeeze(ledger: Ledger) -> list[Block]:
    if not ledger.applies:
        return []
    return [
        "The squeeze. By the Cauchy-Schwarz inequality the product with a unit vector is never longer than the vector "
        "itself, so that the first line stays below the root of the second:",
        Formulas(
            [
                formula(K, GAMMA, AT_MOST, ALIGNMENT, AT_MOST, LENGTH, AT_MOST, square_root(K), R),
                formula(K, AT_MOST, BOUND),
            ]
        ),
        "The left side grows like k, the right side like its root: they meet, and there the mistakes end.",
    ]


def _conclusion(ledger: Ledger) -> list[Block]:
    assert ledger.bound is not None
    lo, hi = ledger.bound
    k = ledger.mistakes
    share = f", {100.0 * k / hi:.3g} % of that" if 0 < hi < np.inf else ""
    said_of_it = f"{between(lo, hi)}: more mistakes are impossible"
    made = f"This run made {k:,}{share}."
    if not ledger.applies:
        return [f"The conclusion. Here the bound {said_of_it}. {made}"]
    text = f"The conclusion. Here {{}} {said_of_it}, in whatever order the rows come. {made}"
    if ledger.run_bound is None:
        return [said(text, BOUND)]
    after = f" With the angle that it came to, {{}} is {few(ledger.run_bound).text}: a bound that the run alone can tell."
    return [said(text + after, BOUND, RUN_BOUND)]


def between(lo: float, hi: float) -> str:
    """Say where a bound is that is known between bounds."""
    if np.isinf(hi):
        return "is beyond the range of float64"
    low, high = few(lo).text, few(hi).text
    return f"is {high}" if low == high else f"lies between {low} and {high}"


def _own_star(ledger: Ledger) -> list[Block]:
    """Say what the theorem makes of the ``w*`` that was given."""
    star, best = ledger.star, ledger.bound
    if star is None or best is None:
        return []
    row = RowNames(ledger.problem).name_of_given(star.row)
    blocks: list[Block] = [
        said(
            "A {} of your own. The proof asks nothing of {} but that it has every row right. The vector given, at length 1, "
            f"has the least {{}} at {row}: {{}}. With it more than {few(star.bound).text} mistakes are impossible; "
            f"with the best one, more than {few(best[1]).text}.",
            STAR, STAR, dot(STAR, Z_I), own_gamma(star),
        )
    ]  # fmt: skip
    if not ledger.mistakes:
        return blocks
    line = said("{} its line", AT_LEAST)
    columns: list[tuple[Line, Floats]] = [
        (said("{}", ALIGNMENT), star.alignment),
        (line, star.alignment_line),
        (said("{}", COSINE), star.cosine),
        (line, star.cosine_line),
    ]
    blocks += [_table(ledger, columns), *_growth(ledger, star)]
    if star.run_bound is not None:
        blocks.append(said(f"With the angle that it came to, {{}} is {few(star.run_bound).text}.", RUN_BOUND))
    return blocks


def own_gamma(star: GivenStar) -> Formula:
    """Write the margin of a ``w*`` that was given: exactly, if that is short."""
    square = star.margin_squared
    if max(square.numerator, square.denominator) < 10**9:
        return formula(GAMMA, "=", square_root(digits(number_text(square))), "=", few(star.margin))
    return formula(GAMMA, "=", few(star.margin))


def _without_margin(ledger: Ledger) -> list[Block]:
    assert ledger.obstruction is not None
    assert ledger.obstruction.obstruction is not None
    adjusted = not ledger.steps.plain or bool(ledger.start_squared)
    ceiling = formula(square_of(LENGTH), AT_MOST, ADJUSTED_LENGTH_LINE if adjusted else LENGTH_LINE)
    blocks: list[Block] = [
        said(
            "The theorem does not apply: no hyperplane has every row strictly on its correct side, so that there is no {} "
            "with a positive margin and nothing for the weights to turn to. Claim 2 needs no {}, and holds all the same: {}"
            + (", with {} the sum of the squares of the steps." if adjusted else "."),
            STAR, STAR, ceiling, *([Q] if adjusted else []),
        ),
        *obstructed(ledger.problem, ledger.obstruction.obstruction, ledger.steps.tie, ledger.converged),
    ]  # fmt: skip
    if ledger.mistakes:
        rows = said("{}", formula(AT_MOST, SQUARED_ROWS))
        blocks.append(
            _table(
                ledger,
                [
                    (said("{}", square_of(LENGTH)), ledger.squared_length),
                    (said("{} sharper line", AT_MOST) if adjusted else rows, ledger.squared_rows),
                    (said("{} its line", AT_MOST), ledger.squared_length_line),
                ],
            )
        )
    return [*blocks, *one_pass(ledger)]


def _verdict(ledger: Ledger) -> list[Block]:
    if not ledger.holds:
        return [f"The audit fails. {' '.join(ledger.violations)}"]
    exact = int(np.count_nonzero(ledger.exact))
    how = "all in exact arithmetic"
    if exact < ledger.k.size:
        how = f"at {exact:,} of them in exact arithmetic, at the others in floating point with a proved bound of its error"
    return [f"Every statement was checked after {counted(ledger.k.size, 'mistake')}, {how}, and holds."]
