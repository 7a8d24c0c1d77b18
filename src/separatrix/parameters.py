"""Parameters of estimators as JSON. A parameter of one name has one meaning, whichever estimator takes it."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from .sections import ModelError, Section, boolean, choice, each, floats, integer, items, labels, number, refuse, table

_SEEDS = 2**32


def plain(value: Any) -> Any:
    """Return a number, a text or a truth value as Python's own."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    return float(value) if isinstance(value, numbers.Real) else value


def write_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as JSON has them."""
    return {name: _write(name, value) for name, value in estimator.get_params(deep=False).items()}


def _write(name: str, value: Any) -> Any:
    if name == "random_state":
        return int(value) if isinstance(value, numbers.Integral) else None
    if name == "distributions":
        return [_write_distribution(distribution, f"distributions[{k}]") for k, distribution in enumerate(value)]
    if name == "class_weight" and isinstance(value, dict):
        return [[plain(key), float(weight)] for key, weight in value.items()]
    if name == "kernel" and callable(value):
        raise TypeError(
            "A model file holds no functions, and the kernel is one. Use kernel='precomputed' with the matrix of its "
            "values, or pickle the model."
        )
    if name in ("order", "priors", "classes") and value is not None and not isinstance(value, str):
        return [plain(item) for item in np.asarray(value).tolist()]
    written = plain(value)
    if isinstance(written, float) and not math.isfinite(written):
        raise TypeError(
            f"A model file holds finite numbers, and {name} is {written}. Set it to another, or pickle the model."
        )
    return written


def read_parameters(kind: type, document: Any) -> Any:
    """Return an estimator with the parameters that were written."""
    names = kind._get_param_names()  # type: ignore[attr-defined]
    section = Section(document, "parameters", *names)
    return kind(**{name: section.get(name, _READERS[name]) for name in names})


def _or_null(read: Callable[..., Any], **limits: Any) -> Callable[[Any, str], Any]:
    return lambda value, where: None if value is None else read(value, where, **limits)


def _with(read: Callable[..., Any], *arguments: Any, **limits: Any) -> Callable[[Any, str], Any]:
    return lambda value, where: read(value, where, *arguments, **limits)


def _order(value: Any, where: str) -> Any:
    if isinstance(value, str):
        return choice(value, where, "cyclic", "shuffle", "random")
    places = np.array(each(integer, value, where), dtype=np.int64)
    if not np.array_equal(np.sort(places), np.arange(places.size)):
        refuse(where, "the name of an order or a permutation", value)
    return places


def _class_weight(value: Any, where: str) -> Any:
    if value is None or isinstance(value, str):
        return value if value is None else choice(value, where, "balanced")
    weights = {}
    for k, pair in enumerate(items(value, where)):
        label, weight = items(pair, f"{where}[{k}]", 2)
        if not isinstance(label, str | int | float):
            refuse(f"{where}[{k}][0]", "a label", label)
        weights[label] = number(weight, f"{where}[{k}][1]")
        if weights[label] < 0:
            refuse(f"{where}[{k}][1]", "a number of at least 0", weight)
    return weights


def _gamma(value: Any, where: str) -> Any:
    return choice(value, where, "scale") if isinstance(value, str) else number(value, where, above=0.0)


_SECONDS = _or_null(number, above=0.0)

_READERS: dict[str, Callable[[Any, str], Any]] = {
    "average": boolean,
    "cache_size": _with(number, above=0.0),
    "certify": _SECONDS,
    "class_weight": _class_weight,
    "classes": _or_null(labels),
    "coef0": number,
    "degree": _with(integer, least=1, below=1001),
    "distributions": lambda value, where: each(_read_distribution, value, where),
    "eta0": _with(number, above=0.0),
    "fit_intercept": boolean,
    "gamma": _gamma,
    "init": _with(choice, "zero", "best"),
    "kernel": _with(choice, "linear", "poly", "rbf", "precomputed"),
    "max_iter": _with(integer, least=1),
    "max_updates": _with(integer, least=1),
    "order": _order,
    "priors": _or_null(floats),
    "random_state": _or_null(integer, below=_SEEDS),
    "record": boolean,
    "restarts": integer,
    "tie": _with(choice, "update", "positive", "negative"),
    "time_limit": _SECONDS,
    "tolerance": _with(number, above=0.0, below=1.0),
}

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


def _write_distribution(distribution: Any, which: str) -> dict[str, Any]:
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


def _read_distribution(document: Any, where: str) -> Any:
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
