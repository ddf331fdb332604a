"""Logits of a trained tier over the rows that train, for distillation.

`python -m training.predict MODEL ROWS.jsonl.gz OUT.npy [--limit ROWS]`
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from training.network import build
from training.pairs import Encoded
from training.train import outputs, read_part


def logits(folder: Path, pairs: Sequence[tuple[str, str]], size: int = 256) -> NDArray[np.float16]:
    """Four columns: supported, contradicted, not enough, answers."""
    model = build(folder).eval()
    encoded = Encoded(pairs, folder)
    found = np.zeros((len(pairs), 4), np.float16)
    order = np.argsort(encoded.lengths)
    with torch.no_grad():
        for start in range(0, len(order), size):
            places = order[start : start + size]
            found[places] = torch.cat(outputs(model, encoded, places)[:2], dim=-1).float().cpu().numpy()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--limit", type=int, default=0, help="only so many rows, for a trial")
    args = parser.parse_args()
    found = logits(args.model, [(row["a"], row["b"]) for row in read_part(args.rows, args.limit)])
    with args.out.open("wb") as file:  # np.save would add an ending to the name
        np.save(file, found)


if __name__ == "__main__":
    main()
