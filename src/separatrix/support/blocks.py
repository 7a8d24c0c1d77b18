"""Texts in blocks, paragraphs and tables and displayed formulas, built once and written as text, Markdown, LaTeX or HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias
from unicodedata import east_asian_width

from .escaping import html, latex, markdown, tamed
from .formulas import Formula


@dataclass(frozen=True)
class Sentence:
    """A text on one line with formulas in it."""

    parts: tuple[str | Formula, ...]


Line: TypeAlias = str | Sentence
"""A paragraph, or a cell of a table."""


def said(text: str, *formulas: Formula) -> Sentence:
    """Put formulas into a text, in the places of ``{}``.

    >>> said("Since {}, it ends.", Formula("k < 3", "k < 3")).parts
    ('Since ', Formula(text='k < 3', latex='k < 3'), ', it ends.')
    """
    first, *rest = text.split("{}")
    pairs = zip(formulas, rest, strict=True)
    return Sentence((first, *(part for pair in pairs for part in pair)))


@dataclass(frozen=True)
class Formulas:
    """Formulas below each other."""

    lines: list[Formula]


@dataclass(frozen=True)
class Grid:
    """A small table."""

    header: Sequence[Line]
    rows: Sequence[Sequence[Line]]


Block: TypeAlias = Line | Formulas | Grid


_WIDTH: ContextVar[int | None] = ContextVar("width", default=None)


@contextmanager
def lines_of(width: int | None) -> Iterator[None]:
    """Have plain text written in lines of so many characters at most, as far as words allow; None: without an end.

    It is about whoever reads, and not about what is written: so it is no parameter of all that writes.
    """
    token = _WIDTH.set(width)
    try:
        yield
    finally:
        _WIDTH.reset(token)


def wrapped(text: str, indent: str = "", hanging: str = "") -> str:
    """Return a text in lines of the width that is set; words are never broken."""
    width = _WIDTH.get()
    if width is None or len(indent) + len(text) <= width:
        return indent + text
    lines, line = [], indent
    for word in text.split(" "):
        joined = f"{line} {word}" if line.strip() else f"{line}{word}"
        if cell_len(joined) > width and line.strip():
            lines.append(line.rstrip())
            joined = f"{indent}{hanging}{word}"
        line = joined
    return "\n".join([*lines, line.rstrip()])


def cell_len(text: str) -> int:
    """Return the columns that a text takes on a terminal, where some letters take two."""
    return len(text) if text.isascii() else sum(1 + (east_asian_width(each) in "WF") for each in text)


class Style:
    """Plain text; the other styles differ in what they override."""

    def sentence(self, line: Line) -> str:
        """Write a paragraph."""
        parts = (line,) if isinstance(line, str) else line.parts
        return "".join(self._words(part) if isinstance(part, str) else self._inline(part) for part in parts)

    def render(self, blocks: Sequence[Block]) -> str:
        """Write the blocks."""
        return "\n\n".join(self._block(block) for block in blocks) + "\n"

    def _block(self, block: Block) -> str:
        if isinstance(block, Formulas):
            return self._display(block)
        return self._table(block) if isinstance(block, Grid) else self._paragraph(block)

    def _paragraph(self, line: Line) -> str:
        return wrapped(self.sentence(line))

    def _words(self, text: str) -> str:
        return tamed(text)

    def _inline(self, formula: Formula) -> str:
        return formula.text

    def _display(self, formulas: Formulas) -> str:
        return "\n".join(wrapped(line.text, "    ", "    ") for line in formulas.lines)

    def _table(self, grid: Grid) -> str:
        header, *rows = [[self.sentence(cell) for cell in line] for line in (grid.header, *grid.rows)]
        widths = [max(map(cell_len, column)) for column in zip(header, *rows, strict=True)]
        lines = [header, ["-" * width for width in widths], *rows]
        parts = []
        for shown in _side_by_side(widths):
            texts = ["  ".join(" " * (widths[k] - cell_len(line[k])) + line[k] for k in shown) for line in lines]
            parts.append("\n".join(f"    {text}".rstrip() for text in texts))
        return "\n\n".join(parts)


def _side_by_side(widths: list[int]) -> list[list[int]]:
    """Return the columns of a table, as many at a time as the width has room for; the first comes with all others."""
    width = _WIDTH.get()
    parts, used = [[0]], 4 + widths[0]
    for k, each in enumerate(widths[1:], start=1):
        if width is not None and used + 2 + each > width and len(parts[-1]) > 1:
            parts.append([0])
            used = 4 + widths[0]
        parts[-1].append(k)
        used += 2 + each
    return parts


class _Source(Style):
    """What another program lays out: paragraphs stay on one line."""

    def _paragraph(self, line: Line) -> str:
        return self.sentence(line)


class Markdown(_Source):
    """Markdown, with formulas as code."""

    def _words(self, text: str) -> str:
        return markdown(tamed(text))

    def _inline(self, formula: Formula) -> str:
        return f"`{formula.text}`"

    def _display(self, formulas: Formulas) -> str:
        return "\n".join(["```text", *(line.text for line in formulas.lines), "```"])

    def _table(self, grid: Grid) -> str:
        header, *rows = [[_Cells().sentence(cell) for cell in line] for line in (grid.header, *grid.rows)]
        return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---:"] * len(header), *rows))


class _Cells(Markdown):
    """Cells of a table in Markdown, which a bare bar would end, even in code."""

    def _inline(self, formula: Formula) -> str:
        return super()._inline(formula).replace("|", r"\|")


class Latex(_Source):
    """LaTeX, for a document that loads amsmath."""

    def _words(self, text: str) -> str:
        return latex(tamed(text))

    def _inline(self, formula: Formula) -> str:
        return f"${formula.latex}$"

    def _display(self, formulas: Formulas) -> str:
        return "\\begin{align*}\n" + " \\\\\n".join(f"& {line.latex}" for line in formulas.lines) + "\n\\end{align*}"

    def _table(self, grid: Grid) -> str:
        lines = [" & ".join(map(self.sentence, line)) + r" \\" for line in (grid.header, *grid.rows)]
        lines[0] += r" \hline"
        return "\n".join([rf"\begin{{tabular}}{{{'r' * len(grid.header)}}}", *lines, r"\end{tabular}"])


class Html(_Source):
    """HTML, a piece of a page; all that is not markup of this class is escaped."""

    def _block(self, block: Block) -> str:
        written = super()._block(block)
        return written if isinstance(block, Formulas | Grid) else f"<p>{written}</p>"

    def _words(self, text: str) -> str:
        return html(tamed(text))

    def _inline(self, formula: Formula) -> str:
        return f'<span class="formula">{html(tamed(formula.text))}</span>'

    def _display(self, formulas: Formulas) -> str:
        lines = [f"<div>{self._inline(line)}</div>" for line in formulas.lines]
        return "\n".join(['<div class="formulas">', *lines, "</div>"])

    def _table(self, grid: Grid) -> str:
        header = "".join(f'<th scope="col">{self.sentence(cell)}</th>' for cell in grid.header)
        rows = ["".join(f"<td>{self.sentence(cell)}</td>" for cell in row) for row in grid.rows]
        body = [f"<tr>{row}</tr>" for row in rows]
        return "\n".join(["<table>", f"<thead><tr>{header}</tr></thead>", "<tbody>", *body, "</tbody>", "</table>"])


STYLES = {"text": Style, "markdown": Markdown, "latex": Latex, "html": Html}


def written(blocks: Sequence[Block], format: str) -> str:  # noqa: A002 (the word users expect)
    """Write blocks in one of the styles, or say which there are."""
    if format not in STYLES:
        raise ValueError(f"format={format!r} is not known. Choose one of: {', '.join(map(repr, STYLES))}.")
    return STYLES[format]().render(blocks)
