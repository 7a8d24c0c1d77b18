"""Classification by regression: least squares on the labels -1 and 1."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ..support.calls import Verbose
from ..support.clock import Clock, read_time_limit
from ..support.remedies import Message, Remedy
from .learnt import LearntHyperplanes
from .shared.blocks import refuse_blocks
from .shared.one_vs_rest import OneVsRest
from .solvers.exact_least_squares import exact_least_squares
from .solvers.least_squares import Ending, least_squares


class LeastSquaresClassifier(OneVsRest):
    """The regression of the labels -1 and 1 on the rows, thresholded at 0.

    It minimises the sum of ``(w.x_i + b - y_i)^2``: quickly, and with a unique answer where the columns are independent of
    each other and of the constant. Of several answers it gives the one of least length, the intercept counted. For two
    classes of equal size it has the direction and the threshold of Fisher's linear discriminant. Of more than two classes
    each is set against the rest.

    **It need not separate what is separable.** A squared error punishes a score of 100 for a row labelled 1 as much as a
    score of -98. A row that is far away on its correct side therefore draws the hyperplane towards itself, past nearer rows
    of its own class. Where a separator is wanted, `LinearProgramClassifier`, `MaxMargin` and `Perceptron` find one if there
    is one.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether the hyperplane has an intercept; without, it goes through the origin.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied into ``sample_weight``; "balanced" gives all classes the same total weight.
    time_limit : float, optional
        Seconds after which the weights found by then are kept, with a warning: of sparse rows those that the iteration has
        come to, of dense ones those of the rows read by then, which are from everywhere among them.
    verbose : bool or callable, default=False
        Whether `fit` shows its progress, once it takes longer than a second; or a function that is called with each
        `Progress`. It changes nothing else.

    Attributes
    ----------
    coef_ : array of shape (1, d), or (K, d) for K > 2 classes
        The weights. Of little data of short numbers, whole ones or decimals of up to 12 digits, 4,000 in 40 columns at
        most, they are the exact solution rounded to float64, so that what is 0 is 0; else they are found in floating
        point. Predictions are by the exact signs, or the largest, of their scores.
    intercept_ : array of shape (1,) or (K,)
        The intercepts.
    classes_ : array of shape (K,)
        The classes; of two the second is the positive one.
    n_features_in_ : int
        Number of features; with ``feature_names_in_`` if the rows had names.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    >>> sx.LeastSquaresClassifier().fit(X, y).score(X, y)
    1.0

    Another row of class 1, far from the others, makes one of them a mistake, though a hyperplane separates all:

    >>> X, y = [*X, [40]], [*y, 1]
    >>> sx.LeastSquaresClassifier().fit(X, y).predict(X)
    array([0, 0, 0, 1, 1])
    >>> sx.decide(X, y).separable
    True

    Of XOR, nothing linear is left: all weights are exactly 0.

    >>> sx.LeastSquaresClassifier().fit(*sx.examples.load("xor")).coef_
    array([[0., 0.]])
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        class_weight: Any = None,
        time_limit: float | None = None,
        verbose: Verbose = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Solve the least-squares problem.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
            The rows. Dense ones are factorised; sparse ones are not filled in, but take an iteration (LSQR).
        y : array of shape (n,)
            The labels, of two classes or more.
        sample_weight : array of shape (n,), optional
            Multiplies the squared errors: a weight of 2 is a row given twice.

        Returns
        -------
        LeastSquaresClassifier
            Itself.
        """
        refuse_blocks(self, X, "it solves for all rows at once")
        self._require_time_limit()
        clock = Clock(read_time_limit(self.time_limit))
        to_solve = self._problems(X, y, sample_weight, self.class_weight)
        labels = np.stack([problem.y for problem in to_solve.problems], axis=1)
        first, ending = to_solve.problems[0], Ending.EXACT
        weights = exact_least_squares(first, labels)
        if weights is None:
            weights, ending = least_squares(first.nearest(), labels, clock)
        self._adopt(LearntHyperplanes(**to_solve.solved(list(weights))))
        if ending in (Ending.TIME, Ending.INTERRUPT):
            why = "Time was up" if ending == Ending.TIME else "Ctrl-C came"
            more: tuple[str | Remedy, ...] = (" Raise ", Remedy("time_limit"), ".") if ending == Ending.TIME else ()
            told = Message(f"{why} before the least squares were found: the weights are near them at best.", *more)
            warnings.warn(told, ConvergenceWarning, stacklevel=3)
        elif ending == Ending.ITERATIONS:
            warnings.warn(
                "The iteration for sparse rows ended before it was as exact as floating point allows: the columns differ "
                "much in scale, or nearly depend on each other. Scale them (MaxAbsScaler), or give dense rows.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self
