"""Texts in blocks, paragraphs and tables and displayed formulas, built once and rendered as text, Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from .escaping import latex, markdown, tamed
from .numbers import number_text


@dataclass(frozen=True)
class Formulas:
    """Formulas below each other."""

    lines: list[str]


@dataclass(frozen=True)
class Grid:
    """A small table."""

    header: list[str]
    rows: list[list[str]]


Block: TypeAlias = str | Formulas | Grid


class Style:
    """Plain text; the other styles differ in what they override."""

    greater, times, plus, minus, more, score = ">", "*", "+", "-", "…", "score"

    def name(self, text: str) -> str:
        """Return a feature's name as formulas have it."""
        return text if text.isidentifier() else f"[{text}]"

    def weight(self, j: int, name: str) -> str:
        """Return the unknown weight of a feature."""
        return f"w[{name}]"

    def row(self, i: int) -> str:
        """Return a row as formulas have it."""
        return f"(row {i})"

    def number(self, number: float | Fraction | int) -> str:
        """Return a number, exactly if that is short."""
        return number_text(number)

    def sentence(self, text: str) -> str:
        """Write a paragraph, or a cell of a table: a text on one line."""
        return tamed(text)

    def render(self, blocks: Sequence[Block]) -> str:
        """Write the blocks."""
        return "\n\n".join(self._block(block) for block in blocks) + "\n"

    def _block(self, block: Block) -> str:
        if isinstance(block, Formulas):
            return "\n".join(f"    {line}" for line in block.lines)
        if isinstance(block, Grid):
            header, *rows = [[self.sentence(cell) for cell in line] for line in (block.header, *block.rows)]
            widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
            lines = [header, ["-" * width for width in widths], *rows]
            pairs = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
            return "\n".join(f"    {line}".rstrip() for line in pairs)
        return self.sentence(block)


class Markdown(Style):
    """Markdown, with formulas as code."""

    def sentence(self, text: str) -> str:
        """Write a text so that nothing in it is markup."""
        return markdown(tamed(text))

    def _block(self, block: Block) -> str:
        if isinstance(block, Formulas):
            return "\n".join(["```text", *block.lines, "```"])
        if isinstance(block, Grid):
            header, *rows = [[self.sentence(cell) for cell in line] for line in (block.header, *block.rows)]
            return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---:"] * len(header), *rows))
        return self.sentence(block)


class Latex(Style):
    """LaTeX, for a document that loads amsmath."""

    greater, times, plus, minus, more, score = ">", r"\cdot ", "+", "-", r"\dots", r"\text{score}"

    def name(self, text: str) -> str:
        """Return a feature's name as formulas have it."""
        return rf"\text{{{latex(text)}}}"

    def weight(self, j: int, name: str) -> str:
        """Return the unknown weight of a feature."""
        return f"w_{{{self.name(name)}}}"

    def row(self, i: int) -> str:
        """Return a row as formulas have it."""
        return rf"x_{{{i}}}"

    def sentence(self, text: str) -> str:
        """Write a text so that nothing in it is a command."""
        return latex(tamed(text))

    def number(self, number: float | Fraction | int) -> str:
        """Return a number, with powers of ten as such."""
        text = number_text(number)
        if "e" in text:
            mantissa, _, exponent = text.partition("e")
            return rf"{mantissa}\cdot 10^{{{int(exponent)}}}"
        return text

    def _block(self, block: Block) -> str:
        if isinstance(block, Formulas):
            return "\\begin{align*}\n" + " \\\\\n".join(f"& {line}" for line in block.lines) + "\n\\end{align*}"
        if isinstance(block, Grid):
            lines = [" & ".join(map(self.sentence, line)) + r" \\" for line in (block.header, *block.rows)]
            lines[0] += r" \hline"
            return "\n".join([rf"\begin{{tabular}}{{{'r' * len(block.header)}}}", *lines, r"\end{tabular}"])
        return self.sentence(block)


STYLES = {"text": Style, "markdown": Markdown, "latex": Latex}
