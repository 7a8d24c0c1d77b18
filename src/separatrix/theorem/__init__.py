"""The perceptron convergence theorem, audited on a run, and bounds for new rows. May import ``estimators`` and below.

``auditing`` has the question and ``ledger`` the answer, with ``explanation`` in words; ``replay`` finds the trace of a run
and ``statements`` holds every line of the proof against it. ``generalization`` bounds the errors on new rows, ``one_pass``
the mistakes of a single pass.
"""
