"""
Can a straight line tell two kinds of iris apart?
=================================================

Two questions that look alike and have different answers: *setosa* against the others, and *virginica* against *versicolor*.
`separatrix.decide` answers each with a proof.
"""

import separatrix as sx

X, y = sx.examples.load("iris-setosa")
verdict = sx.decide(X, y)
print(verdict.status, "-", verdict.message)

# %%
# The hyperplane of the proof has every flower on its right side. The flowers have four features; the picture shows the plane
# in which the hyperplane is seen edge-on.

sx.plot.boundary(verdict)

# %%
# *Virginica* and *versicolor* cannot be told apart like that. The proof is a handful of flowers: a weighted mean of some of
# the one kind is also a weighted mean of some of the other, so that every hyperplane has one of them wrong.

X, y = sx.examples.load("iris-virginica")
verdict = sx.decide(X, y)
print(verdict.status, "-", verdict.message)
print("rows of the proof:", verdict.witness.tolist())
sx.plot.witness(verdict)

# %%
# How wrong must it be? One flower is enough to give up, and that is proved as well.

few = sx.least_errors(X, y)
print(few)
sx.plot.boundary(few)
