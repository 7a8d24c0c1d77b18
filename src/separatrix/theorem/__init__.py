"""The perceptron convergence theorem, audited on a run, and bounds for new rows. May import ``estimators`` and below.

``mistake_bound`` has the bound before any run. ``auditing`` has the question of a run and ``ledger`` the answer, with
``explanation`` in words, ``unseparated`` where there is no w*, and ``letters`` for both; ``replay`` finds the trace of a run
and ``statements`` holds the proof against it: claim 2 in ``lengths``, claim 1 and the squeeze in ``alignments``, for the
best w* or one of ``stars``. ``generalization`` bounds the errors on new rows, ``one_pass`` the mistakes of a single pass.
"""
