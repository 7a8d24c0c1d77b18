"""Parameters of estimators as JSON. A parameter of one name has one meaning, whichever estimator takes it."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from ..exact.rationals import read_rational
from .distributions import read_distribution, write_distribution
from .fields import Section, boolean, choice, each, floats, integer, items, labels, number, plain, refuse

_NUMBER_OF_SEEDS = 2**32
"""Seeds that numpy's `RandomState` takes: from 0 to one less than this."""


OF_KERNELS = ("kernel", "degree", "gamma", "coef0")
"""Parameters that are written together, and not at all where an estimator has no kernel."""

OF_THE_CALL = ("verbose",)
"""Parameters that say nothing of what is learnt, and are not written."""


NOT_AT_FIRST = ("block_rows",)
"""Parameters that there were not always: they are written if they are not None, and None where they are missing."""


def write_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as JSON has them."""
    parameters = estimator.get_params(deep=False)
    if "kernel" in parameters and parameters["kernel"] is None:
        parameters = {name: value for name, value in parameters.items() if name not in OF_KERNELS}
    left_out = {*_unwritten(type(estimator)), *(name for name in NOT_AT_FIRST if parameters.get(name) is None)}
    return {name: _write(name, value) for name, value in parameters.items() if name not in left_out}


def _unwritten(kind: type) -> tuple[str, ...]:
    """Return the parameters of a kind of estimator that are not written: how long others than a pocket may take, too."""
    return OF_THE_CALL if kind.__name__ == "Pocket" else (*OF_THE_CALL, "time_limit")


def _write(name: str, value: Any) -> Any:
    if name == "eta0" and isinstance(value, Fraction | Decimal):
        return str(value) if isinstance(value, Decimal) else f"{value.numerator}/{value.denominator}"
    if name == "random_state":
        return int(value) if isinstance(value, numbers.Integral) else None
    if name == "distributions":
        return [write_distribution(distribution, f"distributions[{k}]") for k, distribution in enumerate(value)]
    if name == "class_weight" and isinstance(value, dict):
        return [[plain(key), float(weight)] for key, weight in value.items()]
    if name == "kernel" and callable(value):
        raise TypeError(
            "A model file holds no functions, and the kernel is one. Use kernel='precomputed' with the matrix of its "
            "values, or pickle the model."
        )
    if name in ("order", "priors", "classes", "shards") and value is not None and not isinstance(value, str):
        found = np.asarray(value).tolist()
        return [plain(item) for item in found] if isinstance(found, list) else plain(found)
    written = plain(value)
    if isinstance(written, float) and not math.isfinite(written):
        raise TypeError(
            f"A model file holds finite numbers, and {name} is {written}. Set it to another, or pickle the model."
        )
    return written


def read_parameters(kind: type, document: Any) -> Any:
    """Return an estimator with the parameters that were written."""
    known = inspect.signature(kind).parameters
    names = sorted(set(known) - set(_unwritten(kind)))
    if "kernel" in known and known["kernel"].default is None and isinstance(document, dict) and "kernel" not in document:
        names = [name for name in names if name not in OF_KERNELS]
    if isinstance(document, dict):
        names = [name for name in names if name not in NOT_AT_FIRST or name in document]
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


def _shards(value: Any, where: str) -> Any:
    """Read how many shards there are, that each block is one, or the shard of each row."""
    if isinstance(value, str):
        return choice(value, where, "blocks")
    if not isinstance(value, list):
        return integer(value, where, least=1)
    return np.array(each(integer, value, where, least=-(2**62)), dtype=np.int64)


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


def _rate(value: Any, where: str) -> Any:
    """Read a learning rate: a number, or a decimal or fraction as a text."""
    if not isinstance(value, str):
        return number(value, where, above=0.0)
    try:
        rate = Fraction(value) if "/" in value else read_rational(value, where)
    except (ValueError, ZeroDivisionError):
        refuse(where, "a positive number, or a text such as '0.1' or '1/3'", value)
    if rate <= 0:
        refuse(where, "a positive number", value)
    return rate if "/" in value else value


def _gamma(value: Any, where: str) -> Any:
    return choice(value, where, "scale") if isinstance(value, str) else number(value, where, above=0.0)


_SECONDS = _or_null(number, above=0.0)

_READERS: dict[str, Callable[[Any, str], Any]] = {
    "average": boolean,
    "block_rows": _with(integer, least=1),
    "cache_size": _with(number, above=0.0),
    "certify": _SECONDS,
    "class_weight": _class_weight,
    "classes": _or_null(labels),
    "coef0": number,
    "degree": _with(integer, least=1, below=1001),
    "distributions": lambda value, where: each(read_distribution, value, where),
    "eta0": _rate,
    "fit_intercept": boolean,
    "gamma": _gamma,
    "init": _with(choice, "zero", "best"),
    "kernel": _with(choice, "linear", "poly", "rbf", "precomputed"),
    "max_iter": _with(integer, least=1),
    "max_updates": _with(integer, least=1),
    "order": _order,
    "priors": _or_null(floats),
    "random_state": _or_null(integer, below=_NUMBER_OF_SEEDS),
    "record": boolean,
    "restarts": integer,
    "shards": _shards,
    "tie": _with(choice, "update", "positive", "negative"),
    "time_limit": _SECONDS,
    "tolerance": _with(number, above=0.0, below=1.0),
}
