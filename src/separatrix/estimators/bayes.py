"""The Bayes classifier of known distributions: the optimum that no classifier beats."""

from __future__ import annotations

import numbers
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from .._types import Floats
from ..compiled.environment import checked_arithmetic
from ..problem.labels import class_array, distinct, read_labels
from ..problem.reading_rows import read_rows
from ..problem.rows import filled_in
from .learnt import Learner, Learnt, features_of
from .shared.blocks import refuse_blocks
from .solvers.mixture import METHODS, Density, Mixture, Risk


class BayesClassifier(Learner, ClassifierMixin, BaseEstimator):
    """The best classifier there is for rows of *known* distribution: the class with the largest posterior probability.

    A row gets the class with the largest ``log prior + log density``, the first of equals. No classifier, linear or not, has
    a smaller probability of error; that probability, the Bayes risk, is what `risk` returns. For two Gaussians with the
    same covariance the classifier is a hyperplane, ``coef_`` and ``intercept_``.

    It estimates nothing: `fit` learns nothing, and need not be called. Where the distributions are not known but are to be
    estimated from rows, scikit-learn has `QuadraticDiscriminantAnalysis`, `LinearDiscriminantAnalysis` and `GaussianNB`.

    Parameters
    ----------
    distributions : sequence of K distributions
        One for each class: frozen distributions of `scipy.stats`, such as ``norm(0, 1)``, ``poisson(3)`` or
        ``multivariate_normal(mean, cov)``; other objects with ``logpdf`` or ``logpmf``, which take rows of shape (n, d); or
        functions from such rows to log-densities. For Monte Carlo they need ``rvs(size=..., random_state=...)``.
    priors : array of shape (K,), optional
        The probabilities of the classes; all the same if not given.
    classes : array of shape (K,), optional
        Their labels, in the order of the distributions. If not given, the sorted labels of `fit`, or 0 to K - 1.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The labels.
    coef_ : array of shape (1, d)
        The weights of the log odds, for two Gaussians with the same covariance only.
    intercept_ : array of shape (1,)
        Their intercept, likewise.
    n_features_in_ : int
        Number of features, after `fit`; with ``feature_names_in_`` if the rows had names.

    Examples
    --------
    >>> import separatrix as sx
    >>> from scipy.stats import norm, poisson
    >>> bayes = sx.BayesClassifier([norm(-1, 1), norm(1, 1)])
    >>> bayes.predict([[-0.5], [0.1]]), bayes.coef_, bayes.intercept_
    (array([0, 1]), array([[2.]]), array([0.]))
    >>> bayes.risk()
    Risk(value=0.158655..., error=0.0, method='closed form')
    >>> sx.BayesClassifier([poisson(2), poisson(5)], priors=[0.75, 0.25], classes=["quiet", "busy"]).predict([[4], [5]])
    array(['quiet', 'busy'], dtype='<U5')
    """

    def __init__(self, distributions: Any, priors: ArrayLike | None = None, classes: ArrayLike | None = None) -> None:
        self.distributions = distributions
        self.priors = priors
        self.classes = classes

    @checked_arithmetic
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn nothing: check that rows and labels suit the distributions, and note the labels and the features.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars or pyarrow table of shape (n, d)
            Rows.
        y : array of shape (n,)
            Labels. If ``classes`` is not given, their sorted values are the classes, in the order of the distributions.

        Returns
        -------
        BayesClassifier
            Itself.
        """
        refuse_blocks(self, X, "it learns nothing from rows; give it a few of them")
        mixture = self._mixture()
        rows = read_rows(X).nearest()
        labels = read_labels(y, rows.shape[0])
        found = distinct(labels)
        count = len(mixture.densities)
        if self.classes is None:
            if len(found) != count:
                two = count == 2 and len(found) > 2
                raise ValueError(
                    f"{'Only binary classification is supported.' if two else 'A class for each distribution is expected.'} "
                    f"There are {count} distributions, but {len(found)} {'class' if len(found) == 1 else 'classes'} in y. "
                    "Give classes, one label for each distribution, or rows of all of them."
                )
            classes = class_array(found)
        else:
            classes = self._labels(count)
            strange = [value for value in found if value not in classes.tolist()]
            if strange:
                raise ValueError(f"y holds the class {strange[0]!r}, which is not among classes: {classes.tolist()}.")
        self._require_dimension(mixture, rows.shape[1])
        self._adopt(Learnt(classes=classes, **features_of(X)))
        return self

    @checked_arithmetic
    def decision_function(self, X: Any) -> Floats:
        """Log odds of the second class for two classes, of shape (n,); log prior + log density for more, of shape (n, K)."""
        mixture, rows = self._read(X)
        joint = mixture.joint(rows)
        return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint

    @checked_arithmetic
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class with the largest posterior probability, the first of equals.

        A row that no class can have made gets the class with the largest prior.
        """
        mixture, rows = self._read(X)
        count = len(mixture.densities)
        classes = self.classes_
        if len(classes) != count:
            raise ValueError(
                f"There are {count} distributions now, but there were {len(classes)} classes in fit. Call fit again."
            )
        return classes[mixture.joint(rows).argmax(axis=1)]

    @checked_arithmetic
    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of the posterior probabilities, of shape (n, K)."""
        mixture, rows = self._read(X)
        return mixture.posterior(rows)

    @checked_arithmetic
    def predict_proba(self, X: Any) -> Floats:
        """Posterior probabilities of the classes, of shape (n, K): exact, hence calibrated."""
        with np.errstate(under="ignore"):
            return np.exp(self.predict_log_proba(X))

    @checked_arithmetic
    def risk(self, *, method: str | None = None, n_samples: int = 100_000, random_state: Any = 0) -> Risk:
        """Find the Bayes risk: the probability of error of this classifier, and the least there is.

        Parameters
        ----------
        method : {"closed form", "summation", "intervals", "Monte Carlo"}, optional
            The first that suits the distributions, if not given. In closed form: two Gaussians with the same covariance. By
            summation: univariate discrete distributions. By intervals of the line: univariate continuous ones. Else by
            Monte Carlo.
        n_samples : int
            How many rows Monte Carlo draws.
        random_state : int or RandomState
            Its seed.

        Returns
        -------
        Risk
            ``value``, ``error`` (0.0 if exact up to rounding) and ``method``.
        """
        if method is not None and method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, or None for the best; got {method!r}.")
        if not isinstance(n_samples, numbers.Integral) or n_samples < 2:
            raise ValueError(f"n_samples must be an integer of at least 2, got {n_samples!r}.")
        return self._mixture().risk(method, int(n_samples), check_random_state(random_state))

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels; before `fit`, too, as that need not be called."""
        known: NDArray[Any] | None = vars(self).get("classes_")
        return self._labels(len(self._mixture().densities)) if known is None else known

    @classes_.setter
    def classes_(self, classes: NDArray[Any]) -> None:
        self.__dict__["classes_"] = classes

    @classes_.deleter
    def classes_(self) -> None:
        del self.__dict__["classes_"]

    @property
    def coef_(self) -> Floats:
        """The weights of the log odds."""
        return self._discriminant()[0][None]

    @property
    def intercept_(self) -> Floats:
        """The intercept of the log odds."""
        return np.array([self._discriminant()[1]])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = not hasattr(self.distributions, "__len__") or len(self.distributions) > 2
        tags.classifier_tags.poor_score = True  # on rows that are not of its distributions
        return tags

    def _discriminant(self) -> tuple[Floats, float]:
        found = self._mixture().discriminant
        if found is None:
            raise AttributeError(
                "This Bayes classifier is no hyperplane, so that it has no coef_ and intercept_: that takes two Gaussians "
                "with the same covariance."
            )
        return found[:2]

    def _mixture(self) -> Mixture:
        """Check the parameters."""
        try:
            distributions = list(self.distributions)
        except TypeError:
            raise TypeError(f"distributions must be a sequence, one for each class; got {self.distributions!r}.") from None
        count = len(distributions)
        if count < 2:
            raise ValueError(f"distributions must hold one distribution for each of at least two classes, got {count}.")
        densities = [Density(distribution, f"distributions[{k}]") for k, distribution in enumerate(distributions)]
        priors = np.full(count, 1.0 / count) if self.priors is None else np.asarray(self.priors, dtype=np.float64)
        if priors.shape != (count,):
            raise ValueError(
                f"priors has the shape {priors.shape}, expected ({count},): a probability for each distribution."
            )
        if not (np.all(priors > 0.0) and abs(float(priors.sum()) - 1.0) <= 1e-9):
            raise ValueError(f"priors must be positive and add up to 1, got {priors.tolist()}.")
        self._labels(count)
        return Mixture(densities, priors)

    def _labels(self, count: int) -> NDArray[Any]:
        if self.classes is None:
            return np.arange(count)
        classes = np.asarray(self.classes)
        if classes.shape != (count,) or len(set(classes.tolist())) < count:
            raise ValueError(f"classes must be {count} different labels, one for each distribution; got {self.classes!r}.")
        return classes

    def _read(self, X: Any) -> tuple[Mixture, Floats]:
        mixture = self._mixture()
        rows = read_rows(X).nearest()
        if hasattr(self, "n_features_in_"):
            validate_data(self, X, skip_check_array=True, reset=False)
        self._require_dimension(mixture, rows.shape[1])
        return mixture, filled_in(rows)

    def _require_dimension(self, mixture: Mixture, d: int) -> None:
        if mixture.dimension not in (None, d):
            raise ValueError(f"X has {d} features, but the distributions are of dimension {mixture.dimension}.")


def labels_for(classifier: BayesClassifier, d: int | None) -> NDArray[Any]:
    """Return the labels that the parameters give the classes; refuse parameters that do not suit so many features."""
    mixture = classifier._mixture()
    if d is not None:
        classifier._require_dimension(mixture, d)
    return classifier._labels(len(mixture.densities))
