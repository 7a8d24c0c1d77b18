"""The convergence theorem on the run of the perceptron."""

from __future__ import annotations

import math

from ...pictures import plot
from ...pictures.scene import Scene
from ...pictures.scenery.courses import course_of
from ...support.counts import counted
from ...theorem.ledger import Ledger
from ..draft import Draft
from ..markup import Markup, details, number, paragraphs, section, table, written_out

_TOO_LONG = "It is too long to write it out here: `separatrix audit` prints it."


def theorem_section(draft: Draft) -> Markup:
    """Write what the theorem says of the run."""
    found, title = draft.answers.ledger, "The convergence theorem on this run"
    if found is None:
        asked = ["audit"], "sx.audit(sx.Perceptron().fit({pair}), {pair})"
        return section("theorem", title, *draft.not_done("The run was not held against the theorem", *asked))
    return section("theorem", title, *_of(draft, found))


def _of(draft: Draft, found: Ledger) -> list[Markup | None]:
    ended = "and came to a pass without one" if found.converged else "and was stopped before a pass without one"
    run = f"A perceptron that visits the rows in their order, again and again, made {counted(found.mistakes, 'mistake')} in "
    run += f"{counted(found.passes, 'pass')}, {ended}."
    rows = [
        ["mistakes", "k", number("mistakes", f"{found.mistakes:,}", found.mistakes)],
        ["passes", "", number("passes", f"{found.passes:,}", found.passes)],
        [
            "length of the longest row, with a 1 for the intercept",
            "R",
            number("radius", f"{found.radius:.6g}", repr(found.radius)),
        ],
    ]
    if found.margin is not None and found.bound is not None:
        lo, most = found.margin.lo, found.bound[1]
        rows += [
            ["margin of these rows", "gamma", number("lifted-margin", f"{lo:.6g}", repr(lo))],
            ["mistakes that the theorem allows", "(R / gamma)²", number("bound", _bound(most), repr(most))],
        ]
        says = "The theorem says that it must come to rest after so many mistakes at most, whatever the order of visits."
    else:
        says = (
            "No hyperplane separates the classes, so that the theorem promises nothing: the run would go on for ever. What "
            "is known all the same is checked below."
        )
    outcome = (
        "Every statement of the proof was checked on this run, and holds." if found.holds else " ".join(found.violations)
    )
    return [
        paragraphs(f"{run} {draft.answers.about_run()}", says),
        table("The run in numbers", ["quantity", "letter", "value"], rows, key="run", words=2),
        *_pictures(draft, found),
        paragraphs(outcome),
        _proof(draft, found),
    ]


def _bound(most: float) -> str:
    return f"{most:,.6g}" if math.isfinite(most) else "beyond float64"


def _proof(draft: Draft, found: Ledger) -> Markup:
    if draft.without_rows:
        return paragraphs("The steps of the proof on this run are left out: they give the lengths of single rows.")
    steps = written_out(found.explain("html"), "The run, mistake by mistake", _TOO_LONG)
    return details("The proof, step by step, with the numbers of this run", steps)


def _pictures(draft: Draft, found: Ledger) -> list[Markup | None]:
    if not found.mistakes or draft.without_rows:
        return []
    seen = Scene(repr(found), course=course_of(found))  # not all that there is to see of an audit, which takes long
    if found.margin is None:
        caption = "The length of the weights after k mistakes, which is never above its line."
        return [draft.picture("squeeze", plot.squeeze, seen, caption, "course", 4.2)]
    squeeze = (
        "The squeeze: after k mistakes the weights are at least as long as their alignment with w*, which is never below "
        "its line, and at most as long as the other line. The lines meet where the theorem lets the run end at the latest."
    )
    alignment = (
        "How well the weights are aligned with w*: the cosine of the angle between them, and the line it is never below."
    )
    return [
        draft.picture("squeeze", plot.squeeze, seen, squeeze, "course", 4.2),
        draft.picture("alignment", plot.alignment, seen, alignment, "course", 4.2),
    ]
