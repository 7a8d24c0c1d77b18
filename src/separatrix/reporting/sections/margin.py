"""The margin, and the rows that hold it."""

from __future__ import annotations

from ...pictures import plot
from ...separation.margins import Margin
from ...support.counts import counted
from ..draft import Draft
from ..markup import Markup, number, paragraphs, section
from ..rows import by_effect, rows_table


def margin_section(draft: Draft) -> Markup:
    """Write how wide the gap between the classes is."""
    found, title = draft.answers.margin, "The margin"
    if found is not None:
        return section("margin", title, *_of(draft, found))
    least = draft.answers.disagreement
    if draft.answers.separable is False or (least is not None and least.lower > 0):
        why = "There is none: no hyperplane separates the classes, so that none has a distance from all rows."
        return section("margin", title, paragraphs(why))
    asked = ["fit", "--algorithm", "max-margin"], 'sx.margin({data}, kind="geometric")'
    return section("margin", title, *draft.not_done("It was not found", *asked))


def _of(draft: Draft, found: Margin) -> list[Markup | None]:
    lo, hi = f"{found.lo:.12g}", f"{found.hi:.12g}"
    known = ["which is proved"] if lo == hi else ["which is proved to be at most ", number("margin-hi", hi, repr(found.hi))]
    weights = found.direction[: found.problem.d]
    support = found.support.tolist()
    drawn = draft.picture(
        "margin", plot.boundary, found,
        "The hyperplane with the widest margin, and the band around it in which no row lies.",
    )  # fmt: skip
    return [
        paragraphs(
            ["No row is nearer to this hyperplane than ", number("margin-lo", lo, repr(found.lo)), ", and no other "
             "hyperplane keeps a larger distance from all rows, ", *known, "."],
            f"{counted(len(support), 'row')} {'holds' if len(support) == 1 else 'hold'} it: move or remove any other, and "
            "the hyperplane stays where it is, unless the other comes nearer.",
        ),
        drawn,
        rows_table(draft, support, by_effect(draft.material, weights), "support", "The rows that hold the margin", {}),
    ]  # fmt: skip
