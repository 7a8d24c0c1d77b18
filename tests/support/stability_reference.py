"""How far rows may be off, as it is defined, in fractions: slow and obvious."""

import itertools
import math
from fractions import Fraction

import numpy as np
import reference

import separatrix as sx


def corners(row, tolerances, r):
    """All corners of the box around a row."""
    return list(itertools.product(*({x - r * t, x + r * t} for x, t in zip(row, tolerances, strict=True))))


def all_separable(X, y, tolerances, r, intercept):
    """Whether every table in the box is separable: whether one hyperplane separates the boxes."""
    boxes = [(corner, label) for row, label in zip(X, y, strict=True) for corner in corners(row, tolerances, r)]
    return status([list(corner) for corner, _ in boxes], [label for _, label in boxes], intercept) == "separable"


def status(X, y, intercept):
    """The verdict, by brute force where that is quick."""
    if len(X) <= 6:
        return reference.separability(X, y, intercept)[0]
    return sx.decide(np.array(X, object), np.asarray(y, int), fit_intercept=intercept).status


def moved(X, y, shift):
    """The classes moved against each other."""
    return [[x + int(s) * v for x, v in zip(row, shift, strict=True)] for row, s in zip(X, y, strict=True)]


def statuses_of_moves(X, y, tolerances, r, intercept):
    """The verdicts of all tables whose classes are moved against each other to a corner of the box."""
    shifts = itertools.product(*({-r * t, r * t} for t in tolerances))
    return {status(moved(X, y, shift), y, intercept) for shift in shifts}


def statuses_of_corners(X, y, tolerances, r, intercept):
    """The verdicts of all tables each of whose rows is a corner of its box."""
    tables = itertools.product(*(corners(row, tolerances, r) for row in X))
    return {status([list(row) for row in table], y, intercept) for table in tables}


def check_proofs(stability, X, y, intercept):
    """Check what a stability says proves its bounds, and that it proves them."""
    Z, t = reference.lifted(X, y, intercept), stability.tolerances
    separable = stability.status == "separable"
    if stability.weights:
        scores = [reference.dot(stability.weights, z) for z in Z]
        reach = sum(a * abs(w) for a, w in zip(t, stability.weights, strict=False))
        if separable:
            assert min(scores) > 0
            assert stability.lower == (min(scores) / reach if reach else math.inf)
        else:
            assert reach > 0
            assert max(Fraction(0), -min(scores)) / reach == stability.upper
    else:
        assert not separable
        assert stability.upper == math.inf
    if separable and stability.upper < math.inf:
        mean = mean_of(Z, stability.multipliers)
        assert not any(mean[len(t) :])
        assert all(number == -v for number, v in zip(mean, stability.shift, strict=False))
        assert all(abs(v) <= stability.upper * a for v, a in zip(stability.shift, t, strict=True))
    if not separable and 0 < stability.lower < math.inf:
        check_tree(stability, Z)


def mean_of(Z, multipliers):
    assert multipliers
    assert min(multipliers.values()) > 0
    total = sum(multipliers.values())
    return [sum(Fraction(m) * Z[i][j] for i, m in multipliers.items()) / total for j in range(len(Z[0]))]


def check_tree(stability, Z):
    """Check that the leaves stand for all corners, and that their bounds follow from points of the hull.

    The multipliers are of the rows that no weak separator separates, by their places among these.
    """
    t = stability.tolerances
    inexact = [j for j, each in enumerate(t) if each]
    tied = [Z[i] for i in range(len(Z)) if i not in set(free_rows(stability))]
    for signs, inside in stability.inside.items():
        at = {j: -sign * inside.distance * t[j] for j, sign in signs}
        assert mean_of(tied, inside.multipliers) == [at.get(j, 0) for j in range(len(Z[0]))]
    for leaf in stability.leaves:
        decided = dict(pair for part in leaf.parts for pair in part)
        assert len(decided) == sum(map(len, leaf.parts))
        gauge = sum((1 / stability.inside[part].distance for part in leaf.parts), Fraction(0))
        for j in inexact:
            if j not in decided:
                gauge += max(1 / stability.inside[((j, sign),)].distance for sign in (1, -1))
        assert leaf.bound == 1 / gauge
    for corner in itertools.product((1, -1), repeat=len(inexact)):
        signs = dict(zip(inexact, corner, strict=True))
        assert any(all(signs[j] == s for part in leaf.parts for j, s in part) for leaf in stability.leaves)
    assert stability.lower == min(stability.upper, *(leaf.bound for leaf in stability.leaves))


def free_rows(stability):
    problem = stability.problem
    points = [list(point) for point in problem.points(list(range(problem.n)))]
    return reference.separability(points, problem.y, problem.intercept)[1]
