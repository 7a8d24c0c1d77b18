"""The command line, a file a command. May import everything.

``app`` is the entry; ``options`` and ``terminal`` are shared by the commands, ``algorithms`` are the choices of ``fit``.
"""
