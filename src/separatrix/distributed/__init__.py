"""Rows that are computed with where they are: on the workers of a cluster.

- `labelled`: a part of the rows, as a worker has it: an array with labels, a table; read, and made a block.
- `survey`: what each part tells of its rows, and what that comes to for all of them.
- `dask_rows`: `DaskRows`, rows on Dask; `parts`: what it is given; `tasks`: what workers do; `cluster`: which workers;
  `submission`: tasks sent, a bounded number at a time, and what comes of them.
- `mixing`: `MixedPerceptron`, the perceptron by iterative parameter mixing; `mixed_run`: its epochs; `mixing_audit`.
- `file_pieces`: files that workers read, opened, cut and surveyed by them.
- `spark`: the same functions on batches of Arrow, as Spark gives them to Python.
"""
