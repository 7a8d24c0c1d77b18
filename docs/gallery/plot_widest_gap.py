"""
Which of many separating lines is the best one?
===============================================

If one line separates the classes, infinitely many do. The perceptron stops at the first that it comes by; the line with the
widest margin leaves the most room for new rows on both sides.
"""

import matplotlib.pyplot as plt

import separatrix as sx

X, y = sx.examples.load("cloud")
first = sx.Perceptron().fit(X, y)
widest = sx.MaxMargin().fit(X, y)

fig, axes = plt.subplots(1, 2, figsize=(10, 4.8), layout="constrained")
for ax, classifier, title in zip(axes, (first, widest), ("perceptron", "widest margin"), strict=True):
    sx.plot.boundary(classifier, X, y, ax=ax)
    ax.set_title(title)

# %%
# How wide is it? Between two bounds that are proved, and a hair apart; ``exact=True`` has the number itself, which need not
# be a fraction, by its square.

print(sx.margin(X, y, kind="geometric"))
print(sx.margin(X, y, kind="geometric", exact=True).squared)
