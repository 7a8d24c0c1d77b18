"""
Which linear classifier should I take?
======================================

`separatrix.compare` runs the family on the same rows and the same folds. The bars show the errors on the rows learnt from
beside those on other rows, and a line shows what no hyperplane gets below.
"""

import separatrix as sx

X, y = sx.examples.load("credit-noisy")
found = sx.compare(X, y, cv=5)

sx.plot.comparison(found)

# %%
# The table in full, with what to mind:

print(found)
