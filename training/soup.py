"""The mean of several trainings of one base: steadier than any of them.

`python -m training.soup OUT BASE MODEL MODEL ...`

If the base was trained before, some of it is kept, so that little of what it could do is lost.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from training.network import TRAINED, save

KEPT = 0.25  # of a base that was trained before


def average(out: Path, base: Path, models: list[Path]) -> None:
    states = [torch.load(model / TRAINED, weights_only=True) for model in models]
    mean = {name: torch.stack([state[name].float() for state in states]).mean(0) for name in states[0]}
    before = torch.load(base / TRAINED, weights_only=True) if (base / TRAINED).exists() else {}
    for name, values in before.items():
        mean[name] = (1 - KEPT) * mean[name] + KEPT * values.float()
    save(mean, models[0], out)


if __name__ == "__main__":
    average(Path(sys.argv[1]), Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]])
