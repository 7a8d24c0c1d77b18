"""Rows that are read anew for each pass, in bounded memory, and the answers about them.

- `known_rows`: what is known of rows in blocks, wherever they are.
- `stream`: `Stream`, rows that come in blocks from files, from functions or from arrays; reading ahead.
- `learning`: the perceptron, pass by pass; `walk` is what a block does to its run, `checkpoints` the file to go on from.
- `predicting`, `auditing`: what a fitted classifier says of rows in blocks; the convergence theorem on a run through them.
- `answers`: what all rows in blocks are asked, be they streamed or distributed; each answer has a file of its own.
- `deciding`, `asking`, `verdicts`: the verdict, by row generation; `margins`, `fewest_errors`: margins and least errors,
  likewise; `verifying`: certificates. `working_rows` has the rows that are held, `passes` the passes over all.
- `describing`: what rows hold, as `tables.description` tells it of rows in memory; `counting_rows` is what blocks are asked
  for it, `spanning` finds rows that span all others, `asking_all` is a pass.
"""
