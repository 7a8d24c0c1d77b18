"""A run as a table, a line for each visit: for a person, a notebook, a page or a program."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..exact.rounding import nearest
from ..support.answer import Answer
from ..support.blocks import Block, Grid, Line, Sentence, written
from ..support.counts import counted
from ..support.escaping import shown
from ..support.formulas import AT_LEAST, Formula, dot, formula, glued, norm, square_of
from ..support.notebook import framed
from ..support.numbers import exact_text
from ..support.writing import write_whole
from .step import Step, Vector

MAX_LINES_IN_NOTEBOOK = 60
"""Lines that a notebook shows by itself."""


class Column(NamedTuple):
    """A column of the table."""

    name: str
    value: Callable[[Step], Any]


@dataclass(frozen=True, kw_only=True, repr=False)
class StepTable(Answer):
    """A run of a perceptron, visit by visit; `steps` makes it.

    It is a sequence of `Step`: ``len(table)``, ``table[0]``, ``for step in table``.

    Attributes
    ----------
    kind : {"perceptron", "multiclass", "kernel", "voted", "pocket"}
        What ran.
    lines : tuple of Step
        The lines.
    features : tuple of str
        The names of the features, or, of a kernel, the numbers of the rows.
    intercept : bool
        Whether the weights end with an intercept.
    classes : tuple
        The classes.
    start : tuple of Fraction
        The first weights.
    star : tuple of Fraction, or None
        w*, of any length.
    star_score : Fraction or None
        The smallest ``y w*.x`` of all rows that can be mistakes; over ``||w*||`` it is gamma, the margin of w*.
    star_growth : Fraction or None
        What ``w*.u`` is at least at any mistake: this times the learning rate, or the least with its sample weight.
    start_errors : int or None
        Of `Pocket`, the errors of the first weights.
    visits, mistakes : int or None
        How many the run has in all.
    whole : bool
        Whether the table goes to the end of the run.
    mistakes_only : bool
        Whether visits that were right are left out.
    """

    kind: str
    lines: tuple[Step, ...]
    features: tuple[str, ...]
    intercept: bool
    classes: tuple[Any, ...]
    start: Vector
    star: Vector | None
    visits: int | None
    mistakes: int
    whole: bool
    mistakes_only: bool
    start_errors: int | None = None
    star_score: Fraction | None = None
    star_growth: Fraction | None = None
    first_row: str | None = None
    """What row 0 is called otherwise, where rows come from the lines of a text."""

    @property
    def star_squared(self) -> Fraction | None:
        """``||w*||^2``."""
        return None if self.star is None else sum((each * each for each in self.star), Fraction(0))

    @property
    def gamma_squared(self) -> Fraction | None:
        """``gamma^2``, the square of the margin of w*; None if it has not every row strictly right."""
        if self.star_score is None or self.star_score <= 0 or not self.star_squared:
            return None
        return self.star_score**2 / self.star_squared

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.lines)

    def __getitem__(self, place: Any) -> Any:
        return self.lines[place]

    def __repr__(self) -> str:
        return f"<StepTable: {self._heading()}>"

    def with_classes(self, classes: Sequence[Any]) -> StepTable:
        """Return the same with other names for the classes."""
        names = dict(zip(self.classes, classes, strict=True))
        lines = tuple(
            replace(each, label=names[each.label], decision=names.get(each.decision), rival=names.get(each.rival))
            for each in self.lines
        )
        return replace(self, lines=lines, classes=tuple(classes))

    def columns(self) -> list[str]:
        """Return the names of the columns."""
        return [column.name for column in self._columns()]

    def document(self, *, floats: bool = False) -> dict[str, Any]:
        """Return it as JSON has it, a list of values for each column.

        Numbers are exact, as texts ``"p/q"`` or decimals; with ``floats`` they are the nearest float64.
        """

        def cell(value: Any) -> Any:
            if isinstance(value, Fraction):
                return nearest(value) if floats else exact_text(value)
            return value.item() if hasattr(value, "item") else value

        def several(vector: Vector | None) -> list[Any] | None:
            return None if vector is None else list(map(cell, vector))

        return {
            "kind": self.kind, "visits": self.visits, "mistakes": self.mistakes, "whole": self.whole,
            "mistakes_only": self.mistakes_only, "start": several(self.start), "w*": several(self.star),
            "||w*||^2": cell(self.star_squared), "gamma^2": cell(self.gamma_squared), "least w*.u": cell(self.star_growth),
            "columns": {column.name: [cell(column.value(each)) for each in self.lines] for column in self._columns()},
        }  # fmt: skip

    def to_pandas(self, *, floats: bool = False) -> Any:
        """Return it as a data frame of pandas, of `Fraction` objects, or with ``floats`` of the nearest float64."""
        columns = {}
        for name, values in self._values():
            columns[name] = [_rounded(value) for value in values] if floats else values
        return _library("pandas").DataFrame(columns)

    def to_polars(self, *, floats: bool = False) -> Any:
        """Return it as a data frame of polars, of texts ``"p/q"``, or with ``floats`` of the nearest float64."""
        columns = {}
        for name, values in self._values():
            plain = [_rounded(value) if floats else _exact(value) for value in values]
            columns[name] = [value.item() if hasattr(value, "item") else value for value in plain]
        return _library("polars").DataFrame(columns, strict=False, infer_schema_length=None)

    def csv(self, *, floats: bool = False) -> str:
        """Return it as CSV, with all numbers exactly, or as the nearest float64; nothing where nothing was added."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns = self._columns()
        writer.writerow([column.name for column in columns])
        for each in self.lines:
            values = [_yes_or_no(column.name, column.value(each)) for column in columns]
            writer.writerow([_rounded(value) if floats else _exact(value) for value in values])
        return text.getvalue()

    def to_csv(self, path: str | Path, *, floats: bool = False) -> None:
        """Write it to a file as CSV."""
        write_whole(path, self.csv(floats=floats))

    def to_markdown(self) -> str:
        """Return it as a table in Markdown."""
        return written([self._grid()], "markdown")

    def to_latex(self) -> str:
        """Return it as a table in LaTeX."""
        return written([self._grid()], "latex")

    def explain(self, format: str = "text") -> str:  # noqa: A002 (the word users expect)
        """Return it with words around it, as "text", "markdown", "latex" or "html"."""
        heading = self._heading()
        blocks: list[Block] = [f"{heading[:1].upper()}{heading[1:]}."]
        names = ", ".join([*map(shown, self.features), *(["intercept"] if self.intercept else [])])
        order = f"weights are in the order {names}{', vector after vector' if self.kind == 'multiclass' else ''}"
        what = "weights are known by the multiple of each row" if self.kind == "kernel" else order
        first = "" if self.first_row is None else f", and row 0 is {self.first_row}"
        begun = f"Rows are counted from 0{first}; {what}. The run starts from "
        blocks.append(Sentence((begun, _vector(self.start), ".")))
        if self.star is not None:
            blocks += self._about_star()
        return written([*blocks, self._grid()], format)

    def _about_star(self) -> list[Block]:
        """Say what w* is, how long, and what it promises of each update."""
        assert self.star is not None
        assert self.star_squared is not None
        w, gamma = Formula("w*", "w^*"), Formula("gamma", r"\gamma")
        length = formula(square_of(norm(w)), "=", _number(self.star_squared))
        blocks: list[Block] = [Sentence(("The direction of ", w, " is ", _vector(self.star), ", and ", length, "."))]
        if self.gamma_squared is None or self.star_score is None or self.star_growth is None:
            return blocks
        least = dot(glued("y ", w), "x")
        margin = formula(square_of(gamma), "=", _number(self.gamma_squared))
        grows = formula(dot(w, "u"), AT_LEAST, _number(self.star_growth))
        smallest = ("The smallest ", least, " of a row that can be a mistake is ", _number(self.star_score))
        return [*blocks, Sentence((*smallest, ", so ", margin, ", and ", grows, " at every mistake."))]

    def _repr_markdown_(self) -> str:
        some, more = self._for_notebook()
        return some.to_markdown() + (f"\n{more}\n" if more else "")

    def _repr_html_(self) -> str:
        some, more = self._for_notebook()
        return framed(written([some._grid(), *([more] if more else [])], "html"))

    def _for_notebook(self) -> tuple[StepTable, str]:
        """Return the first lines, and what says that there are more."""
        some = replace(self, lines=self.lines[:MAX_LINES_IN_NOTEBOOK])
        return some, "" if len(some) == len(self) else f"… {len(self) - len(some):,} more lines"

    # Below: what tables and texts are made of.

    def _heading(self) -> str:
        of = "update" if self.kind == "pocket" else "visit"
        lines = counted(len(self.lines), "mistake" if self.mistakes_only and of == "visit" else of)
        if not self.whole:
            return f"the first {lines} of a run of {counted(self.mistakes, 'mistake')}"
        made = "" if self.mistakes_only or of == "update" else f", {counted(self.mistakes, 'mistake')}"
        return f"{lines}{made}"

    def _values(self) -> Iterator[tuple[str, list[Any]]]:
        for column in self._columns():
            yield column.name, [column.value(each) for each in self.lines]

    def _weight_names(self) -> list[str]:
        if self.kind == "kernel":
            return [f"alpha[{name}]" for name in self.features]
        if self.kind != "multiclass":
            return [*(f"w[{name}]" for name in self.features), *(["b"] if self.intercept else [])]
        return [
            name
            for each in self.classes
            for name in (*(f"w[{each}][{x}]" for x in self.features), *([f"b[{each}]"] if self.intercept else []))
        ]

    def _columns(self) -> list[Column]:
        """Return the columns, a number a cell."""
        names, pocket = self._weight_names(), self.kind == "pocket"
        found = [Column("step", lambda each: each.step)]
        if not pocket or any(each.passed != 1 for each in self.lines):
            found.append(Column("run" if pocket else "pass", lambda each: each.passed))
        found += [Column("row", lambda each: each.row), Column("label", lambda each: each.label)]
        if self.kind == "multiclass":
            found += [_entry(f"score[{name}]", "scores", k) for k, name in enumerate(self.classes)]
        else:
            found.append(_entry("score", "scores", 0))
        found += [Column("decision", lambda each: each.decision), Column("mistake", lambda each: each.mistake)]
        if self.kind == "multiclass":
            found.append(Column("rival", lambda each: each.rival))
        updated = ["multiple"] if self.kind == "kernel" else names
        found += [_entry(f"update {name}", "update", k) for k, name in enumerate(updated)]
        found += [_entry(name, "weights", k) for k, name in enumerate(names)]
        found += [Column("2w.u", lambda each: each.cross), Column("||u||^2", lambda each: each.square)]
        if self.star is not None:
            found.append(Column("w*.u", lambda each: each.alignment))
        if any(each.mean is not None for each in self.lines):
            found += [_entry(f"mean {name}", "mean", k) for k, name in enumerate(names)]
        for name, field in (("votes", "votes"), ("errors", "errors"), ("weighted errors", "load"), ("pocket", "kept")):
            if any(getattr(each, field) is not None for each in self.lines):
                found.append(Column(name, lambda each, field=field: getattr(each, field)))  # type: ignore[misc]
        return found

    def _grid(self) -> Grid:
        """Return the columns for a person, a vector a cell."""
        kernel, many = self.kind == "kernel", self.kind == "multiclass"
        header: list[Line] = [column.name for column in self._columns() if column.name in ("step", "run", "pass")]
        leading = [column for column in self._columns() if column.name in header]
        header += ["row", "label", "scores" if many else "score", "decision", "mistake"]
        names: list[tuple[Line, Callable[[Step], Any]]] = [("rival", lambda each: each.rival)] if many else []
        names += [
            (_head(Formula("u", "u")), lambda each: _pair(each) if kernel else each.update),
            (_head(Formula("multiples", r"\alpha") if kernel else Formula("w", "w")), lambda each: each.weights),
            (_head(dot(Formula("2 w", "2 w"), "u")), lambda each: each.cross),
            (_head(square_of(norm("u"))), lambda each: each.square),
        ]
        if self.star is not None:
            names.append((_head(dot(Formula("w*", "w^*"), "u")), lambda each: each.alignment))
        fields = {"mean": "mean", "votes": "votes", "errors": "errors", "weighted errors": "load", "pocket": "kept"}
        for name, field in fields.items():
            if any(getattr(each, field) is not None for each in self.lines):
                names.append((name, lambda each, field=field: getattr(each, field)))  # type: ignore[misc]
        rows = []
        for each in self.lines:
            first = [column.value(each) for column in leading]
            scores = each.scores if many else each.scores[0]
            mistake = _yes_or_no("mistake", each.mistake)
            more = [_yes_or_no(name, get(each)) if isinstance(name, str) else get(each) for name, get in names]
            values = [*first, each.row, each.label, scores, each.decision, mistake, *more]
            rows.append([_shown(value) for value in values])
        return Grid([*header, *(name for name, _ in names)], rows)


def _entry(name: str, field: str, place: int) -> Column:
    def value(each: Step) -> Fraction | None:
        vector = getattr(each, field)
        return None if vector is None else vector[place]

    return Column(name, value)


def _pair(each: Step) -> Fraction | None:
    return None if each.update is None else each.update[0]


def _head(formula: Formula) -> Sentence:
    return Sentence((formula,))


def _rounded(value: Any) -> Any:
    return nearest(value) if isinstance(value, Fraction) else value


def _exact(value: Any) -> Any:
    return exact_text(value) if isinstance(value, Fraction) else value


def _yes_or_no(name: str, value: Any) -> Any:
    return ("yes" if value else "no") if name in ("mistake", "pocket") else value  # a class may be True or False, too


def _number(value: Fraction) -> Formula:
    text = exact_text(value)
    sign = "-" if value < 0 else ""
    size = abs(value)
    return Formula(text, rf"{sign}\frac{{{size.numerator}}}{{{size.denominator}}}" if "/" in text else text)


def _vector(values: Vector) -> Formula:
    numbers = list(map(_number, values))
    texts, formulas = (", ".join(getattr(each, name) for each in numbers) for name in ("text", "latex"))
    return Formula(f"({texts})", f"({formulas})")


def _shown(value: Any) -> Line:
    """Write a cell for a person."""
    if value is None:
        return ""
    if isinstance(value, Fraction | tuple):
        formula = _number(value) if isinstance(value, Fraction) else _vector(value)
        return Sentence((formula,))
    return shown(value)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(
            f"to_{name}() needs {name}, which is not installed: pip install {name}. Without it there are to_csv(), "
            "document() and the lines themselves."
        ) from None
