"""
What does the perceptron descend on?
====================================

Each update is a step along a subgradient of the perceptron loss: zero on the right side of the hyperplane, and growing on
the wrong one, with a kink between. The loss of all rows need not fall at every step; for separable classes it ends at zero.
"""

import separatrix as sx

X, y = sx.examples.load("and")
perceptron = sx.Perceptron(record=True).fit(X, y)

sx.plot.loss(perceptron, X, y)

# %%
# At the kink there are many subgradients. The perceptron takes the one that updates, which is why a score of exactly 0
# counts as a mistake; another choice is another tie rule.

at_zero = sx.perceptron_subdifferential([0.0, 0.0], 0.0, X, y)
print("rows at their kink when all weights are zero:", at_zero.kinks.tolist())
