"""A console of rich that prints texts as they are."""

from __future__ import annotations

import io
from typing import Any


def console(**options: Any) -> Any:
    """Return a console that prints texts as they are: names of columns and classes are no markup."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, **options)


def printed(what: Any, width: int) -> str:
    """Return what a terminal of some width, without colours, would show of something that rich can print."""
    text = io.StringIO()
    console(file=text, width=width, color_system=None).print(what)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"
