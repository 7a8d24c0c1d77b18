"""
How many mistakes until it has learnt?
======================================

Rows come one by one; each is predicted, then its label is told. If some hyperplane separates all rows that will ever come,
the number of mistakes has a bound, however many rounds there are.
"""

import separatrix as sx

X, y = sx.examples.separable(2000, 5, margin=2, seed=0)
bound = sx.mistake_bound(X, y)
print(bound)

# %%
# The game itself. The mistakes come early and stay far below the bound, which holds for the worst rows and the worst order.

rounds = list(sx.play(sx.Perceptron(), zip(X, y, strict=True), classes=[0, 1]))
sx.plot.online(rounds, bound=bound)
