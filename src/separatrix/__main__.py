"""``python -m separatrix``."""

from .cli import main

main()
