"""
Why does the perceptron stop? The proof, on your own run
========================================================

The proof of the convergence theorem squeezes the run between two lines: ``w*.w_k`` grows at least like ``k``, the length of
``w_k`` at most like the square root of ``k``. `separatrix.audit` has both on an actual run, exactly.
"""

import separatrix as sx

X, y = sx.examples.load("credit")
perceptron = sx.Perceptron(record=True).fit(X, y)
ledger = sx.audit(perceptron, X, y)
print(ledger)

# %%
# The four quantities of the proof, mistake by mistake. Where the outer lines meet, no further mistake is possible:

sx.plot.squeeze(ledger)

# %%
# The same as an angle: the cosine between the weights and the best direction ``w*`` lies above a line that rises with every
# mistake. The cosine itself may fall.

sx.plot.alignment(ledger)
