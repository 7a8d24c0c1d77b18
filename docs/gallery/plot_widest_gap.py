"""
Which of many separating lines is the best one?
===============================================

If one line separates the classes, infinitely many do. The perceptron stops at the first that it comes by; the line with the
widest margin leaves the most room for new rows on both sides.
"""

import separatrix as sx

X, y = sx.examples.load("cloud")
sx.plot.separators(sx.decide(X, y))

# %%
# The widest one alone, with its band, in which no row lies:

sx.plot.boundary(sx.MaxMargin().fit(X, y), X, y)

# %%
# How wide is it? Between two bounds that are proved, and a hair apart; ``exact=True`` has the number itself, which need not
# be a fraction, by its square.

found = sx.margin(X, y, kind="geometric")
print(f"at least {found.lo!r}, at most {found.hi!r}")
print("squared:", sx.margin(X, y, kind="geometric", exact=True).squared)
