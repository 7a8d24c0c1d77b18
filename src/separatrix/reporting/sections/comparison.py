"""Classifiers side by side."""

from __future__ import annotations

from ...comparison.results import Comparison
from ..draft import Draft
from ..markup import Markup, items, name, paragraphs, section, table


def comparison_section(draft: Draft) -> Markup:
    """Write the comparison."""
    found, title = draft.answers.comparison, "Classifiers compared"
    if found is None:
        return section("comparison", title, paragraphs("They were not compared: Ctrl-C came first."))
    return section("comparison", title, *_of(found))


def _of(found: Comparison) -> list[Markup | None]:
    header, rows = found.cells()
    bound, legend, remarks = found.sentences()
    if not rows:
        return [paragraphs(bound, "No classifier had learnt yet.")]
    lines = [[name(cell) for cell in row] for row in rows]
    scale = "Each has learnt from features of mean 0 and variance 1." if found.standardised else None
    return [
        paragraphs(bound, scale),
        table("Classifiers on the same rows", header, lines, key="comparison-table", foot=" ".join(legend)),
        items(remarks) if remarks else None,
    ]
