"""The command ``mistake-bound``: how many mistakes the perceptron can make, before any run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from ...exceptions import FileError
from ...problem.provenance import Choice, Layout
from .. import inputs
from ..options import DataFiles, Intercept, Json, StarNumbers, Tie, read_star, refuse_style, with_data_options
from ..pages import Page
from ..scaling import Scale, read_scale, scaled
from ..streams import Memory, positive_class, refuse_in_blocks, stream_of
from ..terminal import progress
from ..wording import all_worded

if TYPE_CHECKING:
    from ...streaming.stream import Stream
    from ...tables.data import Data


@with_data_options
def mistake_bound(
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    tie: Tie = "update",
    intercept: Intercept = True,
    scale: Scale = None,
    exact: Annotated[bool, typer.Option("--exact", help="Find the margin exactly, which takes longer.")] = False,
    star: StarNumbers = None,
    memory: Memory = None,
    style: Annotated[str, typer.Option(help="How to write it: text, markdown or latex.")] = "text",
    as_json: Json = False,
) -> None:
    """Bound the mistakes of the perceptron before any run: R^2 / gamma^2, by the convergence theorem."""
    from ...problem.ties import TIES
    from ...support.blocks import STYLES
    from ...theorem.mistake_bound import mistake_bound as bounded

    refuse_style(style)
    if tie not in TIES:
        raise FileError(f"--tie must be {', '.join(TIES)}, got {tie!r}.")
    kind = read_scale(scale)
    refuse_in_blocks(memory, {"--scale": scale}.items())
    rows: Data | Stream
    if memory is None:
        given = inputs.read(data, layout, choice)
        named = inputs.positive_class(given, choice.positive)
        rows, about = scaled(given, kind)
        notes, reading = [*about, *all_worded(given.notes())], rows.rows.reading
    else:
        with progress("reading the table", "Ctrl-C stops it"):
            rows = stream_of(data, layout, choice, memory)
        named = positive_class(rows, choice.positive)
        notes, reading = all_worded(rows.notes()), rows.facts.reading
    with progress("finding the margin", "Ctrl-C stops it"):
        found = bounded(rows, positive=named, fit_intercept=intercept, tie=tie, exact=exact or None, star=read_star(star))
    witness = None
    if found.obstruction is not None and found.obstruction.obstruction is not None:
        witness = list(map(int, found.obstruction.obstruction.rows))
    if as_json:
        margin = found.margin
        squared = None if margin is None or margin.squared is None else str(margin.squared)
        result = {
            "rows": found.problem.n, "features": rows.names, "classes": list(found.problem.classes), "tie": tie,
            "scale": kind,
            "numbers": reading, "radius": found.radius, "radius_squared": str(found.radius_squared),
            "longest_rows": list(found.longest), "separable": margin is not None,
            "margin": None if margin is None else [margin.lo, margin.hi], "margin_squared": squared,
            "bound": None if found.bound is None else list(found.bound), "most_mistakes": found.most_mistakes,
            "star": None if found.star is None else {
                "weights": found.star.weights.strings(), "margin": found.star.margin,
                "margin_squared": str(found.star.margin_squared), "row": found.star.row, "bound": found.star_bound,
            },
            "witness": witness, "witness_places": None if witness is None else rows.locate(witness), "notes": notes,
        }  # fmt: skip
        print(json.dumps(result, indent=1))
        return
    out, sentence = Page(style), STYLES[style]().sentence
    out.print(lambda: found.explain(style).rstrip())
    for note in notes:
        out.print(f"\n{sentence(f'Note: {note}')}")
