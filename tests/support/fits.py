"""Classifiers that are fitted without the warnings that a test does not ask about."""

import warnings

from sklearn.exceptions import ConvergenceWarning

import separatrix as sx

FIT_PARAMETERS = ("coef_init", "intercept_init", "sample_weight")


def quietly(classifier, *arguments, **more):
    """Fit a classifier, whether or not its run comes to an end and whatever rounding does to its weights."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", sx.RoundingWarning)
        return classifier.fit(*arguments, **more)


def fitted(X, y, *, kind=sx.Perceptron, **parameters):
    """Make a classifier and fit it quietly; ``parameters`` are those of both."""
    more = {name: parameters.pop(name) for name in FIT_PARAMETERS if name in parameters}
    return quietly(kind(**parameters), X, y, **more)
