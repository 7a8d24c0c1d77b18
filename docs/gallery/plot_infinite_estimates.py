"""
Why is my odds ratio a million?
===============================

A logistic regression on separated classes has no maximum-likelihood estimate: a coefficient can grow for ever, and the
likelihood with it. `separatrix.decide` tells before the fit, and names the column.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import separatrix as sx

X = pd.DataFrame(
    {
        "dose": [5, 10, 10, 15, 20, 20, 25, 30, 35, 40, 5, 15, 25, 35],
        "marker": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
    }
)
y = np.array([0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1])
verdict = sx.decide(X, y)
print(verdict.status, verdict.columns, verdict.separated_rows.tolist())

# %%
# All four carriers of the marker responded. The hyperplane of the proof has them on one side, and all others on itself:

sx.plot.boundary(verdict)

# %%
# The likelihood along that direction, with the other coefficients at their limits, which are those of the rows that cannot
# be separated. It rises for ever, towards a line that it never meets. Where a solver stops is a matter of its patience, and
# that is what it reports.

rest = X["marker"] == 0
limit = LogisticRegression(C=np.inf).fit(X.loc[rest, ["dose"]], y[rest])
others = limit.decision_function(X[["dose"]])
marker = np.linspace(0, 12, 100)
scores = (2 * y - 1) * (others + marker[:, None] * X["marker"].to_numpy())
log_likelihood = -np.log1p(np.exp(-scores))

fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot(marker, log_likelihood.sum(axis=1), color="#0072B2")
ax.axhline(log_likelihood[0, rest].sum(), color="#222222", linestyle="--", linewidth=1.0)
ax.set(xlabel="coefficient of the marker", ylabel="log-likelihood")
ax.spines[["top", "right"]].set_visible(False)
