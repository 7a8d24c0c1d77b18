"""Epochs of the perceptron by iterative parameter mixing (McDonald, Hall and Mann 2010), in exact numbers.

The rows are divided into S shards. In each epoch every shard makes one pass of the perceptron over its own rows, from the
mixed weights w, and the weights that they come to are averaged. A shard that adds the sum u_i of the rows it errs on comes
to w + u_i; so the mean is w + (u_1 + … + u_S) / S, whatever w is: the denominator S does not grow with epochs. Counted in
1/S, w' = S w is a sum of rows with whole multiples: mixing adds plain sums, w' + u_1 + … + u_S, and within a pass of its
own a shard adds S z_i to S w at a mistake on row i, whose sign is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from ..exact.dyadic import Dyadic
from ..perceptron.multiclass import MulticlassRun
from ..perceptron.run import Run
from ..problem.batches import BatchedProblem
from ..problem.multiclass import Classes
from ..problem.problem import Problem
from ..problem.sums import total


@dataclass(frozen=True)
class Pass:
    """How far a shard has come in a pass over its rows.

    Attributes
    ----------
    learnt : Dyadic
        The sum of the rows erred on.
    mistakes : int
        How many mistakes that is.
    """

    learnt: Dyadic
    mistakes: int = 0


@dataclass(frozen=True)
class Epoch:
    """What an epoch has come to.

    Attributes
    ----------
    mistakes : tuple of int
        The mistakes of each shard.
    weights : Dyadic
        The mixed weights after it, S times, in numerators of rows.
    """

    mistakes: tuple[int, ...]
    weights: Dyadic


def epoch(problem: BatchedProblem, shards: Sequence[Sequence[int]], weights: Dyadic, tie: str) -> Epoch:
    """Have each shard make a pass from mixed weights, given S times, and mix what they come to."""
    nothing = Pass(Dyadic([0] * len(weights), 0))
    passes = dict(problem.folds(visited, nothing, weights, len(shards), tie, groups=shards))
    ends = [passes[k] for k in range(len(shards))]
    return Epoch(tuple(end.mistakes for end in ends), reduce(Dyadic.plus, (end.learnt for end in ends), weights))


def visited(problem: Problem, start: int, before: Pass, weights: Dyadic, shards: int, tie: str) -> Pass:
    """Visit the rows of a block once, in their order, and return how far its shard has come then."""
    kind = MulticlassRun if isinstance(problem, Classes) else Run
    run = kind(problem, tie=tie, start=weights.plus(before.learnt, shards), factor=shards)
    run.advance(None, 1)
    return Pass(before.learnt.plus(_erred(run)), before.mistakes + run.mistakes)


def _erred(run: Run) -> Dyadic:
    """Return the sum of the rows that a run has erred on: of several classes, as they are added to each vector."""
    problem = run.problem
    if not isinstance(problem, Classes):
        return total(problem, run.counts)
    rows = replace(problem, y=np.ones(problem.n))
    sides = [(np.maximum(column, 0), np.maximum(-column, 0)) for column in run.counts.T]
    return Dyadic.joined([total(rows, more).plus(total(rows, less), -1) for more, less in sides])
