"""Activations made even before they become int8 (SmoothQuant).

In the last layer of a block's feed-forward part a few columns are far larger than the rest, and as all columns share
one scale, they leave the others hardly any steps. So each column is divided by a factor, and the weights that it meets
are multiplied by it: the product stays the same.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from training.pairs import Ints

Floats = NDArray[np.float32]


def largest(path: Path, feeds: Iterable[Mapping[str, Ints]]) -> dict[str, Floats]:
    """The largest activation of each column over some pairs, by the name of the layer's input."""
    model = onnx.load(path)
    names = [node.input[0] for node in _layers(model)]
    model.graph.output.extend(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names)
    found: dict[str, Floats] = {}
    with tempfile.TemporaryDirectory() as work:
        onnx.save(model, Path(work) / "seen.onnx")
        session = onnxruntime.InferenceSession(Path(work) / "seen.onnx", providers=["CPUExecutionProvider"])
        for feed in feeds:
            for name, values in zip(names, session.run(names, dict(feed)), strict=True):
                columns = np.abs(values).reshape(-1, values.shape[-1]).max(0)
                found[name] = np.maximum(found.get(name, columns), columns)
    return found


def evened(path: Path, most: Mapping[str, Floats], share: float) -> onnx.ModelProto:
    """`share` of the unevenness goes from the activations to the weights."""
    model = onnx.load(path)
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in _layers(model):
        entry, name = node.input[0], node.input[1]
        matrix = numpy_helper.to_array(weights[name])
        factors = _factors(most[entry], np.abs(matrix).max(1), share)
        weights[name].CopyFrom(numpy_helper.from_array(matrix * factors[:, None], name))
        model.graph.initializer.append(numpy_helper.from_array(1 / factors, f"{entry}_factors"))
        divide = helper.make_node("Mul", [entry, f"{entry}_factors"], [f"{entry}_even"], f"{node.name}_even")
        model.graph.node.insert(list(model.graph.node).index(node), divide)
        node.input[0] = f"{entry}_even"
    return model


def _layers(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    nodes = [node for node in model.graph.node if node.op_type == "MatMul" and "/output/dense" in node.name]
    return [node for node in nodes if "/attention/" not in node.name]


def _factors(activations: Floats, weights: Floats, share: float) -> Floats:
    raw = np.maximum(activations, 1e-3) ** share / np.maximum(weights, 1e-5) ** (1 - share)
    found: Floats = (raw / np.exp(np.log(raw).mean())).astype(np.float32)
    return found
