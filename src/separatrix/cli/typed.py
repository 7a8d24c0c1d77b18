"""What was typed, so that a line can be given that is typed instead."""

from __future__ import annotations

from collections.abc import Sequence

from ..support.escaping import command

_words: list[str] = []


def remember(words: Sequence[str]) -> None:
    """Remember what was typed behind the name of the program."""
    _words[:] = words


def typed_again(*more: str) -> str:
    """Write the command that is being run as it was typed, with some words more."""
    return command(["separatrix", *_words, *more])
