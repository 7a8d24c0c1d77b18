"""Scenes: written as JSON and read back the same; what is no scene is refused, with its place."""

import json

import numpy as np
import pytest

import separatrix as sx
from separatrix.pictures.scene import Chart, Course, Curve, Line, Points, Scene, View

FULL = Scene(
    "a title",
    View("features", ("x1", "x2"), (1.0, 1e-300), 2),
    Points(
        np.array([[0.0, 1.0], [2.0, np.inf]]), np.array([0, 1]), np.array([3, 7]), ("no", "yes"), 2, np.array([True, False])
    ),
    (Line("l", (1.0, 0.0, -0.5), "x1 > 1/2", 0.25, (0.5, float("inf"))), Line("m", None, "0 > 1")),
    course=Course(
        np.arange(3), None, None, np.arange(3.0), np.arange(3.0), None, None, float("inf"), 2, True, ("gamma = 1", "R = 2")
    ),
    loss=Chart(("k", "loss"), (Curve("loss", np.arange(2.0), np.arange(2.0), True),), (("bound", 3.0),)),
)


def test_json_and_back():
    assert Scene.from_json(FULL.to_json()) == FULL
    again = Scene.from_json(FULL.to_json().encode())
    assert again.points.at.dtype == np.float64
    assert again.points.code.dtype == np.int64
    assert again.points.wrong.dtype == np.bool_
    assert again.points.at[1, 1] == np.inf
    assert again.lines[0].cuts == (0.5, float("inf"))
    assert "NaN" not in FULL.to_json()
    assert "Infinity" not in FULL.to_json()
    json.loads(FULL.to_json(), parse_constant=pytest.fail)


def changed(*path, to):
    document = json.loads(FULL.to_json())
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "The format must be 'separatrix-scene/1', got None"),
        ("[" * 100_000, "not JSON"),
        (changed("format", to="separatrix-scene/9"), "got 'separatrix-scene/9'"),
        (changed("title", to=None), "the scene.title is missing"),
        (changed("title", to=3), "the scene.title must be a text, got 3"),
        (changed("colour", to="red"), "the scene has 'colour', which no scene of this version has"),
        (changed("points", to=3), "the scene.points must be an object, got 3"),
        (changed("points", "at", to=[[1], [2, 3]]), "the scene.points.at must be a list of numbers"),
        (changed("points", "at", to=[["1", "x"]]), "the scene.points.at must be a list of numbers"),
        (changed("points", "code", to=[0.5, 1]), "the scene.points.code must be a list of whole numbers"),
        (changed("points", "wrong", to=[0, 1]), "the scene.points.wrong must be a list of true or false"),
        (changed("points", "total", to=2.0), "the scene.points.total must be a whole number, got 2.0"),
        (changed("view", "axes", to=["x1"]), "the scene.view.axes must have 2 entries, got 1"),
        (changed("view", "axes", to="ab"), "the scene.view.axes must be a list, got 'ab'"),
        (changed("lines", 0, "cut", to=[1, 2, None]), r"the scene.lines\[0\].cut\[2\] is missing"),
    ],
)
def test_what_is_no_scene_is_refused(text, message):
    with pytest.raises(sx.SceneError, match=message):
        Scene.from_json(text)


def test_a_part_that_is_missing_is_named():
    with pytest.raises(
        sx.SceneError, match=r"'bounds' shows bounds, and the scene 'a title' has none\. It has: view, points, lines"
    ):
        FULL.require("bounds", "bounds")
    assert FULL.require("loss", "loss") is FULL.loss


def test_there_is_no_picture_of_anything_else():
    with pytest.raises(TypeError, match="no picture of dict"):
        sx.scene({})
