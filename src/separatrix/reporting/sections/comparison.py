"""Classifiers side by side."""

from __future__ import annotations

from ...comparison.results import Comparison
from ...pictures import plot
from ..draft import Draft
from ..markup import Markup, items, name, paragraphs, section, table

_SCALED = {
    "none": "Each has learnt from the rows as they are.",
    "standard": "Each has learnt from features of mean 0 and variance 1.",
    "minmax": "Each has learnt from features that reach from 0 to 1.",
    "maxabs": "Each has learnt from features divided by their largest magnitude.",
}

_CAPTION = "Errors of the classifiers: on the rows learnt from, and on others in cross-validation."


def comparison_section(draft: Draft) -> Markup:
    """Write the comparison."""
    found, title = draft.answers.comparison, "Classifiers compared"
    if found is None:
        return section("comparison", title, *draft.not_done("They were not compared", ["compare"], "sx.compare({data})"))
    return section("comparison", title, *_of(draft, found))


def _of(draft: Draft, found: Comparison) -> list[Markup | None]:
    header, rows = found.cells()
    bound, legend, remarks = found.sentences()
    if not rows:
        return [paragraphs(bound, "No classifier had learnt yet.")]
    lines = [[name(cell) for cell in row] for row in rows]
    return [
        paragraphs(bound, _SCALED[found.scale]),
        table("Classifiers on the same rows", header, lines, key="comparison-table", foot=" ".join(legend)),
        draft.picture("comparison", plot.comparison, found, _CAPTION, "comparison", 1.9 + 0.36 * len(rows)),
        items(remarks) if remarks else None,
    ]
