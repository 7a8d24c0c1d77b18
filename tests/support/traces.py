"""Random runs of the perceptron, and the weights along them in fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

FEW = settings(max_examples=settings().max_examples // 3)
TAME = ("integers", "halves", "decimals", "gaussian", "duplicates", "collinear", "xor", "constant", "zeros")


def weights_along(Z, trace, steps=None, start=None):
    """The exact weights after each mistake, the start first."""
    w = [Fraction(0)] * len(Z[0]) if start is None else list(map(Fraction, start))
    course = [w]
    for i in trace:
        step = Fraction(1) if steps is None else steps[i]
        w = [a + step * b for a, b in zip(w, Z[i], strict=True)]
        course.append(w)
    return course


@st.composite
def runs(draw):
    """Draw how to run."""
    order = draw(st.sampled_from(["cyclic", "shuffle", "random", "explicit"]))
    return {
        "order": order,
        "tie": draw(st.sampled_from(["update", "positive", "negative"])),
        "max_iter": draw(st.sampled_from([1, 3, 25])),
        "eta0": draw(st.sampled_from([1.0, 0.5, 0.1])),
        "fit_intercept": draw(st.booleans()),
        "random_state": 7,
    }


def with_order(run, n):
    order = np.random.RandomState(3).permutation(n) if run["order"] == "explicit" else run["order"]
    return run | {"order": order}
