"""Texts for whoever reads: on a terminal in lines of its width, in a file or a pipe a paragraph a line.

Programs that read the output can rely on the latter; and a person who wants it otherwise has ``fold -s``.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from typing import IO, Any

from ..support.blocks import lines_of, wrapped

_LEAST_WIDTH = 40
"""Columns that a terminal has at least: some say that they have none."""

_COMMAND = re.compile(r"(.*:) (separatrix .+)")
"""What ends with a command to type."""


def width_of(stream: IO[Any] | None) -> int | None:
    """Return the columns of a terminal; None if the stream is no terminal, which has no width."""
    if stream is None or not stream.isatty():
        return None
    return max(_LEAST_WIDTH, shutil.get_terminal_size().columns)


class Page:
    """Standard output, for texts of a style; Markdown and LaTeX are for other programs, which lay them out."""

    def __init__(self, style: str = "text") -> None:
        self.style = style

    def print(self, text: str | Callable[[], str], end: str = "\n") -> None:
        """Print a text, or what a function makes for this width; lines that begin with a blank stay as they are."""
        with lines_of(width_of(sys.stdout) if self.style == "text" else None):
            made = text if isinstance(text, str) else text()
            sys.stdout.write("\n".join(map(laid_out, made.split("\n"))) + end)


def laid_out(line: str) -> str:
    """Return a line in lines of the width that is set; a command that it ends with stays whole, to be copied."""
    whole = wrapped(line)
    if whole == line or line.startswith(" "):
        return line
    ends = _COMMAND.fullmatch(line)
    return whole if ends is None else f"{wrapped(ends[1])}\n    {ends[2]}"
