"""What each kind of classifier has learnt, as JSON: a section of the model file for each of them.

What is written and read are the values that fits leave behind. `run_states` has those that were learnt by a run,
`hyperplane_states` the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..estimators.bayes import BayesClassifier, labels_for
from ..estimators.family import Member
from ..estimators.kernel_margin import LearntKernelMargin
from ..estimators.kernel_perceptron import LearntExpansion
from ..estimators.learnt import Learnt, LearntHyperplanes, learnt_by
from ..estimators.linear_program import LearntProgram
from ..estimators.max_margin import LearntMargin
from ..estimators.mixture import LearntMixture
from ..estimators.perceptron import LearntPerceptron
from ..estimators.pocket import LearntPocket
from ..estimators.shared.copies import Copies, LearntByCopies, joined
from ..estimators.voted import LearntVotes
from ..exceptions import ModelError
from .fields import Section, ascending_classes, items, refuse
from .hyperplane_states import (
    read_hyperplanes,
    read_margin,
    read_program,
    write_hyperplanes,
    write_kernel_margin,
    write_margin,
    write_program,
)
from .run_states import (
    read_expansion,
    read_mixture,
    read_perceptron,
    read_pocket,
    read_votes,
    write_expansion,
    write_mixture,
    write_perceptron,
    write_pocket,
    write_votes,
)


class Form(NamedTuple):
    """How a kind of value is written, and how it is read again, given the classes and the number of features."""

    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Any, dict[str, Any]], Any]


FORMS: dict[type[Learnt], Form] = {
    LearntPerceptron: Form(write_perceptron, read_perceptron),
    LearntMixture: Form(write_mixture, read_mixture),
    LearntVotes: Form(write_votes, read_votes),
    LearntPocket: Form(write_pocket, read_pocket),
    LearntExpansion: Form(write_expansion, read_expansion),
    LearntMargin: Form(write_margin, read_margin),
    LearntKernelMargin: Form(write_kernel_margin, read_margin),
    LearntHyperplanes: Form(write_hyperplanes, read_hyperplanes),
    LearntProgram: Form(write_program, read_program),
}


def write_state(classifier: Any) -> dict[str, Any]:
    """Return what a fitted classifier has learnt as JSON; of a Bayes classifier nothing, as it is its parameters."""
    if isinstance(classifier, BayesClassifier):
        return {}
    learnt = learnt_by(classifier)
    if isinstance(learnt, LearntByCopies):
        return {"copies": [write_state(copy) for copy in learnt.estimators]}
    return FORMS[type(learnt)].write(learnt)


def read_state(member: Member, classifier: Any, document: Any, classes: NDArray[Any], d: int | None) -> Learnt | None:
    """Return what a classifier has learnt, read from JSON; None if it never learnt, which a Bayes classifier need not."""
    if isinstance(classifier, BayesClassifier):
        return _read_bayes(classifier, document, classes, d)
    assert d is not None
    read = FORMS[member.load_learnt()].read
    if classes.size == 2 or not isinstance(classifier, Copies):
        learnt: Learnt = read(document, {"classes": classes, "features": d})
        return learnt
    ascending_classes(classes)
    states = Section(document, "state", "copies").get("copies", items, classes.size)
    against_rest = {"classes": np.array([False, True]), "features": d}
    return joined(classifier, [read(state, against_rest) for state in states], classes, d)


def _read_bayes(classifier: BayesClassifier, document: Any, classes: NDArray[Any], d: int | None) -> Learnt | None:
    Section(document, "state")
    try:
        known = labels_for(classifier, d).tolist()
    except ValueError as error:
        raise ModelError(str(error)) from None
    if classes.size != len(known) or (classifier.classes is not None and classes.tolist() != known):
        refuse("classes", "one for each of the distributions, and those of parameters.classes", classes.tolist())
    return None if d is None else Learnt(classes=classes, features=d)
