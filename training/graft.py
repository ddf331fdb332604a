"""Layers that went on learning, put into a shipped file; all else in it stays as it was, to the byte.

`python -m training.graft WEIGHTS MODEL strong OUT`

WEIGHTS/strong.onnx gives everything but the layers of MODEL that `--frozen` let learn. The heads for harm, which read
layers below these, stay true.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper

from training.network import TRAINED
from training.restore import matrices, restored

_STEPS = 64  # int8 in 7 bits, as `export` has it


def grafted(path: Path, model: Path) -> onnx.ModelProto:
    """The file with every weight that differs by more than rounding."""
    trained: dict[str, torch.Tensor] = torch.load(model / TRAINED, weights_only=True, map_location="cpu")
    before = restored(path)
    changed = {
        name: values.float().numpy()
        for name, values in trained.items()
        if name in before and not torch.allclose(values.float(), before[name].half().float(), atol=0, rtol=0)
    }
    graph = onnx.load(path)
    stored = {tensor.name: tensor for tensor in graph.graph.initializer}
    arrays = {name: numpy_helper.to_array(tensor) for name, tensor in stored.items()}
    for found in matrices(graph, arrays):
        if found.name in changed:
            _put(stored, found.stored, changed.pop(found.name).T / found.factors)
    for name, values in changed.items():
        if f"model.{name}" in stored:
            _replace(stored[f"model.{name}"], values)
        else:
            _put(stored, f"model.{name}_quantized", values.T)
    return graph


def _put(stored: dict[str, TensorProto], name: str, matrix: NDArray[np.float32]) -> None:
    """Per column, even about zero."""
    before = name.removesuffix("_quantized")
    scale = stored[f"{before}_scale"]
    largest = np.abs(matrix).max(0) if scale.dims else np.abs(matrix).max()
    steps = np.maximum(largest / _STEPS, np.finfo(np.float32).tiny).astype(np.float32)
    _replace(scale, steps)
    _replace(stored[name], np.clip(np.round(matrix / steps), -_STEPS, _STEPS).astype(np.int8))


def _replace(tensor: TensorProto, values: NDArray[np.generic]) -> None:
    kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
    tensor.CopyFrom(numpy_helper.from_array(values.astype(kind).reshape(tuple(tensor.dims)), tensor.name))


if __name__ == "__main__":
    weights, model, tier, out = sys.argv[1:5]
    onnx.save(grafted(Path(weights) / f"{tier}.onnx", Path(model)), out)
