"""
How few errors can a linear classifier make on this table?
==========================================================

Applications for a credit card, judged with some noise. A search finds better and better hyperplanes, and at the same time
proves that there are none below a growing bound. Where the two meet, the answer is a theorem about this table.
"""

import separatrix as sx

table = sx.examples.credit_table(noise=15.0)
data = sx.read_data(table, label="approved")
few = sx.least_errors(data)
print(few)

sx.plot.bounds(few)

# %%
# Where the errors are, in the plane of the weights and the direction in which the rows vary most:

sx.plot.boundary(few)
