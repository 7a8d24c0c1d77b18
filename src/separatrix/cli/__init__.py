"""The command line. May import everything.

``app`` is the entry, and ``commands/`` has a file for each command. They share ``options``, ``inputs``, which reads the data
that they name, ``wording``, which says on the command line what the library has to say, ``terminal``, and ``pages``, which
are as wide as it; ``help`` is what ``--help`` shows. Of ``fit``,
``algorithms`` are the choices, ``lessons`` what is learnt and where it begins, ``kernels`` the options of kernels, and
``steps`` the table of the run.
"""
