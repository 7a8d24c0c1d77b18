"""The perceptron by iterative parameter mixing: shards of the rows learn at once, and their weights are averaged."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..estimators.learnt import features_of, learnt_by
from ..estimators.mixture import LearntMixture
from ..estimators.shared.hyperplanes import Hyperplanes
from ..estimators.shared.inputs import require_two_classes
from ..exact.dyadic import Dyadic
from ..problem.batches import BatchedProblem, Batches
from ..problem.labels import class_array, read_labels
from ..problem.reading_rows import read_rows
from ..problem.ties import TIES
from ..streaming.stream import HeldRows, Stream
from ..support import interruption, progress
from ..support.calls import Verbose
from ..support.clock import STOPS, Clock, OutOfTime, read_time_limit
from ..support.counts import counted
from ..support.remedies import Message, Question, Remedy
from .mixed_run import Epoch, epoch
from .mixing_audit import MixingLedger, audit_of


class MixedPerceptron(Hyperplanes):
    """The perceptron by iterative parameter mixing of McDonald, Hall and Mann (2010), exactly.

    The rows are divided into shards. In each epoch every shard makes one pass of the perceptron over its own rows, all from
    the same weights; then the weights that they come to are averaged, and the next epoch begins from the mean. Shards learn
    at the same time, on as many workers as there are. The run ends with an epoch in which no shard errs.

    What is learnt depends on how the rows are divided, which `Perceptron` does not: another number of shards, or other rows
    in them, are other weights, other mistakes and another number of epochs. For one partition they are the same everywhere,
    as all numbers are exact; with one shard they are those of `Perceptron`.

    Parameters
    ----------
    shards : int, "blocks" or array of shape (n,), default=4
        How many shards there are: each has consecutive rows, as many as the others or one more, and there are never more
        than rows. Rows in blocks are divided into consecutive blocks, so that shards have about as many rows; "blocks" makes
        each block a shard. Of rows in memory, an array may say the shard of each row, by whole numbers.
    tie : {"update", "positive", "negative"}, default="update"
        What a score of exactly zero predicts, as for `Perceptron`.
    max_iter : int, default=1000
        The most epochs.
    fit_intercept : bool, default=True
        Whether to learn an intercept, as the weight of a constant 1.
    time_limit : float or None, default=None
        Seconds after which to stop, and to keep the weights after the last whole epoch.
    verbose : bool or callable, default=False
        Whether `fit` shows its progress, once it takes longer than a second; or a function that is called with each
        `Progress`. It changes nothing else.

    Attributes
    ----------
    coef_, intercept_, classes_
        As those of `Perceptron`; the mixed weights.
    shards_ : tuple of int
        The rows of each shard: the partition that the result depends on.
    n_iter_ : int
        Epochs, the last one without a mistake included.
    mistakes_ : array of shape (n_iter_, S)
        The mistakes of each shard in each epoch.
    n_mistakes_ : int
        All mistakes.
    weighted_mistakes_ : Fraction
        Their sum weighted by 1/S: at most ``R^2 / gamma^2`` if a hyperplane separates the classes (Theorem 3 there).
    converged_ : bool
        Whether no shard erred in the last epoch: then every training row is predicted rightly.

    See Also
    --------
    separatrix.DaskRows : Rows on a cluster.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.examples.load("and")
    >>> mixed = sx.MixedPerceptron(shards=2).fit(X, y)
    >>> mixed.exact_weights().strings(), mixed.n_iter_, mixed.n_mistakes_, mixed.converged_
    (['1', '1', '-3/2'], 7, 15, True)
    >>> mixed.audit(X, y)
    <MixingLedger: 7.5 weighted mistakes, at most 51 allowed; holds>
    """

    _called = "Parameter mixing"

    def __init__(
        self,
        *,
        shards: Any = 4,
        tie: str = "update",
        max_iter: int = 1000,
        fit_intercept: bool = True,
        time_limit: float | None = None,
        verbose: Verbose = False,
    ) -> None:
        self.shards = shards
        self.tie = tie
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from zero weights.

        Parameters
        ----------
        X : array, sparse matrix, table, Stream or DaskRows
            The rows; those in blocks have labels.
        y : array of shape (n,), optional
            The labels, of two classes or more.

        Returns
        -------
        MixedPerceptron
            Itself. If ``max_iter`` epochs were not enough, a ConvergenceWarning says what to do.
        """
        self._check_parameters()
        if isinstance(X, Batches):
            known: dict[str, Any] = {}
            batches, shards = X, consecutive(X.facts.sizes, self._number_of(X.facts.sizes))
        else:
            known = features_of(X)
            batches, shards = self._held(X, y)
        problem = BatchedProblem.of(batches, intercept=bool(self.fit_intercept), several=True)
        require_two_classes(self, problem.classes)
        names = None if problem.columns is None else np.array([str(column) for column in problem.columns], object)
        known = known or {"features": problem.d, "names": names}
        clock, epochs, ended, stopped = Clock(read_time_limit(self.time_limit)), list[Epoch](), False, None
        vectors = len(problem.classes) if not problem.setting.signs else 1
        zero = Dyadic([0] * (vectors * problem.width), 0)
        try:
            while not ended and len(epochs) < self.max_iter:
                epochs.append(epoch(problem, shards, epochs[-1].weights if epochs else zero, self.tie))
                ended = not any(epochs[-1].mistakes)
                progress.report(lambda: self._so_far(epochs), len(epochs), None, "epochs")
                if not ended:
                    clock.check()
        except STOPS as reason:
            interrupted = interruption.is_kept(reason)
            if not epochs:
                if isinstance(reason, OutOfTime):
                    raise TimeoutError("Time was up before the first epoch was over. Raise time_limit.") from None
                raise
            stopped = "Ctrl-C" if interrupted else "its time limit"
        sizes = problem.facts.sizes
        self._adopt(LearntMixture(
            classes=class_array(problem.classes), **known, weights=epochs[-1].weights, denominator=problem.facts.denominator,
            shards=tuple(sum(sizes[k] for k in shard) for shard in shards),
            mistakes=np.array([each.mistakes for each in epochs], np.int64),
            squared=tuple(self._squared(each, problem, len(shards)) for each in epochs), converged=ended,
        ))  # fmt: skip
        self._tell_of_end(stopped, epochs)
        return self

    def audit(self, X: Any, y: Any = None) -> MixingLedger:
        """Hold the run against its theorem: the weighted sum of mistakes is at most ``R^2 / gamma^2``, margin certified.

        Parameters
        ----------
        X, y
            What it was fitted with.

        Returns
        -------
        MixingLedger
            ``holds``, ``bound``, and after each epoch the quantities of the proof.
        """
        check_is_fitted(self)
        learnt: LearntMixture = learnt_by(self)
        if learnt.vectors > 1:
            raise ValueError(f"The theorem is about two classes; the perceptron has learnt {learnt.vectors}.")
        batches = X if isinstance(X, Batches) else self._held(X, y)[0]
        return audit_of(learnt, BatchedProblem.of(batches, intercept=len(learnt.weights) > learnt.features))

    def _check_parameters(self) -> None:
        self._require_choice("tie", TIES)
        self._require_integer("max_iter", 1)
        self._require_time_limit()
        self._require_switches("fit_intercept")
        if isinstance(self.shards, str):
            self._require_choice("shards", ["blocks"], ", an integer of at least 1 or an array")
        elif np.ndim(self.shards) == 0:
            self._require_integer("shards", 1)

    def _number_of(self, sizes: Sequence[int]) -> int:
        """Return how many shards there are of rows in blocks."""
        if np.ndim(self.shards):
            self._refuse("shards", 'an integer of at least 1 or "blocks", for rows in blocks')
        return len(sizes) if isinstance(self.shards, str) else int(self.shards)

    def _held(self, X: Any, y: Any) -> tuple[Batches, list[list[int]]]:
        """Return rows in memory as rows in blocks, a block for each shard."""
        rows = read_rows(X)
        labels, n = read_labels(y, len(rows)), len(rows)
        if isinstance(self.shards, str):
            self._refuse("shards", "an integer of at least 1 or an array, for rows in memory")
        if np.ndim(self.shards) == 0:
            number = min(int(self.shards), n)
            sizes = [n * (k + 1) // number - n * k // number for k in range(number)]
        else:
            order, sizes = _by_shard(self.shards, n)
            rows, labels = rows[order], labels[order]
        return Stream(HeldRows(rows, labels, sizes)), [[k] for k in range(len(sizes))]

    @staticmethod
    def _squared(each: Epoch, problem: BatchedProblem, shards: int) -> Fraction:
        return each.weights.dot(each.weights) / (shards * problem.facts.denominator) ** 2

    @staticmethod
    def _so_far(epochs: list[Epoch]) -> str:
        mistakes = sum(map(sum, (each.mistakes for each in epochs)))
        return f"{counted(len(epochs), 'epoch')}, {counted(mistakes, 'mistake')} in all"

    def _tell_of_end(self, stopped: str | None, epochs: list[Epoch]) -> None:
        """Warn if the run did not end by itself."""
        if stopped is not None:
            told = Message(
                f"{self._called} was stopped by {stopped} after {self._so_far(epochs)}. The weights after the last epoch "
                "are kept."
            )
        elif any(epochs[-1].mistakes):
            told = Message(
                f"{self._called} has come to no epoch without a mistake: {self._so_far(epochs)}. Allow more epochs (",
                Remedy("max_iter"), "), or fewer shards, which need fewer; ", Question("decide"),
                " says whether a hyperplane separates the classes.",
            )  # fmt: skip
        else:
            return
        warnings.warn(told, ConvergenceWarning, stacklevel=4)

    def _tie(self) -> str:
        return self.tie


def consecutive(sizes: Sequence[int], shards: int) -> list[list[int]]:
    """Divide blocks into so many groups that follow each other, of about as many rows, none without any.

    >>> consecutive([5, 5, 0, 5, 5, 20], 3)
    [[0, 1, 3], [4], [5]]
    """
    blocks = [k for k, size in enumerate(sizes) if size]
    shards = min(shards, len(blocks))
    ends = np.cumsum([sizes[k] for k in blocks])
    groups, begun = [], 0
    for shard in range(shards):
        wanted = ends[-1] * (shard + 1) / shards
        stop = int(np.argmin(np.abs(ends - wanted))) + 1
        stop = max(begun + 1, min(stop, len(blocks) - (shards - shard - 1)))
        groups.append(blocks[begun:stop])
        begun = stop
    return groups


def _by_shard(shards: ArrayLike, n: int) -> tuple[NDArray[np.int64], list[int]]:
    """Return the rows, shard by shard, each in their order, and how many each shard has."""
    given = np.asarray(shards)
    if given.shape != (n,) or given.dtype.kind not in "iu":
        raise ValueError(f"shards must say the shard of each of the {n} rows, by a whole number.")
    _, codes, sizes = np.unique(given, return_inverse=True, return_counts=True)
    return np.argsort(codes, kind="stable"), sizes.tolist()
