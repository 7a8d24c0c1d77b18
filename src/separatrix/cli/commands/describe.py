"""The command ``describe``: what a table holds, before anything is made of it."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

from ...problem.provenance import Choice, Layout
from ...support.console import console
from ..options import DataFiles, Json, with_data_options
from ..terminal import progress
from ..wording import option_for_shell


@with_data_options
def describe(data: DataFiles, choice: Choice, layout: Layout, as_json: Json = False) -> None:
    """Show what a table holds, and what would be made of it: columns, gaps, classes, duplicates, contradictions."""
    from ...tables.description import describe as described

    with progress("reading the table", "Ctrl-C stops it"):
        result = replace(described(data, choice, layout=layout), remedy_text=option_for_shell)
    if as_json:
        print(json.dumps(result.document(), indent=1))
    elif (out := console()).is_terminal:
        out.print(result)
    else:
        sys.stdout.write(result.explain(width=out.width))
