"""
What happens at each step of a run?
===================================

A run of the perceptron on four points, in whole numbers: what a student does by hand, with nothing left out.
"""

import matplotlib.pyplot as plt

import separatrix as sx

X, y = sx.examples.load("or")
perceptron = sx.Perceptron(record=True).fit(X, y)
table = sx.steps(perceptron, X, y)
print(table.explain())

# %%
# The line after each mistake. Most updates turn it, some only shift it, and the last one has all four points right.

mistakes = [step for step in table if step.mistake]
fig, axes = plt.subplots(1, len(mistakes), figsize=(3.4 * len(mistakes), 4.2), layout="constrained", sharey=True)
for ax, step in zip(axes, mistakes, strict=True):
    *w, b = step.weights
    if any(w):
        sx.plot.boundary(sx.Perceptron.of(w, b, classes=[0, 1]), X, y, ax=ax)
    else:
        for label, colour, marker in ((0, "#0072B2", "o"), (1, "#D55E00", "s")):
            ax.scatter(*X[y == label].T, color=colour, marker=marker)
    ax.set_title(f"visit {step.step}: w = ({', '.join(map(str, w))}), b = {b}", fontsize=9)
