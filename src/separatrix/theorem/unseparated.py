"""What is said where there is no ``w*``: the obstruction, and what is known of one pass all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..problem.batches import AnyProblem
from ..problem.row_names import RowNames
from ..problem.ties import zero_always_errs
from ..proof.claims import Obstruction
from ..support.blocks import Block, Formulas, said
from ..support.formulas import Formula, digits, dot, formula, glued, indexed, joined, named, square_of, square_root
from ..support.numbers import number_text
from .letters import D_I, GAMMA, Z_I, D, L, R, U, W, few

if TYPE_CHECKING:
    from .ledger import Ledger

_MAX_ROWS = 12
"""Rows of an obstruction that are listed."""


def obstructed(problem: AnyProblem, obstruction: Obstruction, tie: int, ended: bool = False) -> list[Block]:
    """Show rows that add up to zero, and what that means for runs, of which one may have ended all the same."""
    rows, multipliers = obstruction.rows, obstruction.multipliers
    names = RowNames(problem, rows[:_MAX_ROWS])
    short = len(rows) <= _MAX_ROWS and max(multipliers) < 10**6 and names.of_one_file
    if short:
        terms = [
            indexed("z", i) if m == 1 else glued(digits(number_text(m)), Formula("*", r"\, "), indexed("z", i))
            for i, m in zip(map(names.index, rows), multipliers, strict=True)
        ]
        line = formula(joined(" + ", terms), "=", "0")
        what = (
            f"{names.listed(rows)}{names.aside}{',' if names.aside else ''} add up to zero:"
            if len(rows) > 1
            else f"{names.name(rows[0])} is zero:"
        )
    else:
        terms = [formula(glued(named("lambda"), Formula(f"_{k}", f"_{{{k}}}")), indexed("z", k)) for k in (1, 2)]
        line = formula(joined(" + ", [*terms, "..."]), "=", "0")
        what = f"{len(rows):,} rows, times positive numbers that the certificate holds, add up to zero:"
    never = "every pass, for ever, has a mistake on one of them. However many passes are allowed, the run cannot halt."
    if zero_always_errs(tie):
        halting = never
    elif problem.intercept:  # the multipliers of both classes add up to the same
        halting = f"as rows of both classes are among them, one is wrong whatever a score of 0 predicts: {never}"
    else:
        halting = (
            "every pass meets one of them that is not strictly on its right side. The tie rule counts a score of exactly 0 "
            "as right for one of the classes, so that the run may halt with rows on the hyperplane; otherwise it runs for "
            "ever."
        )
    opening = "Why a run of many passes does not end"
    if not (zero_always_errs(tie) or problem.intercept):
        opening = "Why a run need not end, though this one did" if ended else "Why a run need not end"
    return [
        f"{opening}: signed by their labels, {what}",
        Formulas([line]),
        said(
            "Whatever the weights {}, the scores {} of these rows, so multiplied, add up to 0; they are not all positive, "
            f"and {halting}",
            W,
            dot(W, Z_I),
        ),
    ]


def one_pass(ledger: Ledger) -> list[Block]:
    """Say what the two bounds of one pass make of the rows."""
    online, hinge, n = ledger.online, ledger.hinge, ledger.problem.n
    if online is None or hinge is None:  # rows in blocks
        return ["Bounds for one pass, which take a descent over all rows, are not looked for on a stream."]
    score = dot(U, Z_I)
    short = glued(named("max"), "(0, ", GAMMA, " - ", score, ")")
    loss = glued(named("max"), "(0, 1 - ", score, " / ", GAMMA, ")")
    ratio = formula(R, "/", GAMMA)
    inner = formula(square_of(R), "/", square_of(GAMMA), "+ 4", L)
    blocks: list[Block] = [
        said(
            "What can be said of one pass. For any unit vector {} and {} let row i fall short of {} by "
            "{}, and let {} be the sum of the {}. Then one pass from zero makes at most "
            "{} mistakes (Freund and Schapire 1999).",
            U, formula(GAMMA, ">", "0"), GAMMA, formula(D_I, "=", short), square_of(D), square_of(D_I),
            square_of(glued("(", formula("(R + D)", "/", GAMMA), ")")),
        ),
        said(
            "And with {} the hinge loss, the sum of {} over all rows, it makes at most {} mistakes.",
            L, loss, formula(square_of(glued("(", formula(ratio, "+", square_root(inner)), ")")), "/ 4"),
        ),
    ]  # fmt: skip
    if online.direction is None and hinge.direction is None:
        vacuous = said(
            f"No {{}} was found for which either is less than {n:,}, the number of rows, and more mistakes than rows no "
            f"pass can make: the bounds are vacuous here. One pass made {online.mistakes:,}.",
            U,
        )
        return [*blocks, vacuous]
    radius = formula(R, "=", few(ledger.radius))
    for bound, name, by in (
        (online, "The first", formula(D, "=", few(online.deviation))),
        (hinge, "The second", formula(L, "=", few(hinge.loss))),
    ):
        if bound.direction is None:
            text = said(f"{name} is vacuous here: no {{}} was found for which it is less than {n:,}, the number of rows.", U)
        else:
            text = said(
                f"{name}, with {{}}, {{}} and the best {{}} found, {{}}: at most {few(bound.bound).text} mistakes in a pass "
                f"over {n:,} rows.",
                radius, formula(GAMMA, "=", few(bound.gamma)), U, by,
            )  # fmt: skip
        blocks.append(text)
    return [*blocks, f"One pass made {online.mistakes:,}."]
