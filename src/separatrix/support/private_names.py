"""Names that other libraries keep private, and that are used all the same: all in one place, each with its reason.

A private name may go with any release. So they are few, and a test looks for them in the versions installed. numba has one
more, the option ``_nrt`` of its compiler, in ``compiled/compilation.py``, which imports nothing of ours.
"""

from __future__ import annotations

from sklearn.utils import _safe_indexing as rows_of  # rows of whatever scikit-learn takes, tables and lists included
from sklearn.utils._set_output import _get_output_config as output_config  # what `set_output` asked for, sparse included
from sklearn.utils.validation import _check_feature_names_in as input_names  # its wording of errors about names of features

__all__ = ["input_names", "output_config", "rows_of"]
