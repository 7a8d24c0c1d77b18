"""A model as a graph of ONNX, computed in float64.

There is an input of shape (N, 1) for each column of the table: of doubles, NaN where one is missing, or of strings. The
outputs are the labels, the scores as `decision_function` has them, and whether a row was predicted at all: a row that the
model refuses has NaN for its score, as NaN plus anything is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..support.escaping import brief
from .rule import Rule, Source

OPSET, ML_OPSET, IR_VERSION = 17, 3, 8
"""Versions of the operators and of the file: those of 2022, which every runtime in use knows."""

NO_LABEL = -(2**63)
"""The label of a row that is not predicted, where labels are whole numbers."""


@dataclass(frozen=True)
class OnnxNames:
    """What the graph calls its outputs: names that no column has."""

    label: str
    scores: str
    predicted: str


def onnx_names(rule: Rule) -> OnnxNames:
    """Choose names of outputs."""
    taken = {source.name for source in rule.sources}
    return OnnxNames(*(_free(name, taken) for name in ("label", "scores", "predicted")))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def require_onnx() -> Any:
    """Return the package that makes graphs."""
    try:
        import onnx
    except ImportError:
        raise ImportError(
            "Exporting to ONNX needs the package onnx, which is not installed: pip install 'separatrix[onnx]'."
        ) from None
    return onnx


def onnx_model(rule: Rule) -> bytes:
    """Return the model as a file of ONNX."""
    onnx = require_onnx()
    _refuse_unfit(rule)
    prefix = "sx"
    while any(source.name.startswith(prefix) for source in rule.sources):
        prefix += "x"
    graph = _Graph(onnx.helper, prefix)
    names = onnx_names(rule)
    scores = _scores(graph, rule)
    K = len(rule.classes)
    first = graph.add("Gather", [scores, graph.constant(np.int64(0))], axis=1)  # one is NaN if all are
    refused = graph.add("IsNaN", [first])
    if K == 2:
        above = graph.add("GreaterOrEqual" if rule.ties_to_last else "Greater", [first, graph.constant(np.zeros(()))])
        place = graph.add("Cast", [above], to=onnx.TensorProto.INT64)
    else:
        place = graph.add("ArgMax", [scores], axis=1, keepdims=0, select_last_index=int(rule.ties_to_last))
    place = graph.add("Where", [refused, graph.constant(np.int64(K)), place])
    labels, kind = _labels(rule, onnx)
    graph.add("Gather", [graph.constant(labels), place], output=names.label)
    graph.add("Identity", [first if K == 2 else scores], output=names.scores)
    graph.add("Not", [refused], output=names.predicted)
    info = onnx.helper.make_tensor_value_info
    double, string, boolean = onnx.TensorProto.DOUBLE, onnx.TensorProto.STRING, onnx.TensorProto.BOOL
    inputs = [info(each.name, string if of_words(each) else double, ["N", 1]) for each in rule.sources]
    outputs = [
        info(names.label, kind, ["N"]), info(names.scores, double, ["N"] if K == 2 else ["N", K]),
        info(names.predicted, boolean, ["N"]),
    ]  # fmt: skip
    made = onnx.helper.make_model(
        onnx.helper.make_graph(graph.nodes, "separatrix", inputs, outputs, graph.constants),
        opset_imports=[onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("ai.onnx.ml", ML_OPSET)],
        ir_version=IR_VERSION,
        producer_name="separatrix",
    )
    onnx.checker.check_model(made)
    return made.SerializeToString(deterministic=True)


def of_words(source: Source) -> bool:
    """Whether the input of a column is one of strings."""
    return source.number is None


@dataclass
class _Graph:
    """Nodes and constants as they are added, each with a name of its own."""

    helper: Any
    prefix: str
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def add(self, operator: str, inputs: list[str], output: str | None = None, domain: str = "", **attributes: Any) -> str:
        """Add a node; return the name of its output."""
        name = output or f"{self.prefix}_{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(operator, inputs, [name], domain=domain, **attributes))
        return name

    def constant(self, values: Any) -> str:
        """Add a constant; return its name."""
        from onnx import numpy_helper

        name = f"{self.prefix}_constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def ints(self, values: list[int]) -> str:
        """Add whole numbers; return their name."""
        return self.constant(np.array(values, np.int64))


# ---- Scores: products of the numbers with their weights, the weights of words looked up, and the intercepts.


def _scores(graph: _Graph, rule: Rule) -> str:
    table = np.array([[float(weight) for weight in vector] for vector in rule.weights])  # (vectors, features)
    parts = [graph.constant(np.array([[float(each) for each in rule.intercepts]]))]
    numbers = [source for source in rule.sources if not of_words(source)]
    if numbers:
        parts += _products(graph, rule, numbers, table)
    parts += [_looked_up(graph, rule, source, table) for source in rule.sources if of_words(source)]
    return parts[0] if len(parts) == 1 else graph.add("Sum", parts)


def _products(graph: _Graph, rule: Rule, numbers: list[Source], table: NDArray[Any]) -> list[str]:
    """Return the products of numbers with their weights; and of gaps, where they count as something."""
    cells = graph.add("Concat", [source.name for source in numbers], axis=1)
    if numbers[0].scaling is not None:  # then all are
        shift, scale = np.array([source.scaling for source in numbers]).T
        cells = graph.add("Sub", [cells, graph.constant(shift[None])])
        cells = graph.add("Div", [cells, graph.constant(scale[None])])
    places = [source.number for source in numbers if source.number is not None]
    counts = [rule.weight_of_gap(source, 0) is not None for source in numbers]
    if not any(counts):
        return [graph.add("MatMul", [cells, graph.constant(table[:, places].T.copy())])]
    gaps = graph.add("IsNaN", [cells])
    known = graph.add("And", [gaps, graph.constant(np.array([counts]))])
    filled = graph.add("Where", [known, graph.constant(np.zeros(())), cells])
    weights = np.array([[float(rule.weight_of_gap(source, k) or 0) for k in range(len(table))] for source in numbers])
    flags = graph.add("Cast", [known], to=11)
    return [
        graph.add("MatMul", [filled, graph.constant(table[:, places].T.copy())]),
        graph.add("MatMul", [flags, graph.constant(weights)]),
    ]


def _looked_up(graph: _Graph, rule: Rule, source: Source, table: NDArray[Any]) -> str:
    """Return the weights of the words of a column: a row of a table for each of them, then that of gaps, then the rest."""
    vectors = len(table)
    missing = [rule.weight_of_gap(source, k) for k in range(vectors)]
    gap = [np.nan if each is None else float(each) for each in missing]
    other = [np.nan if rule.unseen == "refuse" else 0.0] * vectors
    rows = [*(table[:, place] for place in source.categories.values()), gap, other]
    texts = [*source.categories, *(text for text in rule.gaps if text not in source.categories)]
    codes = [min(k, len(source.categories)) for k in range(len(texts))]
    code = graph.add(
        "LabelEncoder", [source.name], domain="ai.onnx.ml", keys_strings=texts, values_int64s=codes,
        default_int64=len(rows) - 1,
    )  # fmt: skip
    found = graph.add("Gather", [graph.constant(np.array(rows, np.float64)), code])  # (N, 1, vectors)
    return graph.add("Squeeze", [found, graph.ints([1])])


# ---- Labels.


def _labels(rule: Rule, onnx: Any) -> tuple[NDArray[Any], Any]:
    """Return the labels, with one for rows that are not predicted last, and their type."""
    first = rule.classes[0]
    if isinstance(first, str):
        return np.array([*rule.classes, ""], object), onnx.TensorProto.STRING
    if isinstance(first, float):
        return np.array([*rule.classes, np.nan]), onnx.TensorProto.DOUBLE
    return np.array([*map(int, rule.classes), NO_LABEL], np.int64), onnx.TensorProto.INT64


def _refuse_unfit(rule: Rule) -> None:
    for source in rule.sources:
        if not source.name:
            raise ValueError("ONNX has no inputs without a name, and a column of the model has none. Name it.")
    for text in rule.names():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError(f"ONNX takes no half of a surrogate pair, as in {brief(text)}. Rename it.") from None
    for each in rule.classes:
        if isinstance(each, int) and not -(2**63) < each < 2**63:
            raise ValueError(f"The label {each} is too large a whole number for ONNX. Call the classes otherwise.")
