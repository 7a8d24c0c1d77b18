"""The feature space of a kernel, made exact: what `decide`, `margin` and `audit` ask of it.

- `parameters.py`: a kernel by its name and parameters.
- `monomials.py`: the features of a polynomial kernel, written out, as an ordinary problem.
- `gram_matrix.py`: the products of rows in integers; those of the radial kernel up to a proved error.
- `space.py`: whether there is a feature space at all, and coordinates in floating point, for proposals.
"""
