"""
What does learning look like from the side of the weights?
==========================================================

Every row allows half of all weights: those that have it right. What all rows allow together is a cone. The perceptron starts
at its tip, and each mistake adds a row, until the weights are inside.
"""

import numpy as np

import separatrix as sx

X = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, 1.0], [-2.0, -3.0], [1.0, -2.0]])
y = np.array([1, 1, 0, 0, 1])
perceptron = sx.Perceptron(fit_intercept=False, record=True).fit(X, y)
print(f"{perceptron.n_mistakes_} mistakes, then w = {perceptron.coef_[0]}")

# %%
# The half-planes of the rows, the cone of solutions, and the way of the weights into it:

sx.plot.weight_space(perceptron, X, y)

# %%
# The same run among the rows. The weights are the normal vector of the line.

sx.plot.boundary(perceptron, X, y)
