"""A trained tier as int8 ONNX with its tokenizer.

`python -m training.export MODEL OUT quick|strong ROWS.jsonl.gz`
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from training.evening import evened, largest
from training.network import TwoHeads, build
from training.pairs import Encoded, takes_types, tokenizer_of
from training.train import read_part

EVENED = {"strong": 0.85}  # by tier: how much unevenness goes from activations to weights
EVERY = 1_400  # of the rows that trained, to see activations on


class _Named(nn.Module):
    """Inputs in a fixed order, as the exporter wants them."""

    def __init__(self, model: TwoHeads, names: list[str]) -> None:
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        found: tuple[Tensor, Tensor] = self.model(**dict(zip(self.names, inputs, strict=True)))
        return found


def export(folder: Path, out: Path, tier: str, rows: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        full = Path(work) / "full.onnx"
        write_full(folder, full)
        if tier in EVENED:
            pairs = [(row["a"], row["b"]) for row in read_part(rows)[::EVERY]]
            encoded = Encoded(pairs, folder)
            feeds = (encoded.batch(np.array([place])) for place in range(len(pairs)))
            onnx.save(evened(full, largest(full, feeds), EVENED[tier]), full)
        quantize_dynamic(full, out / f"{tier}.onnx", weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    tokenizer_of(folder).save(str(out / f"{tier}-tokenizer.json"))


def write_full(folder: Path, path: Path) -> None:
    """In full precision."""
    names = ["input_ids", "attention_mask"] + ["token_type_ids"] * takes_types(folder)
    model = _Named(build(folder).cpu().eval(), names)
    ids = torch.tensor([[0, 5, 2, 2, 7, 8, 2], [0, 6, 2, 2, 9, 2, 1]])
    mask = torch.tensor([[1] * 7, [1] * 6 + [0]])
    example = (ids, mask, torch.zeros_like(ids))[: len(names)]
    axes = {name: {0: "pair", 1: "token"} for name in names} | {"support": {0: "pair"}, "answers": {0: "pair"}}
    torch.onnx.export(
        model, example, str(path), input_names=names, output_names=["support", "answers"], dynamic_axes=axes,
        opset_version=17, dynamo=False,
    )  # fmt: skip


if __name__ == "__main__":
    export(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
