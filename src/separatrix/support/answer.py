"""What every public result can do: say what it is in words, and be shown in a notebook."""

from __future__ import annotations

from .notebook import framed


class Answer:
    """A result that explains itself. Those with a picture show it in notebooks, too; see `support.notebook`."""

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Say it in words: ``format`` is "text", "markdown", "latex" or "html"."""
        raise NotImplementedError

    def _repr_markdown_(self) -> str:
        return self.explain("markdown")

    def _repr_html_(self) -> str:
        return framed(self.explain("html"))
