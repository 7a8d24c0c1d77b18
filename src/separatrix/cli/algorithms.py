"""The algorithms that ``separatrix fit`` offers: what options each of them takes, and what it has to tell afterwards."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from ..support.counts import counted
from ..support.escaping import shown
from .terminal import hyperplane

_VISITS = {"order": "order", "tie": "tie", "max_iter": "max_iter", "seed": "random_state"}

_WEIGHTS = {"class_weight": "class_weight"}

_OF_EACH = ("mistakes", "passes", "converged", "visits", "support", "most_mistakes", "errors", "updates")

_COMMON = ("kernel", "gamma")

_MOST_CLASSES = 10

_MOST_TERMS = 4


@dataclass(frozen=True)
class Algorithm:
    """A way to learn a classifier."""

    estimator: str
    options: dict[str, str] = field(default_factory=dict)
    """The options it takes, each with the parameter of the estimator that it sets; an intercept all of them take."""
    fixed: dict[str, Any] = field(default_factory=dict)
    last: str | None = None
    """What the estimator has as soon as it has something to keep after a Ctrl-C; None if it never has."""

    def make(self, **parameters: Any) -> Any:
        """Return the estimator."""
        import separatrix

        return getattr(separatrix, self.estimator)(**self.fixed, **parameters)


ALGORITHMS = {
    "perceptron": Algorithm("Perceptron", {**_VISITS, "eta0": "eta0", **_WEIGHTS}, last="converged_"),
    "averaged": Algorithm("Perceptron", {**_VISITS, "eta0": "eta0", **_WEIGHTS}, {"average": True}, last="converged_"),
    "voted": Algorithm("VotedPerceptron", _VISITS, last="survivals_"),
    "pocket": Algorithm(
        "Pocket",
        {"max_updates": "max_updates", "restarts": "restarts", "start": "init", "time_limit": "time_limit", "tie": "tie",
         **_WEIGHTS, "seed": "random_state"},
        last="certificate_",
    ),
    "max-margin": Algorithm("MaxMargin", {"tolerance": "tolerance"}),
    "kernel": Algorithm(
        "KernelPerceptron",
        {"kernel": "kernel", "degree": "degree", "gamma": "gamma", "coef0": "coef0", **_VISITS, **_WEIGHTS},
        last="bound_",
    ),
    "least-squares": Algorithm("LeastSquaresClassifier", _WEIGHTS),
    "linear-program": Algorithm("LinearProgramClassifier", _WEIGHTS),
}  # fmt: skip

_OF_KERNELS = {"degree": ("poly",), "coef0": ("poly",), "gamma": ("poly", "rbf")}


def named(option: str) -> str:
    """Write an option as it is given.

    >>> named("max_iter")
    '--max-iter'
    """
    return f"--{option.replace('_', '-')}"


def choose(name: str, given: dict[str, Any]) -> tuple[Algorithm, dict[str, Any]]:
    """Return an algorithm and the parameters that options set; refuse options that it does not take.

    >>> choose("voted", {"max_iter": 5})[1]
    {'max_iter': 5, 'random_state': 0}
    >>> choose("max-margin", {"max_iter": 5})
    Traceback (most recent call last):
    separatrix.exceptions.FileError: --max-iter is not for --algorithm max-margin, which takes --tolerance.
    """
    from ..exceptions import FileError

    if name not in ALGORITHMS:
        raise FileError(f"--algorithm must be one of {', '.join(ALGORITHMS)}, got {name!r}.")
    algorithm = ALGORITHMS[name]
    for option in given:
        if option not in algorithm.options:
            takes = ", ".join(map(named, algorithm.options))
            raise FileError(f"{named(option)} is not for --algorithm {name}, which takes {takes}.")
    if name == "kernel":
        kernel = given.get("kernel", "rbf")
        if kernel not in ("linear", "poly", "rbf"):
            raise FileError(f"--kernel must be linear, poly or rbf, got {kernel!r}.")
        for option, kernels in _OF_KERNELS.items():
            if option in given and kernel not in kernels:
                raise FileError(f"{named(option)} is not for --kernel {kernel}, but for {' and '.join(kernels)}.")
    parameters = {algorithm.options[option]: value for option, value in given.items()}
    if "class_weight" in parameters:
        if given["class_weight"] not in ("balanced", "none"):
            raise FileError(f"--class-weight must be balanced or none, got {given['class_weight']!r}.")
        parameters["class_weight"] = None if given["class_weight"] == "none" else "balanced"
    if given.get("gamma", "scale") != "scale":
        try:
            parameters["gamma"] = float(given["gamma"])
        except ValueError:
            raise FileError(f"--gamma must be scale or a number, got {given['gamma']!r}.") from None
    if "seed" in algorithm.options:
        parameters.setdefault("random_state", 0)
    return algorithm, parameters


def findings(name: str, classifier: Any) -> dict[str, Any]:
    """Return what a classifier has learnt, for JSON; of copies a list, with what each has learnt of its class."""
    if hasattr(classifier, "estimators_"):
        each = [findings(name, copy) for copy in classifier.estimators_]
        return {key: each[0][key] if key in _COMMON else [found[key] for found in each] for key in each[0]}
    found: dict[str, Any] = {}
    if name not in ("voted", "kernel"):
        two = len(classifier.coef_) == 1
        found["coef"] = classifier.coef_[0].tolist() if two else classifier.coef_.tolist()
        found["intercept"] = float(classifier.intercept_[0]) if two else classifier.intercept_.tolist()
    if hasattr(classifier, "n_mistakes_"):
        found["converged"], found["passes"] = bool(classifier.converged_), int(classifier.n_iter_)
        found["mistakes"] = int(classifier.n_mistakes_)
    if name == "voted":
        found["visits"] = int(classifier.n_visits_)
    elif name == "pocket":
        found["updates"], found["errors"] = int(classifier.n_updates_), int(classifier.n_errors_)
        found["weighted_error"] = classifier.weighted_error_
    elif name == "max-margin":
        found["margin"], found["support"] = (
            [_finite(bound) for bound in classifier.margin_bounds_],
            classifier.support_.tolist(),
        )
    elif name == "kernel":
        found["kernel"], found["gamma"] = classifier.kernel, float(classifier.gamma_)
        found["support"] = classifier.support_.tolist()
        found["margin"], found["most_mistakes"] = _finite(classifier.margin_), _finite(classifier.bound_)
    elif name == "linear-program":
        several = len(classifier.classes_) > 2
        found["violation"] = classifier.violation_.tolist() if several else classifier.violation_
        found["separated"] = classifier.separated_.tolist() if several else classifier.separated_
    return found


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def told(result: dict[str, Any]) -> str:
    """Say how learning went."""
    name, seconds = result["algorithm"], f"{result['seconds']:.2f} s"
    if isinstance(result.get("mistakes", result.get("updates")), list):
        return _told_of_each(result, seconds)
    if "mistakes" in result:
        verb = (
            "made its last mistake, and then went through all rows without one"
            if result["converged"]
            else "was still erring"
        )
        work = f"{counted(result['mistakes'], 'mistake')} in {counted(result['passes'], 'pass')}"
        text = f"The perceptron {verb}: {work}, {seconds}."
        if name == "averaged":
            text += " The weights are their mean over all visits."
        elif name == "voted":
            text += f" All weights it went through vote, each with the visits it survived: {result['visits']:,} votes."
        elif name == "kernel":
            text += f" It is known by the {counted(len(result['support']), 'row')} it erred on ({_kernel(result)})."
            if result["most_mistakes"] is not None:
                text += f" The convergence theorem allows {counted(math.floor(result['most_mistakes']), 'mistake')}."
        return text
    if name == "pocket":
        return (
            f"The pocket holds the best weights of {counted(result['updates'], 'update')}: "
            f"{counted(result['errors'], 'error')}, {seconds}."
        )
    if name == "max-margin":
        low, high = result["margin"]
        bounds = f"{low:.6g}" if high is None or f"{low:.6g}" == f"{high:.6g}" else f"between {low:.6g} and {high:.6g}"
        held = f"Rows that hold the hyperplane in its place: {len(result['support']):,}."
        return f"The largest margin is {bounds}, {seconds}. {held}"
    if name == "least-squares":
        return f"The least squares of the labels -1 and 1, {seconds}. They need not separate what is separable."
    separated = result["separated"]
    if isinstance(separated, list):
        apart = [each for each, alone in zip(result["classes"], separated, strict=True) if alone]
        these = some(apart, _MOST_CLASSES) or "none"
        return f"The least violation, {seconds}. Classes that a hyperplane separates from the rest: {these}."
    if separated:
        return f"The hyperplane separates the classes, which is proved, {seconds}."
    return (
        f"The hyperplane does not separate the classes; its violation, {result['violation']:.6g}, is the least, {seconds}."
    )


def _told_of_each(result: dict[str, Any], seconds: str) -> str:
    """Say how learning went where each class was set against the rest."""
    name, classes = result["algorithm"], result["classes"]
    keys = [key for key in _OF_EACH if key in result]
    found = [dict(zip(keys, values, strict=True)) for values in zip(*(result[key] for key in keys), strict=True)]
    lines = _listed(classes, list(map(_in_short, found)))
    if name == "pocket":
        return f"Each class has a pocket, with the best weights that set it against the rest, {seconds}:\n{lines}"
    if name == "voted":
        how = "All weights they went through vote, each with the visits it survived; the largest share of votes wins."
    else:
        how = f"They are known by the rows they erred on ({_kernel(result)}); the largest score wins."
    return f"Each class has a perceptron that sets it against the rest, {seconds}:\n{lines}\n{how}"


def _in_short(found: dict[str, Any]) -> str:
    """Say how learning went for one class.

    >>> _in_short({"mistakes": 7, "passes": 10, "converged": False, "visits": 1500})
    '7 mistakes in 10 passes, still erring; 1,500 votes'
    >>> _in_short({"mistakes": 7, "passes": 3, "converged": True, "support": [0, 4], "most_mistakes": 9.5})
    '7 mistakes on 2 rows in 3 passes, the last without one; the theorem allows 9'
    """
    if "updates" in found:
        return f"{counted(found['errors'], 'error')} after {counted(found['updates'], 'update')}"
    rows = f" on {counted(len(found['support']), 'row')}" if "support" in found else ""
    text = f"{counted(found['mistakes'], 'mistake')}{rows} in {counted(found['passes'], 'pass')}, "
    text += "the last without one" if found["converged"] else "still erring"
    if "visits" in found:
        text += f"; {counted(found['visits'], 'vote')}"
    if found.get("most_mistakes") is not None:
        text += f"; the theorem allows {math.floor(found['most_mistakes']):,}"
    return text


def _kernel(result: dict[str, Any]) -> str:
    return f"kernel {result['kernel']}" + ("" if result["kernel"] == "linear" else f", gamma {result['gamma']:.4g}")


def drawn(result: dict[str, Any], sign: str = ">") -> str | None:
    """Write a classifier by linear scores in the names of the features; of two classes with the sign of its rule."""
    if "coef" not in result:
        return None
    classes, coef = result["classes"], result["coef"]
    if len(classes) == 2:
        return f"{shown(classes[1])} if\n{hyperplane(result['features'], coef, result['intercept'], sign)}"
    scores = [score(result["features"], *each) for each in zip(coef, result["intercept"], strict=True)]
    return f"The class with the largest of these scores:\n{_listed(classes, scores)}"


def some(classes: list[Any], most: int) -> str:
    """Name classes, if they are not too many.

    >>> some(["aster", "rose", "tulip"], 3), some([1, 2, 3], 2)
    ('aster, rose, tulip', '1, 2, …')
    """
    return ", ".join(map(shown, classes[:most])) + (", …" if len(classes) > most else "")


def _listed(classes: list[Any], texts: list[str]) -> str:
    """Write what there is to say of each class on a line, if they are not too many."""
    lines = [f"  {shown(label)}: {text}" for label, text in zip(classes, texts, strict=True)]
    if len(lines) > _MOST_CLASSES:
        lines[_MOST_CLASSES:] = [f"  … and {counted(len(classes) - _MOST_CLASSES, 'more class')}"]
    return "\n".join(lines)


def score(features: list[str], coef: list[float], intercept: float) -> str:
    """Write a linear score on one line, cut short.

    >>> score(["income", "debt", "age"], [2.0, -3.5, 0.0], -60.0)
    '2 * income - 3.5 * debt - 60'
    >>> score(list("abcdef"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.0)
    '1 * a + 2 * b + 3 * c + 4 * d + … (2 more)'
    """
    terms = [(weight, f"{abs(weight):.6g} * {shown(name)}") for weight, name in zip(coef, features, strict=True) if weight]
    few = terms[:_MOST_TERMS]
    if len(terms) > _MOST_TERMS:
        few.append((1.0, f"… ({len(terms) - _MOST_TERMS} more)"))
    if intercept or not few:
        few.append((intercept, f"{abs(intercept):.6g}"))
    text = "".join(f" {'-' if weight < 0 else '+'} {term}" for weight, term in few)
    return text[3:] if text.startswith(" + ") else text[1:]
