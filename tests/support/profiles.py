"""How many examples of a property are tried."""

import os

from hypothesis import settings

QUICK = os.environ.get("SEPARATRIX_PROFILE", "quick") == "quick"


def quickly(number):
    """Try so many examples if it is to be quick; as many as of any other property in the profile that goes deep.

    For properties whose examples take long, each of them being many questions at once.
    """
    return settings(max_examples=number if QUICK else settings.default.max_examples)
