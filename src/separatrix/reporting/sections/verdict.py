"""Whether a hyperplane separates the classes, and why."""

from __future__ import annotations

from typing import Any

from ...pictures import plot
from ...problem.row_names import RowNames
from ...problem.wording import class_name
from ...separation.verdict import Status, Verdict
from ...support.counts import few_of
from ..draft import Draft
from ..markup import Markup, name, paragraphs, section, written_out

_TOO_LONG = "The names of the columns are too long to write the proof out here; the certificate below has it."

HEADLINES = {
    Status.SEPARABLE: "Separable",
    Status.QUASI_SEPARABLE: "Not separable, but quasi-separable",
    Status.OVERLAPPING: "Not separable: the classes overlap",
    Status.UNKNOWN: "Not known",
}

_ASKED = ["decide"], "sx.decide({data})"
"""The command, and the call in Python, that answer it."""

_MEANING = {
    Status.SEPARABLE: (
        "A perceptron comes to rest on these rows, whatever the order in which it visits them. A logistic regression "
        "without a penalty has no estimate here: its coefficients grow without end."
    ),
    Status.QUASI_SEPARABLE: (
        "No perceptron comes to rest on these rows. A logistic regression without a penalty has no estimate here either: "
        "some of its coefficients grow without end."
    ),
    Status.OVERLAPPING: (
        "No perceptron comes to rest on these rows: it makes mistakes for ever. A logistic regression has an estimate."
    ),
}


def verdict_section(draft: Draft) -> Markup:
    """Write the verdict with its proof."""
    found = draft.answers.verdict
    if found is None:
        return section("verdict", "The verdict", *draft.not_done("It was not decided", *_ASKED))
    told = draft.not_done("It was not decided", *_ASKED) if found.status is Status.UNKNOWN else []
    if found.certificate is None:
        return section("verdict", "The verdict", paragraphs(found.message), *told)
    return section(
        "verdict", "The verdict and its proof", paragraphs(_MEANING.get(found.status)), _picture(draft, found),
        _proof(draft, found), _columns(draft) if draft.without_rows else None, *told,
    )  # fmt: skip


def _proof(draft: Draft, found: Verdict) -> Markup:
    if draft.without_rows and found.witness is not None:
        rows = RowNames(found.problem).listed(found.witness.tolist())
        return paragraphs(
            found.message,
            f"The rows that prove it are {rows}; their values, and so the sum that proves it, are left out of this report.",
        )
    if draft.without_rows:  # the rows nearest to the hyperplane, with their distances, would be in it
        return paragraphs(found.message)
    if found.witness is not None:
        draft.values_of(found.witness.tolist())
    return written_out(found.explain("html"), "The rows that prove it", _TOO_LONG)


def _columns(draft: Draft) -> Markup | None:
    """Say which columns suffice, if that is fewer than all."""
    columns = draft.answers.columns
    if not columns or len(columns) >= draft.material.d:
        return None
    names = [name(each if isinstance(each, str) else f"x{each + 1}") for each in columns]
    if len(names) == 1:
        return paragraphs(f"The column {names[0]} alone separates the same rows.")
    return paragraphs(
        f"The columns {few_of(names, 10, in_all=True)} alone separate the same rows; none of them can be left out, but "
        "other sets may do as well."
    )


def _picture(draft: Draft, found: Verdict) -> Markup:
    problem = found.problem
    one, other = class_name(problem, 1), class_name(problem, -1)
    if not draft.without_rows and draft.has_time_for() and draft.scene(found).witness is not None:
        caption = f"Why no hyperplane separates class {one} from class {other}: mixtures of the ringed rows meet in a point."
        return draft.picture("verdict", plot.witness, found, caption)
    if found.separable:
        caption = (
            f"The hyperplane of the proof: every row of class {one} on one side, every row of class {other} on the other."
        )
    else:
        caption = f"The rows of class {one} and of class {other}."
    return draft.picture("verdict", plot.boundary, found, caption)


def headline(draft: Draft) -> tuple[str, str, str]:
    """Return the verdict in a few words, in a sentence, and what kind it is: yes, no or open."""
    found = draft.answers.verdict
    if found is None:
        came = "The time limit" if draft.answers.out_of_time else "Ctrl-C"
        return HEADLINES[Status.UNKNOWN], f"{came} came before the classes were decided.", "open"
    kind = {True: "yes", False: "no", None: "open"}[found.separable]
    words = "Not separable" if found.status is Status.UNKNOWN and kind == "no" else HEADLINES[found.status]
    return words, found.message, kind


def facts(draft: Draft) -> list[tuple[str, str, Any]]:
    """Return what is said of the verdict at a glance: a key, a title, a text."""
    material, answers = draft.material, draft.answers
    found: list[tuple[str, str, Any]] = [
        ("rows", "rows", f"{material.n:,}"),
        ("features", "features", f"{material.d:,}"),
    ]
    found += [("class", f"rows of class {name(each)}", f"{count:,}") for each, count in material.counts[:6]]
    if answers.margin is not None:
        found.append(("margin", "margin, proved", f"{answers.margin.lo:.6g}"))
    if answers.disagreement is not None and answers.separable is not True:
        least, best = answers.disagreement.lower, answers.disagreement.upper
        text = f"{least:,}" if answers.disagreement.optimal else f"{least:,} to {best:,}"
        found.append(("least-errors", "fewest errors, proved", text))
    if answers.ledger is not None:
        found.append(("mistakes", "perceptron’s mistakes", f"{answers.ledger.mistakes:,}"))
    return found
