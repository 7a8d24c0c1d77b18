"""
How soon does a classifier get near the best one?
=================================================

Two Gaussian classes have a best classifier, and its risk is known exactly. A classifier that learns from a sample does
worse; how much worse is known, too, because the risk of any hyperplane can be computed.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

import separatrix as sx

warnings.simplefilter("ignore", ConvergenceWarning)  # the classes overlap: no perceptron ever comes to rest

source = sx.examples.TwoGaussians(distance=2.0, dimension=5)
best = source.bayes.risk().value
sizes = [20, 50, 100, 200, 500, 1000]

# %%
# Each classifier learns from twenty samples of every size. The averaged perceptron makes two passes over its rows, which
# is enough for a mean of weights.

family = {
    "averaged perceptron": lambda: sx.Perceptron(average=True, order="shuffle", max_iter=2, random_state=0),
    "linear program": sx.LinearProgramClassifier,
    "least squares": sx.LeastSquaresClassifier,
}


def excess(make, n):
    """Return the mean of the risk in excess of the best one."""
    learnt = (make().fit(*source.sample(n, random_state=seed)) for seed in range(20))
    return np.mean([source.risk(each.coef_, each.intercept_) - best for each in learnt])


fig, ax = plt.subplots(layout="constrained")
for (name, make), marker, colour in zip(family.items(), "os^", ["#0072B2", "#D55E00", "#009E73"], strict=True):
    ax.plot(sizes, [excess(make, n) for n in sizes], marker=marker, color=colour, label=name)
ax.set(xscale="log", yscale="log", xlabel="rows to learn from", ylabel=f"risk in excess of the best one, {best:.3f}")
ax.set_xticks(sizes, map(str, sizes))
ax.set_yticks([0.1, 0.03, 0.01, 0.003], ["0.1", "0.03", "0.01", "0.003"])
ax.minorticks_off()
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)

# %%
# Least squares is right for classes like these, which differ in their means alone. All come nearer with every row;
# none gets below zero, as nothing beats the best classifier.
