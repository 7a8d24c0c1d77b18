"""
How far is a row from the line?
===============================

The score of a row, divided by the length of the weights, is its distance from the hyperplane, with the sign of its side. The
point of the hyperplane that is nearest is its foot. In exact arithmetic both are fractions, or a fraction and a root.
"""

import separatrix as sx

plane = sx.Hyperplane([3, 4], threshold=10)
points = [[5, 5], [0, 0], [6, 1]]
for point, score, foot in zip(points, plane.score(points), plane.project(points), strict=True):
    print(f"{point}: score {score}, foot ({', '.join(map(str, foot))})")

# %%
# The three of them, with their feet and distances:

sx.plot.projection(plane, points, row=[0, 1, 2])
