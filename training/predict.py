"""Logits of a trained tier over the rows that train, for distillation, or over the pairs of the fit cases.

`python -m training.predict MODEL rows|cases FILE.jsonl.gz OUT.npy`
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from training.cases import pairs_of, read_cases
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


def main(folder: Path, what: str, path: Path, out: Path) -> None:
    pairs = [(row["a"], row["b"]) for row in read_part(path)] if what == "rows" else pairs_of(read_cases(path))
    with out.open("wb") as file:  # np.save would add an ending to the name
        np.save(file, logits(folder, pairs))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
