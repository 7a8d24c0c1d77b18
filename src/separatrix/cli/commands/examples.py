"""The command ``examples``: the built-in problems, listed or written as CSV."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ...support.console import console
from ...support.escaping import shown
from ..options import Json
from ..terminal import as_csv, put, say


def examples(
    name: Annotated[str | None, typer.Argument(help="The example to print as CSV; without it, all are listed.")] = None,
    output: Annotated[Path | None, typer.Option(help="Write the example to this CSV file.")] = None,
    gaps: Annotated[float, typer.Option(help="Of the credit examples: the share of answers that are missing.")] = 0.0,
    as_json: Json = False,
) -> None:
    """List the built-in problems, or print one of them as CSV."""
    from ...examples import problems
    from ...exceptions import FileError
    from ...support.writing import write_whole

    if name is None:
        if output is not None:
            raise FileError("--output needs the name of an example.")
        stories = {each: problems.story(each) for each in problems.names()}
        if as_json:
            print(json.dumps(stories, indent=1))
            return
        from rich.table import Table as Grid

        grid = Grid(show_header=False, box=None, padding=(0, 2, 0, 0))
        for each, text in stories.items():
            grid.add_row(each, text)
        console().print(grid)
        return
    example = problems.get(name)
    table = example.table
    if gaps:
        table = problems.with_gaps(name, gaps)
    columns = table.column_names
    rows = [list(row.values()) for row in table.to_pylist()]
    if as_json:
        text = json.dumps({"name": name, "story": example.story, "columns": columns, "rows": rows}) + "\n"
    else:
        text = as_csv(columns, rows)
    if output is None:
        put(text)
        return
    write_whole(output, text)
    say(f"{example.story} {len(rows):,} rows written to {shown(output)}.")
