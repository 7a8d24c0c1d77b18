"""The tie rule: what a score of zero predicts."""

from __future__ import annotations

TIES = {"update": 0, "positive": 1, "negative": -1}
"""The tie rules, and the class that a score of zero predicts under each (0: none, a mistake for either class)."""
