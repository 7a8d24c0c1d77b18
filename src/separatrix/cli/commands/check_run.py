"""The command ``check-run``: is a run of the perceptron that was done by hand right."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from ...exceptions import FileError
from ...problem.provenance import Choice, Layout
from .. import inputs
from ..options import DataFiles, Intercept, Json, StarNumbers, Tie, read_star, with_data_options
from ..pages import Page
from ..scaling import Scale, read_scale, scaled
from ..terminal import say
from ..wording import worded


@with_data_options
def check_run(
    run: Annotated[str, typer.Argument(help="CSV of the run, a line for each visit or mistake, as fit --steps writes it.")],
    data: DataFiles,
    choice: Choice,
    layout: Layout,
    tie: Tie = "update",
    intercept: Intercept = True,
    scale: Scale = None,
    order: Annotated[
        str, typer.Option(help="Order of visits: cyclic, any (as the run has it), or the rows of a pass, as 3,1,0,2.")
    ] = "cyclic",
    eta0: Annotated[str, typer.Option(help="The learning rate, a decimal or a fraction.")] = "1",
    start: Annotated[
        str | None, typer.Option(help="The first weights, the intercept last, as 1,1/2,-1; zero if not given.")
    ] = None,
    max_iter: Annotated[int | None, typer.Option(help="The run stops after so many passes at the latest.")] = None,
    star: StarNumbers = None,
    mistakes_only: Annotated[
        bool | None,
        typer.Option("--mistakes-only/--all-visits", help="Whether lines are mistakes only; found out if not said."),
    ] = None,
    first_row: Annotated[int, typer.Option(help="The number that the first row has in the run.")] = 0,
    as_json: Json = False,
) -> None:
    """Check a run done by hand: exit code 0 if it is right, 1 if not, with the first wrong line and the likely cause."""
    from ...problem.ties import TIES
    from ...teaching.checking import check_run as checked
    from ...teaching.hand_run import number

    if tie not in TIES:
        raise FileError(f"--tie must be one of {', '.join(TIES)}, got {tie!r}.")
    if max_iter is not None and max_iter < 1:
        raise FileError(f"--max-iter must be at least 1, got {max_iter}.")
    kind = read_scale(scale)
    given = inputs.read(data, layout, choice)
    y, classes = inputs.two_classes(given, choice.positive)
    rows, about = scaled(given, kind)
    begin: dict[str, Any] = {}
    if start is not None:
        weights = _numbers(start, "--start", number)
        width = rows.shape[1] + intercept
        if len(weights) != width:
            last = ", the intercept last" if intercept else ""
            raise FileError(f"--start has {len(weights)} numbers, expected {width}: one for each feature{last}.")
        begin = {"coef_init": weights[: rows.shape[1]], "intercept_init": weights[-1] if intercept else None}
    found = checked(
        run, rows.rows, y, names=rows.names, classes=classes, tie=tie, fit_intercept=intercept,
        order=order if order in ("cyclic", "any") else [int(each) for each in _numbers(order, "--order", int)],
        eta0=_numbers(eta0, "--eta0", number)[0], max_iter=max_iter, mistakes_only=mistakes_only, first_row=first_row,
        star=read_star(star), **begin,
    )  # fmt: skip
    if as_json:
        texts = {name: worded(value) for name, value in found.document().items() if name in ("hint", "message")}
        print(json.dumps({**found.document(), **texts, "scale": kind}, indent=1))
    else:
        Page().print(lambda: worded(found.explain()), end="")
        for note in about:
            say(f"Note: {note}")
    if not found.right:
        raise typer.Exit(1)


def _numbers(text: str, option: str, reading: Any) -> list[Any]:
    """Read numbers with commas between them."""
    try:
        return [reading(each.strip()) for each in text.split(",")]
    except ValueError:
        raise FileError(f"{option} must be numbers with commas between them, got {text!r}.") from None
