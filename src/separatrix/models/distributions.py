"""Distributions of scipy as JSON, for the models of `BayesClassifier`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exceptions import ModelError
from .fields import Section, boolean, floats, number, plain, refuse, table

# ---- Distributions of scipy.stats, by family.

_FAMILIES = {
    "norm": ("loc", "scale"),
    "bernoulli": ("p", "loc"),
    "binom": ("n", "p", "loc"),
    "geom": ("p", "loc"),
    "nbinom": ("n", "p", "loc"),
    "poisson": ("mu", "loc"),
    "randint": ("low", "high", "loc"),
}

_GAUSSIAN = "multivariate_normal"


def write_distribution(distribution: Any, which: str) -> dict[str, Any]:
    """Return a frozen distribution of scipy as JSON."""
    from scipy import stats

    if type(distribution) is type(stats.multivariate_normal([0.0])):
        written = {"mean": distribution.mean.tolist(), "cov": distribution.cov.tolist(),
                   "allow_singular": bool(distribution.allow_singular)}  # fmt: skip
        twin = stats.multivariate_normal(**written)
        if type(twin.cov_object) is not type(distribution.cov_object):
            raise TypeError(
                f"{which} has a covariance that is not given by its matrix. Give the matrix, or pickle the model."
            )
        return {"family": _GAUSSIAN, **written}
    family = getattr(distribution, "dist", None)
    name = getattr(family, "name", None)
    if name not in _FAMILIES or type(family) is not type(getattr(stats, name)) or not hasattr(distribution, "args"):
        raise TypeError(
            f"A model file holds frozen distributions of scipy.stats, of the families {_GAUSSIAN}, {', '.join(_FAMILIES)}; "
            f"{which} is {distribution!r}. Pickle the model."
        )
    given = dict(zip(_FAMILIES[name], distribution.args, strict=False)) | distribution.kwds
    for key, value in given.items():
        if np.ndim(value) or not isinstance(plain(np.asarray(value)[()]), int | float):
            raise TypeError(f"A model file holds distributions with numbers as parameters; {key} of {which} is {value!r}.")
    return {"family": name, **{key: plain(np.asarray(value)[()]) for key, value in given.items()}}


def read_distribution(document: Any, where: str) -> Any:
    """Return the distribution that JSON tells of."""
    from scipy import stats

    families = (_GAUSSIAN, *_FAMILIES)
    if not isinstance(document, dict) or not isinstance(document.get("family"), str) or document["family"] not in families:
        refuse(where, f"an object whose family is one of {', '.join(families)}", document)
    name = document["family"]
    if name == _GAUSSIAN:
        section = Section(document, where, "family", "mean", "cov", "allow_singular")
        mean = section.get("mean", floats)
        if not mean.size:
            refuse(f"{where}.mean", "a list of numbers", [])
        cov = section.get("cov", table, mean.size, mean.size)
        try:
            return stats.multivariate_normal(mean, cov, allow_singular=section.get("allow_singular", boolean))
        except ValueError as error:
            raise ModelError(f"{where} is no distribution: {error}") from None
    section = Section(document, where, "family", *(key for key in _FAMILIES[name] if key in document))
    try:
        distribution = getattr(stats, name)(**{key: section.get(key, number) for key in document if key != "family"})
        valid = not np.isnan(distribution.support()).any()
    except TypeError as error:
        raise ModelError(f"{where} is no distribution: {error}.") from None
    return distribution if valid else refuse(where, "a distribution with parameters in their range", document)
