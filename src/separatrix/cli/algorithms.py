"""The algorithms that ``separatrix fit`` offers: what options each of them takes, and what it has to tell afterwards."""

from __future__ import annotations

from typing import Any

from ..estimators.family import ALGORITHMS, Member
from ..estimators.reports import facts, listed
from ..support.escaping import shown
from .terminal import factor, hyperplane

_MAX_TERMS = 4
"""Terms of a score up to which all are written."""

_OF_KERNELS = {"degree": ("poly",), "coef0": ("poly",), "gamma": ("poly", "rbf")}
"""Options that some kernels take only."""


def named(option: str) -> str:
    """Write an option as it is given.

    >>> named("max_iter")
    '--max-iter'
    """
    return f"--{option.replace('_', '-')}"


def choose(name: str, given: dict[str, Any]) -> tuple[Member, dict[str, Any]]:
    """Return an algorithm and the parameters that options set; refuse options that it does not take.

    >>> choose("voted", {"max_iter": 5})[1]
    {'max_iter': 5, 'random_state': 0}
    >>> choose("max-margin", {"max_iter": 5})
    Traceback (most recent call last):
    separatrix.exceptions.FileError: --max-iter is not for --algorithm max-margin, which takes --tolerance, --time-limit.
    """
    from ..exceptions import FileError

    if name not in ALGORITHMS:
        raise FileError(f"--algorithm must be one of {', '.join(ALGORITHMS)}, got {name!r}.")
    algorithm = ALGORITHMS[name]
    options = algorithm.options or {}
    for option in given:
        if option not in options:
            takes = ", ".join(map(named, options))
            raise FileError(f"{named(option)} is not for --algorithm {name}, which takes {takes}.")
    if name == "kernel":
        refuse_for_kernel(given.get("kernel", "rbf"), given)
    parameters = {options[option]: value for option, value in given.items()}
    if "class_weight" in parameters:
        if given["class_weight"] not in ("balanced", "none"):
            raise FileError(f"--class-weight must be balanced or none, got {given['class_weight']!r}.")
        parameters["class_weight"] = None if given["class_weight"] == "none" else "balanced"
    if "gamma" in given:
        parameters["gamma"] = read_gamma(given["gamma"])
    if "seed" in options:
        parameters.setdefault("random_state", 0)
    return algorithm, parameters


def refuse_for_kernel(kernel: str, given: dict[str, Any]) -> None:
    """Refuse a kernel that there is not, and options that are not for it."""
    from ..exceptions import FileError

    if kernel not in ("linear", "poly", "rbf"):
        raise FileError(f"--kernel must be linear, poly or rbf, got {kernel!r}.")
    for option, kernels in _OF_KERNELS.items():
        if option in given and kernel not in kernels:
            raise FileError(f"{named(option)} is not for --kernel {kernel}, but for {' and '.join(kernels)}.")


def read_gamma(text: str) -> str | float:
    """Read what --gamma was given."""
    from ..exceptions import FileError

    if text == "scale":
        return text
    try:
        return float(text)
    except ValueError:
        raise FileError(f"--gamma must be scale or a number, got {text!r}.") from None


def findings(name: str, classifier: Any) -> dict[str, Any]:
    """Return what a classifier has learnt, for JSON; of copies a list, with what each has learnt of its class."""
    return facts(classifier, ALGORITHMS[name].facts)


def told(result: dict[str, Any]) -> str:
    """Say how learning went."""
    sentence = ALGORITHMS[result["algorithm"]].sentence
    assert sentence is not None
    return sentence(result, f"{result['seconds']:.2f} s")


def drawn(result: dict[str, Any], sign: str = ">") -> str | None:
    """Write a classifier by linear scores in the names of the features; of two classes with the sign of its rule."""
    if result.get("coef") is None:
        return None
    classes, coef = result["classes"], result["coef"]
    if len(classes) == 2:
        return f"{shown(classes[1])} if\n{hyperplane(result['features'], coef, result['intercept'], sign)}"
    scores = [score(result["features"], *each) for each in zip(coef, result["intercept"], strict=True)]
    return f"The class with the largest of these scores:\n{listed(classes, scores)}"


def score(features: list[str], coef: list[float], intercept: float) -> str:
    """Write a linear score on one line, cut short.

    >>> score(["income", "debt", "age"], [2.0, -3.5, 0.0], -60.0)
    '2 * income - 3.5 * debt - 60'
    >>> score(list("abcdef"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.0)
    '1 * a + 2 * b + 3 * c + 4 * d + … (2 more)'
    """
    terms = [(weight, f"{abs(weight):.6g} * {factor(name)}") for weight, name in zip(coef, features, strict=True) if weight]
    few = terms[:_MAX_TERMS]
    if len(terms) > _MAX_TERMS:
        few.append((1.0, f"… ({len(terms) - _MAX_TERMS} more)"))
    if intercept or not few:
        few.append((intercept, f"{abs(intercept):.6g}"))
    text = "".join(f" {'-' if weight < 0 else '+'} {term}" for weight, term in few)
    return text[3:] if text.startswith(" + ") else text[1:]
