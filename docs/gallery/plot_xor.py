"""
Why can no perceptron compute XOR, and what can?
================================================

The four points of exclusive or are the smallest problem that no line solves: the middle of the one class is also the middle
of the other. In a feature space with the product of the inputs there is room.
"""

import matplotlib.pyplot as plt
import numpy as np

import separatrix as sx

X, y = sx.examples.load("xor")
verdict = sx.decide(X, y)
print(verdict.message)
sx.plot.witness(verdict)

# %%
# The same question of the quadratic kernel, whose feature space has the product:

print(sx.decide(X, y, kernel="poly", degree=2, gamma=1.0, coef0=1.0).message)
machine = sx.KernelPerceptron(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)

ticks = np.linspace(-0.5, 1.5, 201)
grid = np.stack(np.meshgrid(ticks, ticks), axis=-1)
scores = machine.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])

fig, ax = plt.subplots(figsize=(4.6, 4.6), layout="constrained")
ax.contourf(ticks, ticks, scores, levels=[-1e9, 0, 1e9], colors=["#0072B2", "#D55E00"], alpha=0.10)
ax.contour(ticks, ticks, scores, levels=[0], colors="#222222", linewidths=1.6)
for label, colour, marker in ((0, "#0072B2", "o"), (1, "#D55E00", "s")):
    ax.scatter(*X[y == label].T, color=colour, marker=marker, s=70, label=f"XOR is {label}", zorder=3)
ax.set(xlabel="first input", ylabel="second input", aspect="equal")
ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
