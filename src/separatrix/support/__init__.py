"""What is about nothing in particular, and every room may use. Imports only types, exceptions and ``compiled``.

``calls`` for what users call and may take long: ``progress``, its ``display``, ``clock`` and ``interruption``; ``threads``
and ``blas`` for cores; ``highs`` for linear programs; ``limits`` for memory; ``writing`` for files, ``spill`` for
temporary ones;
``recorded_warnings`` sorts warnings; ``private_names`` are what other libraries do not promise. Words: ``counts``,
``numbers``, ``escaping`` and ``remedies``; ``formulas`` are built from terms, ``blocks`` puts them and texts together in the
styles that explanations are written in, ``answer`` is what all public results share, ``console`` prints.
"""
