"""What is claimed of a problem, its file, and the fast verifier. May import ``tables`` and below.

It never imports what searches for proofs (``perceptron``, ``separation``, ``errors``). ``claims`` has the claims and what
proves them, ``certificate`` the file; ``verification`` checks one against data, by ``claim_checks`` and
``packing_checks``.
"""
