"""Small data as a reader of lecture notes would type them in: rows in fractions, labels -1 and 1."""

import itertools
from fractions import Fraction

import numpy as np
from reference import dot, perceptron


def fractions(rows):
    """Rows of whole numbers and decimals as text, in fractions."""
    return [[Fraction(number) for number in row] for row in rows]


AND = fractions([[0, 0], [0, 1], [1, 0], [1, 1]]), [-1, -1, -1, 1]

SEPARABLE = {
    "and": AND,
    "decimals": (
        fractions([["0.1", "0.2"], ["0.7", "0.6"], ["0.2", "0.1"], ["0.4", "0.8"], ["0.3", "0.3"], ["0.6", "0.9"]]),
        [-1, 1, -1, 1, -1, 1],
    ),
    "one column": (fractions([[-2], [3], [0], ["1/3"], [3], [-1]]), [-1, 1, -1, 1, 1, -1]),
    "three columns": (
        fractions([[0, 0, 0], [1, 1, 1], [1, 0, 0], [2, -1, 0], [0, 1, 1], [1, 1, 1], [0, -1, 2]]),
        [-1, 1, -1, -1, 1, 1, -1],
    ),
}
"""Classes that a hyperplane separates, with a bias."""

XOR = fractions([[0, 0], [0, 1], [1, 0], [1, 1]]), [-1, 1, 1, -1]


def labelled(rows, star):
    """Rows, and the signs of their scores under a hyperplane through the origin; those on it are left out."""
    off = [row for row in rows if dot(star, row)]
    return off, [1 if dot(star, row) > 0 else -1 for row in off], star


STREAMS = {
    "whole numbers": labelled(fractions(itertools.product([-1, 0, 2], repeat=3)), fractions([[2, -1, 1]])[0]),
    "tenths": labelled(
        fractions([f"{7 * k % 11 - 5}/10", f"{3 * k % 13 - 6}/10"] for k in range(26)), fractions([["0.3", "-0.7"]])[0]
    ),
    "and, ending with a 1": ([[*row, Fraction(1)] for row in AND[0] * 10], AND[1] * 10, fractions([[2, 2, -3]])[0]),
}
"""Rows one after another, their labels, and a separating w* without a bias."""


def squared(vector):
    """The square of the length of a vector."""
    return dot(vector, vector)


def plus(w, label, row):
    """The update: w + y x."""
    return [a + label * b for a, b in zip(w, row, strict=True)]


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def sign(score):
    """The sign as in note 002: that of 0 is -1."""
    return 1 if score > 0 else -1


def bloch(X, y, **parameters):
    """The perceptron of note 002: the rows erred on, and the weights that it ends with."""
    trace, w, _, ended = perceptron(np.asarray(X, object), y, tie="negative", **parameters)
    assert ended
    return trace, w


def csv(rows, labels, names=None):
    """A table with exact decimals, where there are some, and the label in the column y."""
    names = names or [f"a{j}" for j in range(len(rows[0]))]
    lines = [
        ",".join([*(f"{float(number):.10g}" for number in row), f"{label:+d}"])
        for row, label in zip(rows, labels, strict=True)
    ]
    return "\n".join([",".join([*names, "y"]), *lines]) + "\n"
