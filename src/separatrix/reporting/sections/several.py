"""More than two classes: what can be said of them all, and how one of them is set against the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...problem.labels import is_class
from ...support.counts import counted
from ...support.escaping import command
from ..draft import Draft
from ..markup import Markup, code, name, number, paragraphs, section, table

_MOST_CLASSES = 40
"""Classes that the table shows."""


def several_section(draft: Draft) -> Markup:
    """Say what is possible with several classes."""
    material = draft.material
    body: list[Any] = [
        paragraphs(
            f"The label has {len(material.classes):,} classes. A perceptron learns them all at once, and classifiers can be "
            "compared, below. What is proved about hyperplanes, though, the verdict, the margin and the fewest errors, is a "
            "matter of two classes: set one against the rest."
        ),
        _how(draft),
        _table(draft),
    ]
    return section("classes", "Several classes", *body)


def _how(draft: Draft) -> Markup:
    origin, material = draft.material.origin, draft.material
    first = material.data.texts[0] if material.data is not None and material.data.texts else str(material.classes[0])
    if origin.files:
        words = ["separatrix", "report", *origin.files, *origin.options, "--positive", first]
        return code(command(words))
    return code(f"sx.report(X, y, positive={material.classes[0]!r})"[:200])


def _table(draft: Draft) -> Markup:
    material, perceptron = draft.material, draft.answers.perceptron
    header, rows = ["class", "rows"], [[name(each), f"{count:,}"] for each, count in material.counts[:_MOST_CLASSES]]
    foot = None
    if perceptron is not None:
        wrong = perceptron.predict(draft.answers.rows_of_run(material)) != material.labels
        header = [*header, "errors of the perceptron"]
        for row, (each, _) in zip(rows, material.counts, strict=False):
            row.append(f"{int(np.count_nonzero(wrong & is_class(material.labels, each))):,}")
        total = int(np.count_nonzero(wrong))
        foot = [
            "The perceptron makes ",
            number("perceptron-errors", f"{total:,}", total),
            f" of {counted(material.n, 'error')} that are possible. {draft.answers.about_run()}",
        ]
    more = len(material.counts) - len(rows)
    note = [foot, f" {counted(more, 'class')} more." if more > 0 else None] if foot or more > 0 else None
    return table("The classes", header, rows, key="classes-table", foot=note)
