"""What is about nothing in particular, and every room may use. Imports only types, exceptions and ``compiled``.

``progress`` and ``clock`` for long work; ``threads`` and ``blas`` for cores; ``highs`` for linear programs; ``limits`` for
memory; ``writing`` for files. Words: ``counts``, ``numbers``, ``escaping``, ``remedies``, ``blocks``, ``console``;
``recorded_warnings`` sorts warnings.
"""
