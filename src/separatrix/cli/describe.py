"""The command ``describe``: what a table holds, before anything is made of it."""

from __future__ import annotations

import json
import sys

from ..support.console import console
from .options import Choosing, DataFiles, Json, Reading, with_data_options
from .terminal import progress


@with_data_options
def describe(data: DataFiles, choosing: Choosing, reading: Reading, as_json: Json = False) -> None:
    """Show what a table holds, and what would be made of it: columns, gaps, classes, duplicates, contradictions."""
    from ..tables.data import Choice
    from ..tables.description import describe as described

    choice = Choice(choosing.label, choosing.drop, choosing.only, choosing.text, choosing.missing)  # type: ignore[arg-type]
    with progress("reading the table", "Ctrl-C stops it"):
        result = described(data, choice, layout=reading.layout(), kind=reading.kind, positive=choosing.positive)
    if as_json:
        print(json.dumps(result.document(), indent=1))
    elif (out := console()).is_terminal:
        out.print(result)
    else:
        sys.stdout.write(result.explain(out.width))
