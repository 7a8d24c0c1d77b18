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
down = -(-len(mistakes) // 3)
fig, axes = plt.subplots(down, 3, figsize=(10, 3.8 * down), layout="constrained")
for ax in axes.flat[len(mistakes) :]:
    ax.remove()
for ax, step in zip(axes.flat, mistakes, strict=False):
    *w, b = step.weights
    if any(w):
        sx.plot.boundary(sx.Perceptron.of(w, b, classes=[0, 1]), X, y, ax=ax)
    else:
        for label, colour, marker in ((0, "#0072B2", "o"), (1, "#D55E00", "s")):
            ax.scatter(*X[y == label].T, color=colour, marker=marker)
    ax.set_title(f"visit {step.step}: w = ({', '.join(map(str, w))}), b = {b}", fontsize=9)
