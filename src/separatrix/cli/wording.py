"""What the library says, in the words of the command line: parameters are options here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..support import remedies
from ..support.escaping import brief, command, shown
from ..support.remedies import Question, Remedy

MAX_CLASSES_SHOWN = 12
"""Classes that are named one by one."""

_OPTIONS = {"gaps": "--gap", "columns": "--json", "rows_given_up": "what --json prints"}
"""What the command line calls otherwise than Python does."""

_OF_TABLES = ("drop", "only", "text", "gaps", "sheet")
"""Parameters whose values are texts from a table, which are quoted."""


def option_text(remedy: Remedy, quote: Callable[[str], str] = brief) -> str:
    """Write a remedy as an option; texts from a table are quoted by a function.

    >>> print(option_text(Remedy("missing", "drop-rows")), option_text(Remedy("header", False)))
    --missing drop-rows --no-header
    >>> print(option_text(Remedy("max_iter")), option_text(Remedy("gaps", ["-"])), option_text(Remedy("drop", 3)))
    --max-iter --gap '-' --drop 3
    """
    name, value = remedy
    option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
    if value is None or value is True:
        return option
    if value is False:
        return f"--no-{option.removeprefix('--')}"
    values = value if isinstance(value, list) else [value]
    quoted = name in _OF_TABLES
    return " ".join(f"{option} {quote(each) if quoted and isinstance(each, str) else _plainly(each)}" for each in values)


def _plainly(value: object) -> str:
    """Write a value as a shell takes it, without quotation marks where it needs none."""
    if value == "'":
        return '"\'"'
    return command([value]) if isinstance(value, str) and len(value) == 1 else shown(value)


def option_for_shell(remedy: Remedy) -> str:
    """Write a remedy as an option that can be given to a shell as it is."""
    return option_text(remedy, lambda text: command([text]))


def command_text(question: Question) -> str:
    """Write a function that answers something as the command that does.

    >>> command_text(Question("least_errors"))
    'separatrix least-errors'
    """
    return f"separatrix {question.function.replace('_', '-')}"


def worded(what: object) -> str:
    """Return a message, an error or a warning of the library as a text, with options for remedies."""
    return remedies.worded(what, option_text, command_text)


def all_worded(messages: Iterable[Any]) -> list[str]:
    """Return messages as texts, with options for remedies."""
    return list(map(worded, messages))
