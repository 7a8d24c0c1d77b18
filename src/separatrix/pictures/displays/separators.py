"""Several hyperplanes that separate the same classes, and the widest of them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.validation import check_is_fitted

from ...separation.margins import Margin
from ...separation.verdict import Verdict
from ...tables.data import Data
from ...tables.reading import problem_of
from ..scene import Scene
from ..scenery.separators import scene_of_separators
from .boundary import BoundaryDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SeparatorsDisplay(BoundaryDisplay):
    """Several separating hyperplanes, the widest first, with its band; attributes are those of `BoundaryDisplay`."""

    picture = "separators"

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, ax: Axes | None = None, runs: int = 3, **options: Any
    ) -> Self:
        """Draw a fitted classifier of two classes among other separators; see `separators`."""
        return cls.from_scene(_scene_of(estimator, X, y, runs), ax=ax, **options)


def separators(answer: Any, X: Any = None, y: Any = None, *, runs: int = 3, ax: Axes | None = None) -> SeparatorsDisplay:
    """Draw several hyperplanes that separate the classes: the widest with its band, that of a proof, and those of runs.

    Parameters
    ----------
    answer : Verdict, Margin, fitted classifier, Data, or Scene
        What has the rows; or a classifier, which is drawn, too.
    X, y : rows and labels, or `Data` in place of X
        The rows of a classifier.
    runs : int
        How many runs of the perceptron to make, in different orders.
    ax : matplotlib.axes.Axes, optional
        What to draw on; without it, a figure is made.

    Returns
    -------
    SeparatorsDisplay
        What was drawn.

    Raises
    ------
    NotSeparable
        If no hyperplane separates the classes; with the certificate. `witness` draws why.

    Examples
    --------
    >>> import separatrix as sx
    >>> drawn = sx.plot.separators(sx.decide(*sx.examples.load("and")), runs=2)
    >>> [(line.name, line.equation) for line in drawn.scene.lines][:2]
    [('the widest', 'x1 + x2 > 1.5'), ('of the proof', '3*x1 + 2*x2 > 4')]
    """
    return SeparatorsDisplay.from_scene(_scene_of(answer, X, y, runs), ax=ax)


def _scene_of(answer: Any, X: Any, y: Any, runs: int) -> Scene:
    if isinstance(answer, Scene):
        return answer
    if isinstance(answer, Verdict):
        return scene_of_separators(answer.problem, runs, verdict=answer)
    if isinstance(answer, Margin):
        return scene_of_separators(answer.problem, runs, widest=answer)
    if isinstance(answer, Data):
        return scene_of_separators(problem_of(answer, None), runs)
    check_is_fitted(answer)
    problem, exact = problem_of(X, y), answer.exact_weights().fractions()
    given = (type(answer).__name__, exact[: problem.d], sum(exact[problem.d :], Fraction(0)))
    return scene_of_separators(problem, runs, [given])
