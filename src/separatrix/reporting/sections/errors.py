"""How many errors no hyperplane avoids, and where those of the best one are."""

from __future__ import annotations

import numpy as np

from ...errors.disagreement import Disagreement
from ...pictures import plot
from ...problem.lifted import Lifted
from ..draft import Draft
from ..markup import Markup, details, number, paragraphs, section, written_out
from ..rows import by_effect, rows_table

_TOO_LONG = "The names of the columns are too long to write it out here; the certificate below has it."


def errors_section(draft: Draft) -> Markup:
    """Write how many errors there are, at least, and where."""
    found, title = draft.answers.disagreement, "Errors"
    if found is None:
        asked = ["least-errors", "--time-limit", "inf"], "sx.least_errors({data}, time_limit=None)"
        return section("errors", title, *draft.not_done("The fewest errors were not looked for", *asked))
    return section("errors", title, *(_some(draft, found) if len(found.rows_given_up) else _none(found)))


def _bounds(found: Disagreement) -> list[Markup | str]:
    lower, upper = (
        number("errors-lower", f"{found.lower:,}", found.lower),
        number("errors-upper", f"{found.upper:,}", found.upper),
    )
    if found.optimal:
        errors = "error" if found.upper == 1 else "errors"
        return ["The best hyperplane makes ", upper, f" {errors} on these rows, and no hyperplane makes fewer than ", lower,
                ": both are proved."]  # fmt: skip
    return ["The best hyperplane that was found makes ", upper, " errors on these rows. That no hyperplane makes fewer ",
            "than ", lower, " is proved; what is between is not known, and more time may narrow it."]  # fmt: skip


def _none(found: Disagreement) -> list[Markup]:
    lower, upper = number("errors-lower", "0", found.lower), number("errors-upper", "0", found.upper)
    return [paragraphs(["No errors need be made, as a hyperplane separates the classes: it makes ", upper,
                        ", and none makes fewer than ", lower, "."])]  # fmt: skip


def _some(draft: Draft, found: Disagreement) -> list[Markup | None]:
    rows = found.rows_given_up
    on = Lifted.of(found.problem).signs(found.weights)[rows] == 0
    sides = np.where(on, "on the hyperplane", "wrong")
    order = by_effect(draft.material, found.coef)
    drawn = draft.picture(
        "errors", plot.boundary, found, "The hyperplane with the fewest errors that was found, and the rows it has wrong."
    )
    return [
        paragraphs(_bounds(found)),
        drawn,
        rows_table(draft, rows.tolist(), order, "error-rows", "Where the errors are", {"side": sides.tolist()}),
        _course(draft, found),
        details(
            "Why there are no fewer" if found.optimal else "Why there are not many fewer",
            written_out(found.explain("html"), "The hyperplane", _TOO_LONG),
        ),
    ]


def _course(draft: Draft, found: Disagreement) -> Markup | None:
    """Show how the bounds came together, if they did not at once."""
    if len(found.history) < 3:
        return None
    caption = "The search over time: the errors of the best hyperplane found, and the errors that were proved unavoidable."
    return draft.picture("bounds", plot.bounds, found, caption, "bounds", 3.8)
