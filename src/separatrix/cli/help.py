"""What ``--help`` shows: commands by what one comes for, each with a whole sentence, and options in groups."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any

from typer.core import TyperCommand, TyperGroup

from .options import DATA_OPTIONS

JOBS = {
    "Look at data": ("describe", "examples"),
    "Decide and prove": ("decide", "least-errors", "mistake-bound", "verify", "checker"),
    "Learn and use": ("fit", "compare", "predict", "score", "export", "report", "play"),
    "Teach": ("audit", "check-run", "exercise", "worst-order", "boolean-functions"),
}
"""The commands, by what one comes for; one that is not here is learnt and used."""

_OTHERS = "Learn and use"

_OUTPUT = {
    "model", "certificate", "output", "steps", "mistakes_only", "first", "task", "solution", "without_rows", "style",
    "markdown", "spreadsheet_safe", "exit_code", "as_json", "help",
}  # fmt: skip
"""Options about what is written, and where."""

_DATA, _OWN, _WRITTEN, _LAYOUT = "Data", "Options", "Output", "How the file is written"

_OWN_TITLES = {"fit": "Algorithm"}
"""What a command's own options are about, where that is one thing."""

_KINDS = {"str": "TEXT", "list[str]": "TEXT", "int": "N", "float": "NUMBER", "path": "FILE"}
"""What values of a type are called."""

_TYPE = re.compile(r" ?<([a-z\[\]]+)>")


@cache
def _groups() -> dict[str, str]:
    """Return the group of each option that several commands share."""
    of_data = {"choice": _DATA, "layout": _LAYOUT}
    shared = {name: title for key, title in of_data.items() for name in inspect.signature(DATA_OPTIONS[key]).parameters}
    return {**shared, **dict.fromkeys(_OUTPUT, _WRITTEN), "weights": _DATA, "unseen": _DATA}


class GroupedCommand(TyperCommand):
    """A command whose help has its options in groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options, group by group."""
        found: dict[str, list[tuple[str, str]]] = {"Arguments": [], _DATA: [], _OWN: [], _WRITTEN: [], _LAYOUT: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            if param.param_type_name == "argument":
                found["Arguments"].append((_TYPE.sub("", record[0]), record[1]))
            else:
                found[_groups().get(str(param.name), _OWN)].append((_TYPE.sub(_kind, record[0]), record[1]))
        for title, records in found.items():
            if records:
                with formatter.section(_OWN_TITLES.get(str(self.name), _OWN) if title == _OWN else title):
                    formatter.write_dl(records)


def _kind(match: re.Match[str]) -> str:
    return f" {_KINDS.get(match[1], match[1])}"


class GroupedCommands(TyperGroup):
    """The commands, in groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, job by job, each with the first sentence of its help."""
        jobs = {name: job for job, names in JOBS.items() for name in names}
        width = max(map(len, self.commands))
        for job in JOBS:
            records = [
                (name.ljust(width), _sentence(command))
                for name, command in self.commands.items()
                if jobs.get(name, _OTHERS) == job and not command.hidden
            ]
            order = {name: k for k, name in enumerate(JOBS[job])}
            records.sort(key=lambda record: order.get(record[0].rstrip(), len(order)))
            with formatter.section(job):
                formatter.write_dl(records)


def _sentence(command: Any) -> str:
    """Return the first paragraph of a command's help."""
    return " ".join(inspect.cleandoc(command.help or "").split("\n\n")[0].split())
