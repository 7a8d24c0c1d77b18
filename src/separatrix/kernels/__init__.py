"""Compiled loops on plain arrays: the leaves of the package, importing nothing else of it but a warning.

``floats`` holds the error-free transformations, ``rows`` what dense and CSR rows do differently,
``signs`` the exact sign of a score and the tie rule, ``visits`` the run of the perceptron itself, ``kesler`` that of
several classes, ``votes`` the votes of all weights of a run, ``integers`` exact sums; ``threads`` shares loops among the
cores, ``compilation`` compiles them and keeps what it has compiled.
"""
