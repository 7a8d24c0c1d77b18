"""A model as one file of Python that needs nothing but the standard library.

The functions are those of `predictor`, which is read as a text; the constants of the model take the place of its own. Names
enter the file by ``repr`` alone.
"""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from importlib.resources import files
from textwrap import fill
from typing import Any

from ..problem.provenance import TextTable
from ..support.counts import counted
from .rule import Rule, Source

_MODEL, _FUNCTIONS = "# ---- The model.\n", "# ---- What is done with it.\n"
"""The lines of `predictor` between which the constants stand."""

_BY_WEIGHTS, _BY_ROWS = "# ---- Scores by weights.\n", "# ---- Scores by products with rows that are kept.\n"
"""The line of `predictor`, and that of `row_predictor`, below which scores are computed."""

_PROGRAM = "# ---- As a program"
"""What the line of `predictor` begins with at which that ends."""

_WIDTH = 120
"""Characters in a line of the docstring, at most."""


def python_text(rule: Rule) -> str:
    """Return the file."""
    head, _, rest = _read("predictor.py").partition(_MODEL)
    _, _, functions = rest.partition(_FUNCTIONS)
    _, _, imports = head.partition('"""\n\nfrom ')  # behind its docstring
    if rule.machines:
        before, _, after = functions.partition(_BY_WEIGHTS)
        _, line, program = after.partition(_PROGRAM)
        scores = _read("row_predictor.py").partition(_BY_ROWS)[2]
        functions = f"{before}{_BY_ROWS}{scores}\n\n{line}{program}"
    return f"{_docstring(rule)}\n\nfrom {imports}{_MODEL}\n{_constants(rule)}\n{_FUNCTIONS}{functions}"


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _docstring(rule: Rule) -> str:
    """Say what the file is; no name stands here."""
    classes, columns = counted(len(rule.classes), "class"), counted(len(rule.sources), "column")
    gaps = {
        "refuse": "A row with a missing value is refused",
        "drop-rows": "A row with a missing value has no class, None",
        "indicator": "Missing values count as they did when the model was learnt",
    }[rule.missing]
    unseen = "is refused" if rule.unseen == "refuse" else "counts as 0"
    words = fill(
        f"Cells are numbers, or texts as a CSV file has them, as by csv.DictReader. {gaps}; what was not there when the "
        f"model was learnt {unseen}. Numbers are exact, and so are predictions: they are those of separatrix for a table of "
        "these rows, ties included. As a program it reads such a table, from the file that is named or from standard "
        "input, and writes the class of each row. It needs Python 3.10 or later, and nothing else.",
        _WIDTH,
    )
    return f'''"""A classifier that separatrix has learnt ({rule.kind}): {classes}, {columns} of a table.

    predict(row)         the class of a row: a dict of its cells, by the names of their columns
    predict_many(rows)   the class of each of several rows
    score(row)           its score, positive for the second of two classes; of more, one for each

{words}
"""'''


def _constants(rule: Rule) -> str:
    table = rule.table or TextTable(label="")
    layout = {key: getattr(table, key) for key in ("header", "encoding", "separator", "skipped", "comment", "decimal")}
    layout["thousands"] = table.thousands
    scaled = any(source.scaling for source in rule.sources)
    told = "    # numbers are scaled: minus the first of the two, over the second, both rounded to float\n" if scaled else ""
    columns = "".join(f"    {source.name!r}: {_column(rule, source)},\n" for source in rule.sources)
    return f"""CLASSES = {list(rule.classes)!r}
TIES_TO_LAST = {rule.ties_to_last!r}  # which of classes with equal scores is predicted; of two, whether 0 is positive
COLUMNS = {{  # the columns of the table; the {"features" if rule.machines else "weights"} of their numbers, words and gaps
{told}{columns}}}
{_machines(rule) if rule.machines else f"INTERCEPTS = {_numbers(rule.intercepts)}"}
MISSING = {rule.missing!r}
UNSEEN = {rule.unseen!r}
GAPS = {list(rule.gaps)!r}  # texts that stand for a missing value
NUMBERS = {rule.numbers!r}  # how numbers that are written are read: as decimals if all fit, or as the nearest float
TABLE = {layout!r}
"""


def _column(rule: Rule, source: Source) -> str:
    """Write what is made of a column: weights, one for each score; of models that keep rows, places among the features."""

    def of(place: int) -> str:
        return str(place) if rule.machines else _numbers([vector[place] for vector in rule.weights])

    parts = {}
    if source.number is not None:
        parts["number"] = of(source.number)
    if source.categories:
        parts["words"] = f"{{{', '.join(f'{text!r}: {of(place)}' for text, place in source.categories.items())}}}"
    if source.scaling is not None:
        parts["scaling"] = repr(source.scaling)
    gaps = [rule.weight_of_gap(source, k) for k in range(len(rule.weights))]
    if source.gap is not None or any(gaps):
        parts["gap"] = _numbers([gap or Fraction(0) for gap in gaps]) if source.gap is None or gaps else of(source.gap)
    return f"{{{', '.join(f'{key!r}: {value}' for key, value in parts.items())}}}"


def _machines(rule: Rule) -> str:
    """Write the rows that a model keeps, one to a line, and what it does with them."""
    texts = []
    for machine in rule.machines:
        rows = "".join(f"        {_row(row)},\n" for row in machine.rows)
        rest = {each.name: getattr(machine, each.name) for each in fields(machine) if each.name != "rows"}
        facts = "".join(f"    {name!r}: {_fact(value)},\n" for name, value in rest.items())
        texts.append(f"{{\n{facts}    'rows': [\n{rows}    ],\n}}")
    return f"""OFF = {_numbers(rule.off)}  # features where they are 0
ON = {_numbers(rule.on)}  # and where they are 1
MACHINES = [{", ".join(texts)}]"""


def _row(row: dict[int, Fraction]) -> str:
    return f"{{{', '.join(f'{place}: {exact_literal(number)}' for place, number in row.items())}}}"


def _fact(value: Any) -> str:
    if isinstance(value, Fraction):
        return exact_literal(value)
    return _numbers(map(Fraction, value)) if isinstance(value, tuple) else repr(value)


def _numbers(weights: Any) -> str:
    return f"[{', '.join(map(exact_literal, weights))}]"


def exact_literal(number: Fraction) -> str:
    """Write a number so that Python's ``Fraction`` makes the same of it: as an integer, a float, or a quotient in a text.

    >>> print(exact_literal(Fraction(-3)), exact_literal(Fraction(0.1)), exact_literal(Fraction(1, 3)))
    -3 0.1 '1/3'
    """
    if number.denominator == 1 and abs(number) < 10**20:
        return str(number.numerator)
    try:
        nearest = float(number)
    except OverflowError:
        return repr(str(number))
    return repr(nearest) if Fraction(nearest) == number else repr(str(number))
