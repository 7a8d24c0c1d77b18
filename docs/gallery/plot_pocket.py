"""
What if no line separates the classes?
======================================

Then the perceptron never comes to rest: its weights wander, and whether they are good when it is stopped is luck. The pocket
algorithm keeps the best that it has come by, counting errors exactly.
"""

import separatrix as sx

X, y = sx.examples.load("iris-virginica")
pocket = sx.Pocket(max_updates=400, random_state=0).fit(X, y)

sx.plot.pocket(pocket, X, y)

# %%
# How far is it from the best possible? `separatrix.least_errors` knows, and proves it.

print("in the pocket:", sx.count_errors(pocket.coef_[0], pocket.intercept_[0], X, y))
print("possible:     ", sx.least_errors(X, y))
