"""Shipped int8 files as numbers again, for a training that goes on from them.

`python -m training.restore src/surefoot/weights BASES OUT`

BASES and OUT hold a folder for each tier; OUT's are given to `python -m training` as bases. What rounding took from the
weights stays lost.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper

from training.network import save

Arrays = dict[str, NDArray[np.float32]]
_HEADS = ("support.weight", "answers.weight")  # stored the other way round


def restored(path: Path) -> dict[str, torch.Tensor]:
    model = onnx.load(path)
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    found = _named(stored)
    found |= {one.name: (_numbers(one.stored, stored) * one.factors).T for one in matrices(model, stored)}
    return {name: torch.from_numpy(np.ascontiguousarray(values, np.float32)) for name, values in found.items()}


def _named(stored: Arrays) -> Arrays:
    """What kept its name: biases and norms as they are, embeddings and heads in int8."""
    found: Arrays = {}
    for name, values in stored.items():
        plain = name.removeprefix("model.").removesuffix("_quantized")
        if name.startswith("model.") and name.endswith("_quantized"):
            numbers = _numbers(name, stored)
            found[plain] = numbers.T if plain in _HEADS else numbers
        elif name.startswith("model.") and not name.endswith(("_scale", "_zero_point")):
            found[plain] = values
    return found


class Matrix(NamedTuple):
    """A layer's weights: their name in the network, under which they are stored, and what evens out their input."""

    name: str
    stored: str
    factors: NDArray[np.float32]


def matrices(model: onnx.ModelProto, stored: Arrays) -> Iterator[Matrix]:
    """Layers are named after the node that multiplies by them."""
    makers = {output: node for node in model.graph.node for output in node.output}
    for node in model.graph.node:
        if node.op_type != "MatMulInteger" or node.input[1] not in stored or "Gemm" in node.name:
            continue
        evening = makers[makers[node.input[0]].input[0]]
        factors = next((stored[name] for name in evening.input if name in stored), np.ones(1, np.float32))
        width = stored[node.input[1]].shape[:1]
        if evening.op_type != "Mul" or factors.shape != width:
            factors = np.ones(width, np.float32)
        name = node.name.removeprefix("/model/").removesuffix("/MatMul_quant").replace("/", ".")
        name = name if name.startswith("encoder.encoder") else f"encoder.{name}"
        yield Matrix(f"{name}.weight", node.input[1], factors[:, None])


def _numbers(name: str, stored: Arrays) -> NDArray[np.float32]:
    before = name.removesuffix("_quantized")
    zero, scale = stored[f"{before}_zero_point"].astype(np.float32), stored[f"{before}_scale"]
    found: NDArray[np.float32] = (stored[name].astype(np.float32) - zero) * scale
    return found


if __name__ == "__main__":
    weights, bases, out = map(Path, sys.argv[1:4])
    for tier in ("quick", "strong"):
        save(restored(weights / f"{tier}.onnx"), bases / tier, out / tier)
