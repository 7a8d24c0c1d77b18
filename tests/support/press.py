"""The perceptron of Press's notes, as its listing means it, in fractions; and rows to run it on."""

from fractions import Fraction

import numpy as np
import pytest
from reference import dot
from strategies import problems

import separatrix as sx
from separatrix import conventions


def fractions(table):
    return [[Fraction(cell) for cell in row] for row in table]


def labelled(table, rule):
    """Rows, and their labels by a rule of weights; none of them has the score 0."""
    rows = fractions(table)
    scores = [dot(list(map(Fraction, rule)), row) for row in rows]
    assert all(scores)
    return rows, [1 if score > 0 else -1 for score in scores]


_DECIMALS = (
    ("-0.4", "-0.7"), ("-0.1", "-0.8"), ("0.3", "0"), ("-0.4", "-0.3"), ("-0.5", "-0.9"), ("-0.3", "-0.3"), ("-0.8", "0"),
)  # fmt: skip
_THIRDS = (("-4/3", "-5/7"), ("1/3", "-2/7"), ("1/3", "3/7"), ("4/3", "-2/7"), ("-5/3", "-8/7"), ("1/3", "5/7"))
_WHOLE = np.random.RandomState(5).randint(-6, 7, (14, 3)).tolist()

DECIMALS = labelled(_DECIMALS, (3, -2))
WHOLE = labelled(_WHOLE, (4, -3, 2))
SETS = {
    "decimals": DECIMALS,
    "thirds": labelled(_THIRDS, (5, -3)),
    "whole": WHOLE,
    "and, with a 1": (fractions([(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)]), [-1, -1, -1, 1]),
}
"""Rows that a hyperplane through the origin separates, and their labels."""

ANY = problems(kinds=("integers", "decimals", "duplicates", "zeros"), max_rows=6, max_columns=3)
"""Rows of any kind, with scores of 0, duplicates and rows of zeros among them."""

AS_PRESS = ("--no-intercept", "--tie", "positive")
"""The perceptron of the notes on the command line."""

each = pytest.mark.parametrize(("rows", "labels"), SETS.values(), ids=list(SETS))


def signed(rows, labels):
    """The rows times their labels."""
    return [[label * cell for cell in row] for row, label in zip(rows, labels, strict=True)]


def is_wrong(w, row, label):
    """The test of the listing: a score of 0 says yes."""
    score = dot(w, row)
    return (label == -1 and score >= 0) or (label == 1 and score < 0)


def literally(rows, labels, max_passes=2000):
    """Run the listing; return the rows erred on, the weights, the passes and whether the flag stayed down at the end."""
    w, trace = [Fraction(0)] * len(rows[0]), []
    for passes in range(1, max_passes + 1):
        flag = False
        for i, (row, label) in enumerate(zip(rows, labels, strict=True)):
            if is_wrong(w, row, label):
                w = [a + label * b for a, b in zip(w, row, strict=True)]
                trace.append(i)
                flag = True
        if not flag:
            return trace, w, passes, True
    return trace, w, max_passes, False


def fit(rows, labels, **parameters):
    """Fit the perceptron of the notes."""
    return conventions.get("press").perceptron(record=True, **parameters).fit(rows, labels)


def audited(rows, labels, **more):
    return sx.audit(fit(rows, labels), rows, labels, **more)


def written(path, rows, labels):
    """Write a table with the columns x1, x2 and so on, and y; numbers are decimals."""
    lines = [",".join([*(f"x{j}" for j in range(1, len(rows[0]) + 1)), "y"])]
    cells = [[*map(str, map(float, row)), f"{label:+d}"] for row, label in zip(rows, labels, strict=True)]
    lines += [",".join(line) for line in cells]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
