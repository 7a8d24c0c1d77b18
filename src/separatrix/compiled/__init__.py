"""Loops compiled by numba on plain arrays and tuples of them. Imports nothing else of the library but its exceptions.

``compilation`` compiles loops and keeps them in a cache, ``environment`` tells whether floats are rounded as they should be.
``error_free`` holds the error-free transformations of floats, and sums that rest on them. ``rows`` is what dense and CSR
rows do differently, ``measures`` what is found out about them before a run. ``signs`` has the exact sign of a score and the
tie rule, ``largest`` the largest of several scores, ``integers`` exact sums. ``run`` is the machine of all runs that hold
weights, ``binary_run`` and ``multiclass_run`` what it does at a visit; ``kernel_run`` is the run that holds scores. What
follows from a run: ``pocket_errors``, ``votes``, ``trace``. ``simplex`` looks for obstructions, ``descent`` for hyperplanes
of little violation. Text: ``decimals``, ``libsvm_lines``, ``csv_cells``.
"""
