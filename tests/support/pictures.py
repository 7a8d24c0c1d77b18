"""What every picture must be: all its points within the limits, and no words over the data or over each other."""

from itertools import combinations

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

mpl.use("Agg")

SIZES = [(3, 2.4), (6, 4.5), (12, 8)]


def axes(size=(6, 4.5)):
    """Return axes of a figure that nobody has to close."""
    figure = plt.figure(figsize=size, layout="constrained")
    plt.close(figure)
    return figure.subplots()


def offsets(artist):
    return np.asarray(artist.get_offsets())


def words(display):
    """Return what is written around the data, once all is where it belongs."""
    display.figure_.draw_without_rendering()
    found = {
        "classes": display.class_legend_, "legend": display.legend_, "notes": display.notes_,
        "across": display.ax_.xaxis.label, "up": display.ax_.yaxis.label,
    }  # fmt: skip
    boxes = {name: each.get_window_extent() for name, each in found.items() if each is not None}
    return {name: box for name, box in boxes.items() if box.width > 0}


def labels(legend):
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def require_legible(display):
    """Require that words are within the figure, beside the data and beside each other, and marks within the limits."""
    boxes = words(display)
    inside, whole = display.ax_.get_window_extent(), display.figure_.bbox
    for name, box in boxes.items():
        assert not overlap(box, inside), f"{name} is over the data"
        assert box.x0 >= whole.x0 - 1, f"{name} leaves the figure"
        assert box.x1 <= whole.x1 + 1, f"{name} leaves the figure"
        assert box.y0 >= whole.y0 - 1, f"{name} leaves the figure"
    for (one, first), (other, second) in combinations(boxes.items(), 2):
        assert not overlap(first, second), f"{one} is over {other}"
    assert inside.width > 0.3 * whole.width, "there is no room for data"
    assert inside.height > 0.2 * whole.height, "there is no room for data"
    (left, right), (bottom, top) = display.ax_.get_xlim(), display.ax_.get_ylim()
    for each in display.ax_.collections:
        at = offsets(each)
        if len(at) and each.get_offset_transform() == display.ax_.transData:
            assert np.all((left < at[:, 0]) & (at[:, 0] < right) & (bottom < at[:, 1]) & (at[:, 1] < top)), (
                "marks are outside"
            )


def overlap(one, other, slack=1.0):
    """Whether boxes overlap by more than a pixel."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    up = min(one.y1, other.y1) - max(one.y0, other.y0)
    return across > slack and up > slack


def is_plain(text):
    return not text.get_parse_math() and not text.get_usetex()
