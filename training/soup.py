"""The mean of several trainings of one base: steadier than any of them.

`python -m training.soup OUT MODEL MODEL ...`
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from training.network import TRAINED, save


def average(out: Path, models: list[Path]) -> None:
    states = [torch.load(model / TRAINED, weights_only=True) for model in models]
    mean = {name: torch.stack([state[name].float() for state in states]).mean(0) for name in states[0]}
    save(mean, models[0], out)


if __name__ == "__main__":
    average(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
