"""Small data such as readers of lecture notes have: rows in fractions, labels -1 and 1; and the notes' sums in fractions."""

import re
from fractions import Fraction

import pytest
from paths import DOCS
from reference import dot

import separatrix as sx


def exact(rows):
    """Rows of whole numbers, or of decimals and fractions as text, in fractions."""
    return [[Fraction(number) for number in row] for row in rows]


BITS = exact([[0, 0], [0, 1], [1, 0], [1, 1]])

SEPARABLE = {
    "and": (BITS, [-1, -1, -1, 1]),
    "decimals": (
        exact([["0.1", "0.3"], ["0.2", "0.6"], ["0.7", "0.1"], ["0.9", "0.4"], ["0.3", "0.8"]]),
        [-1, -1, 1, 1, -1],
    ),
    "in space": (
        exact([[2, -1, 0], [1, 1, 1], [-1, 0, 2], [0, 2, -1], [2, -1, 0], [-2, 1, 0]]),
        [1, 1, -1, 1, 1, -1],
    ),
    "one feature": (exact([["1/3"], [2], [-1], [3], [0]]), [-1, 1, -1, 1, -1]),
}
"""Separable with a bias: by name, rows and labels. Some rows are zero, some are twice there."""

OVERLAPPING = {
    "xor": (BITS, [-1, 1, 1, -1]),
    "xor, moved": (exact([["0.1", "0.2"], ["0.4", "1.1"], ["1.2", "0.5"], ["1.5", "1.4"]]), [-1, 1, 1, -1]),
    "line": (exact([[0], [1], [2], [3], [4]]), [1, -1, 1, 1, -1]),
}
"""No hyperplane separates these."""


separable = pytest.mark.parametrize(("rows", "labels"), SEPARABLE.values(), ids=SEPARABLE)
overlapping = pytest.mark.parametrize(("rows", "labels"), OVERLAPPING.values(), ids=OVERLAPPING)


def lifted_rows(rows):
    """(x, 1), without the label."""
    return [[*row, Fraction(1)] for row in rows]


def signed_rows(rows, labels):
    """y (x, 1)."""
    return [[label * number for number in row] for row, label in zip(lifted_rows(rows), labels, strict=True)]


def plus(a, b, times=1):
    """A + times b."""
    return [one + times * other for one, other in zip(a, b, strict=True)]


def square(vector):
    """The square of the length."""
    return dot(vector, vector)


def weights_after(Z, trace):
    """W_0 = 0 and the weights after each mistake."""
    course = [[Fraction(0)] * len(Z[0])]
    for i in trace:
        course.append(plus(course[-1], Z[i]))
    return course


def as_table(rows, labels, names=None):
    """CSV with a column y. Fractions that are no decimals are refused."""
    names = names or [f"x{j + 1}" for j in range(len(rows[0]))]
    lines = [",".join([*names, "y"])]
    for row, label in zip(rows, labels, strict=True):
        texts = [f"{float(number):.6g}" for number in row]
        assert [Fraction(text) for text in texts] == row
        lines.append(",".join([*texts, str(label)]))
    return "\n".join(lines) + "\n"


def is_listed_slip(heading, text):
    """Whether the table of slips has a line for a place in a text, linked to a section that is there."""
    page = (DOCS / "slips.md").read_text(encoding="utf-8")
    anchor = re.sub("[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")
    return f"\n## {heading}\n" in page and any(text in line and f"(#{anchor})" in line for line in page.splitlines())


def sigma(score):
    """The threshold function of note 003."""
    return 1 if score >= 0 else -1


def algorithm(rows, labels, passes, eta=Fraction(1), start=None):
    """Algorithm 2.1 of note 003, its weights changed in place: errors as pairs of pass and sample, and the weights."""
    w = [Fraction(0)] * (len(rows[0]) + 1) if start is None else list(start)
    errors = []
    for t in range(passes):
        for i, (x, y) in enumerate(zip(lifted_rows(rows), labels, strict=True)):
            if sigma(dot(w, x)) != y:
                w = plus(w, x, eta * y)
                errors.append((t + 1, i))
    return errors, w


def chapter(**parameters):
    """The perceptron of note 003."""
    return sx.conventions.get("chapter").perceptron(record=True, **parameters)
