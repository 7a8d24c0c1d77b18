"""The command line, a file a command. May import everything.

``app`` is the entry. The commands share ``options``, ``inputs``, which reads the data that they name, ``wording``, which
says on the command line what the library has to say, and ``terminal``. ``algorithms`` are the choices of ``fit``.
"""
