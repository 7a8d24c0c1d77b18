"""Draw kernels.svg: two noisy circles, and the curve of score zero that the perceptron learns with the radial kernel.

Run it with the package and matplotlib installed; the picture is written beside this file. An argument names another
file to write instead, of any format that matplotlib knows.
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

import separatrix as sx

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#444444"  # from Okabe and Ito's palette, distinct for colour-blind readers
SIDE = 2.8


def circles():
    """Make the rows of docs/kernels.md."""
    rng = np.random.RandomState(0)
    angle, y = rng.uniform(0, 2 * np.pi, 200), np.arange(200) % 2
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return (1.0 + y)[:, None] * circle + 0.15 * rng.standard_normal((200, 2)), y


def draw(axes, X, y, classifier):
    """Draw the sides, the curve between them, the rows and those erred on."""
    ticks = np.linspace(-SIDE, SIDE, 281)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1)
    scores = classifier.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    axes.contourf(ticks, ticks, scores, levels=[0.0, scores.max()], colors=[ORANGE], alpha=0.10)
    axes.contour(ticks, ticks, scores, levels=[0.0], colors=["black"], linewidths=1.8)
    for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "s")):
        points = X[y == label]
        axes.scatter(*points.T, s=22, color=colour, marker=marker, edgecolor="white", linewidth=0.4, label=f"class {label}")
    erred = X[classifier.support_]
    axes.scatter(*erred.T, s=90, facecolor="none", edgecolor=GREY, linewidth=1.3, label=f"erred on: {len(erred)} rows")
    axes.plot([], [], color="black", linewidth=1.8, label="score 0")
    axes.legend(loc="upper right", framealpha=1.0, fontsize=9)


def main(target):
    """Fit, draw, write."""
    X, y = circles()
    classifier = sx.KernelPerceptron(kernel="rbf", gamma=0.5).fit(X, y)
    with matplotlib.rc_context({"svg.hashsalt": "kernels", "font.size": 11, "mathtext.fontset": "dejavusans"}):
        figure = Figure(figsize=(6.4, 6.4), layout="constrained")
        axes = figure.add_subplot(aspect="equal", xlim=(-SIDE, SIDE), ylim=(-SIDE, SIDE), xlabel="$x_1$", ylabel="$x_2$")
        axes.set_xticks([-2, -1, 0, 1, 2])
        axes.set_yticks([-2, -1, 0, 1, 2])
        draw(axes, X, y, classifier)
        metadata = {"Date": None, "Creator": None} if target.suffix == ".svg" else None
        figure.savefig(target, metadata=metadata, dpi=150)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".svg"))
