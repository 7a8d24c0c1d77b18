"""The options that several commands share, above all the one way in which all of them name data and columns."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from glob import glob
from pathlib import Path
from typing import Annotated, Any

import typer

from ..exceptions import FileError
from ..problem.provenance import GAPS, Choice, Layout, all_gaps
from ..support.clock import is_time_limit, read_time_limit

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

DataFiles = Annotated[
    list[str],
    typer.Argument(
        help="CSV or TSV (also compressed or zipped), .xlsx, JSON lines, Parquet, Arrow, LIBSVM, .npy or .npz; - is "
        "standard input."
    ),
]

Intercept = Annotated[bool, typer.Option("--intercept/--no-intercept", help="Whether the hyperplane has one.")]


ModelFile = Annotated[Path, typer.Argument(help="Model file written by fit.")]

Unseen = Annotated[str, typer.Option(help="Categories that were not there before: refuse them, or ignore (count as 0).")]

Order = Annotated[str, typer.Option(help="Order of visits: cyclic, shuffle, random, or all rows in an order such as 2,0,1.")]

Tie = Annotated[str, typer.Option(help="What a score of zero predicts: update (nothing), positive or negative.")]

MaxIter = Annotated[int, typer.Option(help="The most passes.")]

StarNumbers = Annotated[
    str | None,
    typer.Option(help="A w* of your own, as in 2,3,-4: a decimal for each feature in order, and the intercept last."),
]


def read_star(star: str | None) -> list[str] | None:
    """Return the numbers of a w*, as texts."""
    return None if star is None else [number.strip() for number in star.split(",")]


# ---- How files are written, and what is chosen of them.


def _layout(
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Whether the first line has the names of the columns.")
    ] = None,
    separator: Annotated[
        str | None, typer.Option(help="Between the values of a line: comma, semicolon, tab, bar, space, colon or blanks.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Of the text: utf-8, utf-16, latin-1 or cp1252.")] = None,
    gap: Annotated[
        list[str] | None,
        typer.Option(help="A text that stands for a missing value, besides the usual ones; repeatable."),
    ] = None,
    usual_gaps: Annotated[
        bool,
        typer.Option("--usual-gaps/--no-usual-gaps", help="Whether cells that are empty, ?, NA, NaN, NULL … are missing."),
    ] = True,
    kind: Annotated[
        str | None, typer.Option("--format", help="What the file is: csv, xlsx, jsonl, parquet, arrow, libsvm, npy or npz.")
    ] = None,
    sheet: Annotated[
        str | None, typer.Option(help="Of a spreadsheet: the sheet, by name or position, if several are not empty.")
    ] = None,
    skip_lines: Annotated[int | None, typer.Option(help="Lines of a text, or rows of a sheet, before the table.")] = None,
    comment: Annotated[str | None, typer.Option(help="What lines begin with that are left out: # % // or --")] = None,
    decimal: Annotated[str | None, typer.Option(help="The decimal mark of numbers in a text: . or ,")] = None,
    thousands: Annotated[
        str | None, typer.Option(help="What stands between thousands in a text: one of , . ' _ or a space.")
    ] = None,
    numbers: Annotated[
        str, typer.Option(help="How numbers of text are read: decimal, float64 (the nearest), or auto: decimal if all fit.")
    ] = "auto",
    ignore_case: Annotated[
        bool,
        typer.Option("--ignore-case", help="Take labels that differ by case, or by blanks around them, as one."),
    ] = False,
    drop_unlabelled: Annotated[bool, typer.Option("--drop-unlabelled", help="Leave rows without a label out.")] = False,
) -> Layout:
    return Layout(
        header=header,
        separator=separator,
        encoding=encoding,
        gaps=all_gaps(gap or (), usual_gaps),
        format=kind,
        skipped=skip_lines,
        comment=comment,
        decimal=decimal,
        thousands=thousands,
        sheet=sheet,
        ignore_case=ignore_case,
        drop_unlabelled=drop_unlabelled,
        numbers=numbers,  # type: ignore[arg-type]  # the layout refuses what it does not know
    )


def _choice(
    label: Annotated[
        str | None,
        typer.Option(help="The column that holds the classes, by name or position (1 is the first, -1 the last)."),
    ] = None,
    positive: Annotated[str | None, typer.Option(help="The class to set against all others.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; repeatable.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="A column to use, and no others; repeatable.")] = None,
    text: Annotated[
        list[str] | None, typer.Option(help="A column of categories, even if it looks like numbers; repeatable.")
    ] = None,
    missing: Annotated[
        str,
        typer.Option(help="What to do with missing values: refuse, drop-rows, or indicator (0, and a column that tells)."),
    ] = "refuse",
) -> Choice:
    return Choice(
        label=label,
        positive=positive,
        drop=tuple(drop or ()),
        only=tuple(only or ()),
        text=tuple(text or ()),
        missing=missing,  # type: ignore[arg-type]  # the choice refuses what it does not know
    )


DATA_OPTIONS: dict[str, Callable[..., Any]] = {"layout": _layout, "choice": _choice}
"""Groups of options that commands share, by the parameter that takes what they say."""


def with_data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of its parameters ``layout`` and ``choice``, in their place.

    Typer makes an option of each parameter of a function, and has no groups of options that several commands share. So the
    command that it sees is another function: in its signature, the parameters of `_layout` and `_choice` stand where those
    two are, and when it is called, it puts together what the command takes.
    """
    own = inspect.signature(command, eval_str=True).parameters
    groups = [name for name in DATA_OPTIONS if name in own]
    shared = {name: inspect.signature(DATA_OPTIONS[name], eval_str=True).parameters for name in groups}

    def run(**given: Any) -> Any:
        for group, parameters in shared.items():
            given[group] = DATA_OPTIONS[group](**{name: given.pop(name) for name in parameters})
        return command(**given)

    parameters: list[inspect.Parameter] = []
    for name, parameter in own.items():
        parameters += shared[name].values() if name in groups else [parameter]
    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def words_of_layout(layout: Layout) -> list[str]:
    """Return the options that say of files what a layout says."""
    header = {None: [], True: ["--header"], False: ["--no-header"]}[layout.header]
    usual = set(GAPS) <= set(layout.gaps)
    gaps = tuple(gap for gap in layout.gaps if not usual or gap not in GAPS)
    numbers = None if layout.numbers == "auto" else layout.numbers
    said = {"--ignore-case": layout.ignore_case, "--drop-unlabelled": layout.drop_unlabelled, "--no-usual-gaps": not usual}
    words = _words(
        separator=layout.separator, encoding=layout.encoding, gap=gaps, format=layout.format, numbers=numbers,
        **{"skip-lines": layout.skipped, "comment": layout.comment, "decimal": layout.decimal},
        thousands=layout.thousands, sheet=layout.sheet,
    )  # fmt: skip
    return [*header, *words, *(option for option, is_said in said.items() if is_said)]


def words_of_choice(choice: Choice) -> list[str]:
    """Return the options that choose the same of a table."""
    missing = None if choice.missing == "refuse" else choice.missing
    return _words(
        label=choice.label, positive=choice.positive, drop=choice.drop, only=choice.only, text=choice.text, missing=missing
    )


def _words(**given: str | int | tuple[str | int, ...] | None) -> list[str]:
    each = {name: (value,) if isinstance(value, str | int) else value or () for name, value in given.items()}
    return [word for name, values in each.items() for value in values for word in (f"--{name}", str(value))]


# ---- What is refused at once, before any work.


_JSON_OBJECT = re.compile(rb'\s*[{\[]\s*(?:"format":\s*"separatrix-(?P<format>[a-z]+)/)?')

_HEAD_BYTES = 1024
"""Bytes that tell what a JSON file is."""


def refuse_unwritable(path: Path | None, option: str, inputs: dict[str, list[str]]) -> None:
    """Say at once, before any work, that a result cannot be written, or would overwrite what it is made from."""
    if path is None:
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise FileError(f"{path} cannot be written: {'it is a' if path.is_dir() else 'there is no such'} folder.")
    if not path.is_file():  # a new file, or one that is not replaced, such as a pipe
        return
    target = path.stat()
    for what, names in inputs.items():
        if any(os.path.samestat(target, found) for name in names for found in _files(name)):
            raise FileError(f"{option} {path} would overwrite {what}.")
    if option == "--model" and (kind := _other_document(path)) is not None:
        raise FileError(
            f"{option} {path} would overwrite {kind}, which is not a model. Name another file, or remove it first."
        )


def _other_document(path: Path) -> str | None:
    """Say what a JSON file is, if it is not a model of ours."""
    with suppress(OSError), path.open("rb") as file:
        found = _JSON_OBJECT.match(file.read(_HEAD_BYTES))
        if found is not None and found["format"] != b"model":
            return "a JSON file" if found["format"] is None else f"a {found['format'].decode()} of separatrix"
    return None


def _files(name: str) -> Iterator[os.stat_result]:
    """Find the files that a name stands for, which may have wildcards or be standard input, by device and number."""
    with suppress(OSError, ValueError):
        if name == "-":
            yield os.fstat(sys.stdin.fileno())
            return
    for each in (name, *glob(name, recursive=True)):
        with suppress(OSError, ValueError):
            yield os.stat(each)


def refuse_style(style: str) -> None:
    """Refuse a style of explanations that there is not."""
    if style not in ("text", "markdown", "latex"):
        raise FileError(f"--style must be text, markdown or latex, got {style!r}.")


def seconds_of(time_limit: float | None, option: str = "--time-limit") -> float | None:
    """Return a time limit in seconds, None if there is none; refuse what does not limit time."""
    if not is_time_limit(time_limit):
        raise FileError(f"{option} must be a number of seconds above 0, got {time_limit:g}.")
    return read_time_limit(time_limit)


def refuse_seed(seed: int | None) -> None:
    """Refuse a seed that is none."""
    if seed is not None and seed < 0:
        raise FileError(f"--seed must be at least 0, got {seed}.")
