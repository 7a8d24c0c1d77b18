"""A console of rich that prints texts as they are."""

from __future__ import annotations

from typing import Any


def console(**options: Any) -> Any:
    """Return a console that prints texts as they are: names of columns and classes are no markup."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, **options)
