"""The family: all classifiers, in one table.

Model files, the command line, the default list of `compare` and the contract suite of the tests read it. Whoever adds a
classifier adds a line here, beside its own file and its name in ``separatrix/__init__.pyi``; and, if what it learns is a
value of a new kind, how that is written to a model file (``models/states.py``).

Nothing of weight is imported here: classes are named by their modules, and loaded when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from . import reports


@dataclass(frozen=True, kw_only=True)
class Member:
    """A classifier of the family, or a variant of one.

    Attributes
    ----------
    name : str
        What the command line calls it, and model files do, unless it is a variant.
    estimator : str
        The class, by its module in this room; or by a path from here, as "..room.module.Class".
    learnt : str
        The class of what it learns, likewise.
    fixed : dict
        Parameters that make it a variant of the estimator.
    multiclass : bool
        Whether it learns more than two classes.
    exact : bool
        Whether it learns the same, bit for bit, from dense and from sparse rows.
    weights : {"updates", "errors", "repetitions"} or None
        What a sample weight multiplies: the updates of its row, its error, or the row itself; None if it takes none.
    mirrors : bool
        Whether its run with the labels of two classes swapped makes the same mistakes, with negated weights.
    separable_only : bool
        Whether it refuses classes that no hyperplane separates.
    options : dict or None
        Options of ``separatrix fit`` that it takes, with the parameters that they set; None if it is not offered there.
    interruptible : bool
        Whether a fit that ends by Ctrl-C leaves something worth keeping.
    facts : dict
        What ``separatrix fit --json`` says of it, by the attributes that have it.
    sentence : callable or None
        Says how learning went: a function of such facts, and of the time it took in words.
    title : str
        What `compare` calls it; empty if it is not in the default list.
    compared_with : dict
        The parameters that it has there, where they are not the default.
    quadratic : bool
        Whether it takes time in proportion to the square of the number of rows.
    scaled : bool
        Whether what it learns depends on the units of columns, so that it matters how they are scaled.
    """

    name: str
    estimator: str
    learnt: str
    fixed: dict[str, Any] = field(default_factory=dict)
    multiclass: bool = True
    exact: bool = True
    weights: str | None = None
    mirrors: bool = False
    separable_only: bool = False
    options: dict[str, str] | None = None
    interruptible: bool = False
    facts: dict[str, str] = field(default_factory=dict)
    sentence: Callable[[dict[str, Any], str], str] | None = None
    title: str = ""
    compared_with: dict[str, Any] = field(default_factory=dict)
    quadratic: bool = False
    scaled: bool = True

    @property
    def class_name(self) -> str:
        """The name of the class."""
        return self.estimator.rpartition(".")[2]

    def load(self) -> Any:
        """Return the class."""
        return _loaded(self.estimator)

    def load_learnt(self) -> Any:
        """Return the class of what it learns."""
        return _loaded(self.learnt)

    def make(self, **parameters: Any) -> Any:
        """Return a new classifier."""
        return self.load()(**self.fixed, **parameters)


def _loaded(path: str) -> Any:
    home, _, name = path.rpartition(".")
    return getattr(import_module(home if home.startswith(".") else f".{home}", __package__), name)


_LIMITED = {"time_limit": "time_limit"}

_VISITS = {"order": "order", "tie": "tie", "max_iter": "max_iter", "seed": "random_state", **_LIMITED}

_WEIGHTS = {"class_weight": "class_weight"}

_HYPERPLANE = {"coef": "coef_", "intercept": "intercept_"}

_RUN = {"halted": "halted_", "passes": "n_iter_", "mistakes": "n_mistakes_"}

_CONVERGED = {"converged": "converged_"}

_SHUFFLED = {"order": "shuffle"}

FAMILY = (
    Member(
        name="perceptron",
        estimator="perceptron.Perceptron",
        learnt="perceptron.LearntPerceptron",
        weights="updates",
        mirrors=True,
        options={**_VISITS, "eta0": "eta0", **_WEIGHTS},
        interruptible=True,
        facts={**_HYPERPLANE, **_CONVERGED, **_RUN},
        sentence=reports.of_perceptron,
        title="perceptron",
        compared_with={"max_iter": 100, **_SHUFFLED},
    ),
    Member(
        name="averaged",
        estimator="perceptron.Perceptron",
        learnt="perceptron.LearntPerceptron",
        fixed={"average": True},
        weights="updates",
        mirrors=True,
        options={**_VISITS, "eta0": "eta0", **_WEIGHTS},
        interruptible=True,
        facts={**_HYPERPLANE, **_CONVERGED, **_RUN},
        sentence=reports.of_averaged,
        title="averaged perceptron",
        compared_with={"max_iter": 10, **_SHUFFLED},
    ),
    Member(
        name="voted",
        estimator="voted.VotedPerceptron",
        learnt="voted.LearntVotes",
        mirrors=True,
        options=_VISITS,
        interruptible=True,
        facts={**_RUN, "visits": "n_visits_"},
        sentence=reports.of_votes,
        title="voted perceptron",
        compared_with={"max_iter": 10, **_SHUFFLED},
        quadratic=True,
    ),
    Member(
        name="pocket",
        estimator="pocket.Pocket",
        learnt="pocket.LearntPocket",
        weights="errors",
        mirrors=True,
        options={
            "max_updates": "max_updates", "restarts": "restarts", "start": "init", "time_limit": "time_limit", "tie": "tie",
            **_WEIGHTS, "seed": "random_state",
        },
        interruptible=True,
        facts={**_HYPERPLANE, "updates": "n_updates_", "errors": "n_errors_", "weighted_error": "weighted_error_"},
        sentence=reports.of_pocket,
        title="pocket",
    ),
    Member(
        name="max-margin",
        estimator="max_margin.MaxMargin",
        learnt="max_margin.LearntMargin",
        multiclass=False,
        exact=False,
        separable_only=True,
        options={"tolerance": "tolerance", **_LIMITED},
        interruptible=True,
        facts={**_HYPERPLANE, "margin": "margin_bounds_", "support": "support_"},
        sentence=reports.of_margin,
        title="max margin",
    ),
    Member(
        name="least-squares",
        estimator="least_squares.LeastSquaresClassifier",
        learnt="learnt.LearntHyperplanes",
        exact=False,
        weights="repetitions",
        options={**_WEIGHTS, **_LIMITED},
        facts=_HYPERPLANE,
        sentence=reports.of_least_squares,
        title="least squares",
        scaled=False,
    ),
    Member(
        name="linear-program",
        estimator="linear_program.LinearProgramClassifier",
        learnt="linear_program.LearntProgram",
        exact=False,
        weights="repetitions",
        options={**_WEIGHTS, **_LIMITED},
        interruptible=True,
        facts={**_HYPERPLANE, "violation": "violation_", "separated": "separated_"},
        sentence=reports.of_program,
        title="linear program",
        scaled=False,
    ),
    Member(
        name="kernel",
        estimator="kernel_perceptron.KernelPerceptron",
        learnt="kernel_perceptron.LearntExpansion",
        weights="updates",
        mirrors=True,
        options={"kernel": "kernel", "degree": "degree", "gamma": "gamma", "coef0": "coef0", **_VISITS, **_WEIGHTS},
        interruptible=True,
        facts={
            **_CONVERGED, **_RUN, "kernel": "kernel", "gamma": "gamma_", "support": "support_", "margin": "margin_",
            "most_mistakes": "bound_",
        },
        sentence=reports.of_kernel,
        title="kernel perceptron",
        compared_with={"kernel": "rbf", "max_iter": 10, **_SHUFFLED},
        quadratic=True,
    ),
    Member(name="bayes", estimator="bayes.BayesClassifier", learnt="learnt.Learnt"),
)  # fmt: skip
"""All members, in the order in which `compare` and lists of them name them."""

ELSEWHERE = (
    Member(
        name="mixed",
        estimator="..distributed.mixing.MixedPerceptron",
        learnt="mixture.LearntMixture",
        mirrors=True,
        facts=_HYPERPLANE,
    ),
)
"""Classifiers of rooms above this one: they are in no list of the family, but have model files as all others do."""

KINDS = {member.name: member for member in (*FAMILY, *ELSEWHERE) if not member.fixed}
"""The members that are no variants, by the name that model files have for them."""

ALGORITHMS = {member.name: member for member in FAMILY if member.options is not None}
"""The members that ``separatrix fit --algorithm`` offers."""
