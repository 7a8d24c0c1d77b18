"""The order in which the gallery shows its scripts: from what everybody asks to what few do."""

ORDER = (
    "is_it_separable", "xor", "widest_gap", "distance", "fewest_errors", "which_classifier", "pocket", "infinite_estimates",
    "steps_of_a_run", "weight_space", "theorem_on_a_run", "order_of_visits", "loss", "online_mistakes", "learning_curves",
    "boolean_functions",
)  # fmt: skip
"""The names of the scripts, without ``plot_`` and ``.py``."""


class ByQuestion:
    """The place of a script, as Sphinx-Gallery asks for it.

    >>> ByQuestion("gallery")("plot_xor.py")
    1
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, filename: str) -> int:
        """Return the place of a script."""
        return ORDER.index(filename.removeprefix("plot_").removesuffix(".py"))

    def __repr__(self) -> str:  # which Sphinx compares, to see whether anything has changed
        return f"<{type(self).__name__}>"
