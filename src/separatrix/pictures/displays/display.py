"""What all pictures have in common: made of a scene, drawn on axes, with what is drawn kept at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..making import scene as scene_of
from ..scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.text import Annotation

    from .canvas import Canvas


class Display:
    """A picture of a scene, in the style of scikit-learn's displays.

    Parameters
    ----------
    scene : Scene
        What to show; nothing is computed but where to put it.

    Attributes
    ----------
    scene : Scene
        What is shown.
    ax_ : matplotlib.axes.Axes
        What it is drawn on, once it is.
    figure_ : matplotlib.figure.Figure
        The figure of it.
    class_legend_, legend_ : matplotlib.legend.Legend or None
        The legends of the classes, and of all else, below the axes.
    notes_ : matplotlib.text.Annotation or None
        The notes, below the axes: what is projected, what is left out.
    """

    picture: ClassVar[str]
    """What the picture is called: the name of its function in `separatrix.plot`."""

    ax_: Axes
    figure_: Figure
    class_legend_: Legend | None
    legend_: Legend | None
    notes_: Annotation | None

    def __init__(self, scene: Scene) -> None:
        if not isinstance(scene, Scene):
            raise TypeError(
                f"scene must be a Scene, got {type(scene).__name__}. Make one with separatrix.scene(answer, X, y), or draw "
                f"the answer itself with separatrix.plot.{self.picture}(answer, X, y)."
            )
        self.scene = scene

    @classmethod
    def from_scene(cls, scene: Scene, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw a scene.

        Parameters
        ----------
        scene : Scene
            What to show.
        ax : matplotlib.axes.Axes, optional
            What to draw on; without it, a figure is made.
        **options
            What else the picture takes.
        """
        return cls(scene, **options).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw a fitted classifier with rows and their labels.

        Parameters
        ----------
        estimator : fitted classifier
            What to show.
        X, y : rows and labels, or `Data` in place of X
            The rows to show it with.
        ax : matplotlib.axes.Axes, optional
            What to draw on; without it, a figure is made.
        **options
            What else the picture takes.
        """
        return cls.from_scene(scene_of(estimator, X, y), ax=ax, **options)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on given axes or in a figure of its own."""
        [canvas] = canvas_on(ax)
        self.ax_, self.figure_ = canvas.ax, canvas.figure
        self._draw(canvas)
        self.legend_, self.notes_ = canvas.finish()
        self.class_legend_ = canvas.class_legend
        return self

    def _draw(self, canvas: Canvas) -> None:
        """Draw what the picture shows; legend and notes are put below it afterwards."""
        raise NotImplementedError


def canvas_on(*axes: Axes | None, width: float | None = None, height: float | None = None) -> list[Canvas]:
    """Take axes to draw on; where all are None, make a figure with so many of them, side by side."""
    try:
        import matplotlib.pyplot as plt

        from .canvas import Canvas
    except ImportError as error:
        raise ImportError(
            "Pictures are drawn with matplotlib, and it cannot be imported. Install it: pip install 'separatrix[plot]'"
        ) from error
    if any(each is not None for each in axes):
        return [Canvas.on(each) for each in axes]
    usual = plt.rcParams["figure.figsize"]
    size = (usual[0] if width is None else width, usual[1] if height is None else height)
    _, made = plt.subplots(1, len(axes), figsize=size, layout="constrained", squeeze=False)
    return [Canvas.on(each) for each in made[0]]
