"""Texts in blocks, paragraphs and tables and displayed formulas, built once and written as text, Markdown, LaTeX or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

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
        return self._table(block) if isinstance(block, Grid) else self.sentence(block)

    def _words(self, text: str) -> str:
        return tamed(text)

    def _inline(self, formula: Formula) -> str:
        return formula.text

    def _display(self, formulas: Formulas) -> str:
        return "\n".join(f"    {line.text}" for line in formulas.lines)

    def _table(self, grid: Grid) -> str:
        header, *rows = [[self.sentence(cell) for cell in line] for line in (grid.header, *grid.rows)]
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        lines = [header, ["-" * width for width in widths], *rows]
        texts = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join(f"    {text}".rstrip() for text in texts)


class Markdown(Style):
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


class Latex(Style):
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


class Html(Style):
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
