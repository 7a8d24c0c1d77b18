"""Draw bayes.svg: the excess risk of four linear classifiers over the Bayes classifier, as the number of rows grows.

Run it with the package and matplotlib installed; the picture is written beside this file. An argument names another
file to write instead, of any format that matplotlib knows.
"""

import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import separatrix as sx

SOURCE = sx.examples.TwoGaussians(distance=2.0, dimension=5)
SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000)
REPETITIONS = 100
FAMILY = {  # from Okabe and Ito's palette, distinct for colour-blind readers
    "perceptron": (lambda: sx.Perceptron(order="shuffle", max_iter=20, random_state=0), "#000000", "o"),
    "linear program": (lambda: sx.LinearProgramClassifier(), "#D55E00", "s"),
    "logistic regression": (lambda: LogisticRegression(C=np.inf), "#009E73", "^"),
    "least squares": (lambda: sx.LeastSquaresClassifier(), "#0072B2", "D"),
}


def excess(make, n, repetitions):
    """Return the mean, over samples of n rows, of the risk of what is learnt, in excess of the Bayes risk."""
    least = SOURCE.bayes.risk().value
    risks = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the classes overlap: the perceptron never comes to rest
        for seed in range(repetitions):
            classifier = make().fit(*SOURCE.sample(n, random_state=seed))
            risks.append(SOURCE.risk(classifier.coef_, classifier.intercept_) - least)
    return float(np.mean(risks))


def draw(axes):
    """Draw a line for each of the family."""
    for name, (make, colour, marker) in FAMILY.items():
        values = [excess(make, n, REPETITIONS) for n in SIZES]
        axes.plot(SIZES, values, color=colour, marker=marker, markersize=5, linewidth=1.6, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(SIZES, [f"{n:,}" for n in SIZES])
    axes.minorticks_off()
    ticks = [0.1, 0.03, 0.01, 0.003, 0.001, 0.0003]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.grid(color="#DDDDDD", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("rows to learn from")
    axes.set_ylabel(f"risk in excess of the Bayes risk, {SOURCE.bayes.risk().value:.4f}")
    axes.legend(frameon=False)


def main(target):
    """Measure, draw, write."""
    with matplotlib.rc_context({"svg.hashsalt": "bayes", "font.size": 11}):
        figure = Figure(figsize=(7.0, 4.6), layout="constrained")
        draw(figure.add_subplot())
        metadata = {"Date": None, "Creator": None} if target.suffix == ".svg" else None
        figure.savefig(target, metadata=metadata, dpi=150)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".svg"))
