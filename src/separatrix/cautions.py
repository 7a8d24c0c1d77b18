"""The warnings of the library that are its own."""


class RoundingWarning(UserWarning):
    """Rounding exact weights to float64 changes what they say of a training row."""


class SeparationWarning(UserWarning):
    """The classes are separable or quasi-separable, so that a logistic regression has no maximum-likelihood estimate."""
