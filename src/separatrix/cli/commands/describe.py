"""The command ``describe``: what a table holds, before anything is made of it."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from ...problem.provenance import Choice, Layout
from ...support.console import console
from ..clusters import Scheduler
from ..options import DataFiles, Json, with_data_options
from ..streams import InBlocks, Memory, in_blocks
from ..terminal import progress
from ..wording import option_for_shell

if TYPE_CHECKING:
    from ...tables.description_text import Description


@with_data_options
def describe(
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    memory: Memory = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Show what a table holds, and what would be made of it: columns, gaps, classes, duplicates, contradictions."""
    with progress("reading the table", "Ctrl-C stops it"):
        result = replace(_described(data, choice, layout, in_blocks(memory, scheduler)), remedy_text=option_for_shell)
    if as_json:
        print(json.dumps(result.document(), indent=1))
    elif (out := console()).is_terminal:
        out.print(result)
    else:
        sys.stdout.write(result.explain(width=out.width))


def _described(data: list[str], choice: Choice, layout: Layout, blocks: InBlocks | None) -> Description:
    if blocks is not None:
        return blocks.described(data, layout, choice)
    from ...tables.description import describe as in_memory

    return in_memory(data, choice, layout=layout)
