"""
Does the order of the rows matter to the perceptron?
====================================================

The convergence theorem holds in any order, and bounds the mistakes in all of them by the same number. The number itself
differs from order to order; of few rows all orders can be tried.
"""

import matplotlib.pyplot as plt

import separatrix as sx

X, y = sx.examples.load("and")
orders = sx.exercises.worst_order(X, y)
print(orders.explain())

# %%
# The distribution of mistakes over all orders of the four rows:

fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.bar([str(mistakes) for mistakes in orders.counts], list(orders.counts.values()), color="#0072B2", width=0.6)
ax.set(xlabel="mistakes until every row is right", ylabel="orders")
ax.spines[["top", "right"]].set_visible(False)

# %%
# The worst of them, on the way to the theorem's bound of 51 mistakes. The squeeze ends where its two lines meet:

worst = sx.Perceptron(order=orders.worst).fit(X, y)
sx.plot.squeeze(worst, X, y)
