"""What users can do about something, as values: Python and the command line have different words for the same parameter.

A message is made of texts and remedies. As a text it is worded for Python; whoever speaks to somebody else words its
``parts`` anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .escaping import brief


class Remedy(NamedTuple):
    """A parameter that helps, and the value to give it; printed as in a call of Python.

    >>> print(Remedy("missing", "drop-rows"), Remedy("drop", 3), Remedy("gaps", ["-"]), Remedy("drop"))
    missing='drop-rows' drop=3 gaps=['-'] drop
    """

    parameter: str
    value: Any = None
    """None: any value will do, or the sentence around says which."""

    def __str__(self) -> str:
        return self.parameter if self.value is None else f"{self.parameter}={_literal(self.value)}"


class Question(NamedTuple):
    """A public function that answers it; printed as in Python. The command line has a command of the same name.

    >>> print(Question("decide"))
    sx.decide
    """

    function: str

    def __str__(self) -> str:
        return f"sx.{self.function}"


def _literal(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return brief(value) if isinstance(value, str) else repr(value)


class Message(str):
    """A text with remedies in it.

    >>> message = Message("Leave such rows out with ", Remedy("missing", "drop-rows"), ".")
    >>> print(message)
    Leave such rows out with missing='drop-rows'.
    >>> worded(message, lambda remedy: f"--{remedy.parameter} {remedy.value}")
    'Leave such rows out with --missing drop-rows.'
    """

    parts: tuple[Any, ...]

    def __new__(cls, *parts: Any) -> Message:
        """Put a message together."""
        self = super().__new__(cls, "".join(map(str, parts)))
        self.parts = parts
        return self


def worded(
    what: object, remedy_text: Callable[[Remedy], str], question_text: Callable[[Question], str] = Question.__str__
) -> str:
    """Return a message, an error or a warning as a text, its remedies and questions in the words of functions."""

    def text(part: str | Remedy | Question) -> str:
        if isinstance(part, Question):
            return question_text(part)
        return remedy_text(part) if isinstance(part, Remedy) else part

    return "".join(map(text, _parts(what)))


def remedies_of(what: object) -> list[Remedy]:
    """Return the remedies that a message, an error or a warning names."""
    return [each for each in _parts(what) if isinstance(each, Remedy)]


def _parts(what: object) -> Iterator[str | Remedy | Question]:
    """Give the texts and the remedies of a message, and of the messages within it, one after the other."""
    parts: Iterable[Any] | None = getattr(what, "parts", None)
    if isinstance(what, Exception) and isinstance(what.args[0] if what.args else None, Message):
        parts = what.args  # an error that was raised with a message, or a warning as `warnings.warn` makes it
    if isinstance(what, Remedy | Question):
        yield what
    elif parts is None:
        yield str(what)
    else:
        for part in parts:
            yield from _parts(part)
