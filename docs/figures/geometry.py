"""Draw geometry.svg: the hyperplane that the perceptron learns for AND, its normal vector, intercepts and a distance.

Run it with the package and matplotlib installed; the picture is written beside this file. An argument names another
file to write instead, of any format that matplotlib knows.
"""

import sys
from fractions import Fraction
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

import separatrix as sx

BLUE, ORANGE = "#0072B2", "#D55E00"  # from Okabe and Ito's palette, distinct for colour-blind readers
BROWN, GREY = "#9C4500", "#444444"  # orange dark enough for text; lines of lesser weight
LEFT, RIGHT, BOTTOM, TOP = -0.62, 2.15, -0.42, 2.55
X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
Y = np.array([0, 0, 0, 1])


def right_angle(axes, corner, along, across, size=0.085):
    """Mark the right angle at ``corner`` between two unit vectors."""
    path = np.array([corner + size * along, corner + size * (along + across), corner + size * across])
    axes.plot(*path.T, color=GREY, linewidth=1.0, zorder=3)


def equation(w, b):
    """Write ``w.x + b = 0`` for whole numbers."""
    return f"${w[0]:g}\\,x_1 {w[1]:+g}\\,x_2 {b:+g} = 0$"


def draw(axes, w, b):
    """Draw everything, given the weights and the intercept."""
    normal = w / np.linalg.norm(w)
    along = np.array([-normal[1], normal[0]])
    foot = -b * w / (w @ w)  # the point of the line that is nearest to the origin

    axes.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
    axes.axvline(0.0, color=GREY, linewidth=0.8, zorder=1)

    # The line, and its positive side: a half-plane, drawn as a large rectangle.
    far = 10.0
    ends = np.array([foot - far * along, foot + far * along])
    beyond = ends[::-1] + far * normal
    axes.fill(*np.vstack([ends, beyond]).T, color=ORANGE, alpha=0.10, linewidth=0, zorder=0)
    axes.plot(*ends.T, color="black", linewidth=1.8, zorder=2)
    axes.text(1.55, 0.86, "positive side\n$w \\cdot x + b > 0$", color=BROWN, ha="center", va="center")
    axes.text(0.37, 0.86, "negative side\n$w \\cdot x + b < 0$", color=BLUE, ha="center", va="center")

    # Where it cuts the axes.
    for j in (0, 1):
        cut = np.zeros(2)
        cut[j] = -b / w[j]
        value = Fraction(-b / w[j]).limit_denominator(100)
        text = f"$-b/w_{j + 1} = {value}$"
        axes.plot(*cut, marker="D", markersize=6, markerfacecolor="white", markeredgecolor="black", zorder=4)
        if j == 0:
            axes.annotate(text, cut, xytext=(8, 9), textcoords="offset points", ha="left", va="bottom")
        else:
            axes.annotate(text, cut, xytext=(-10, -2), textcoords="offset points", ha="right", va="center")

    # The normal vector, at unit length.
    start = foot + along
    tip = start + normal
    arrow = {"arrowstyle": "-|>", "color": "black", "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", tip, start, arrowprops=arrow)
    right_angle(axes, start, along, normal)
    axes.annotate("$w\\,/\\,\\Vert w\\Vert$", tip, xytext=(6, 2), textcoords="offset points", ha="left", va="center")
    at = foot + 1.55 * along
    axes.annotate(equation(w, b), at, xytext=(12, 2), textcoords="offset points", ha="left", va="center")

    # The distance of one row.
    row = X[0]
    distance = (w @ row + b) / np.linalg.norm(w)
    nearest = row - distance * normal
    axes.plot(*np.array([row, nearest]).T, color=BLUE, linewidth=1.6, linestyle=(0, (4, 2)), zorder=3)
    right_angle(axes, nearest, along, -normal)
    angle = np.degrees(np.arctan2(normal[1], normal[0]))
    middle = 0.5 * (row + nearest) + 0.11 * along
    text = f"distance ${distance:.2f}$"
    axes.text(*middle, text, color=BLUE, ha="center", va="center", rotation=angle, rotation_mode="anchor")

    # The rows themselves.
    for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "s")):
        points = X[label == Y]
        axes.scatter(*points.T, s=75, color=colour, marker=marker, edgecolor="black", zorder=5, label=f"class {label}")
    axes.legend(loc="upper right", framealpha=1.0)


def main(target):
    """Fit, draw, write."""
    perceptron = sx.Perceptron().fit(X, Y)
    settings = {"svg.hashsalt": "geometry", "font.size": 11, "mathtext.fontset": "dejavusans"}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(6.4, 6.6), layout="constrained")
        axes = figure.add_subplot(aspect="equal", xlim=(LEFT, RIGHT), ylim=(BOTTOM, TOP), xlabel="$x_1$", ylabel="$x_2$")
        axes.set_xticks([0, 1, 2])
        axes.set_yticks([0, 1, 2])
        draw(axes, perceptron.coef_[0], perceptron.intercept_[0])
        metadata = {"Date": None, "Creator": None} if target.suffix == ".svg" else None
        figure.savefig(target, metadata=metadata, dpi=150)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".svg"))
