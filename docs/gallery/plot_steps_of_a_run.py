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
# Six of the visits, drawn: a mistake adds the row to the weights, or subtracts it, and the line turns or moves; a row that
# is right changes nothing.

fig, axes = plt.subplots(3, 2, figsize=(10, 14), layout="constrained")
for ax, visit in zip(axes.flat, (1, 2, 5, 6, 7, 10), strict=True):
    sx.plot.update(perceptron, X, y, step=visit, ax=ax)
    ax.set_title(f"visit {visit}")

# %%
# And the unit in the end, with the numbers that it has learnt:

sx.plot.structure(perceptron, X, y)
