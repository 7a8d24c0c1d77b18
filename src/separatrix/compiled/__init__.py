"""Loops compiled by numba on plain arrays. Imports nothing else of the library but its exceptions.

``compilation`` compiles loops and keeps them in a cache; ``error_free`` holds the error-free transformations of floats,
``prefetch`` asks the processor for numbers ahead of their use. ``rows`` is what dense and CSR rows do differently,
``measures`` what is known of them before a run, ``csr`` the check of their structure. ``signs`` has the exact sign of a
score and the tie rule, ``largest`` the largest of several scores, ``integers`` exact sums. The runs: ``binary_run``,
``multiclass_run``, ``kernel_run``; what follows from one: ``pocket_errors``, ``votes``, ``trace``. ``simplex`` looks for
obstructions. Text: ``decimals``, ``libsvm_lines``, ``csv_cells``.
"""
