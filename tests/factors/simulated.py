"""How often an effect is claimed where there is none, and found where there is one.

`python -m tests.factors.simulated` prints the figures that benchmarks/RESULTS.md names.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from surefoot.core.table import BUCKETS
from surefoot.factors.effects import Effects, effects_of

from .helpers import cell

AXES = {"model": ("a", "b"), "prompt": ("plain", "licence")}
_USUAL = (5, 2, 1, 2)  # correct, wrong, unsupported, refused
_NOISE = 0.3  # the share of answers that are given anew in every cell


def matrix(chance: random.Random, questions: int, licence: float) -> Effects:
    """2 models x 2 prompts that differ by noise, and by the wrong answers that the licence turns into refusals."""
    usual = [chance.choices(BUCKETS, _USUAL)[0] for _ in range(questions)]
    cells = []
    for model in AXES["model"]:
        for prompt in AXES["prompt"]:
            row: list[str] = []
            for bucket in usual:
                said: str = chance.choices(BUCKETS, _USUAL)[0] if chance.random() < _NOISE else bucket
                refuses = prompt == "licence" and said == "wrong" and chance.random() < licence
                row.append("refused" if refuses else said)
            cells.append(cell({"model": model, "prompt": prompt}, row))
    return effects_of(cells, AXES, {})


def claims(times: int, questions: int, licence: float, seed: int) -> dict[str, float]:
    """The shares of effects on `wrong`, and of contests between the axes, that are claimed."""
    chance, found = random.Random(seed), Counter[str]()
    for _ in range(times):
        made = matrix(chance, questions, licence)
        found.update(f"wrong by {one.axis}" for one in made.effects if one.differences["wrong"].settled)
        found.update(f"{one.first} moves more" for one in made.contests if one.difference.settled)
    return {claim: count / times for claim, count in sorted(found.items())}


if __name__ == "__main__":
    for count in (14, 40, 130):
        for licence in (0.0, 0.6):
            sys.stdout.write(f"{count} questions, licence {licence}: {claims(250, count, licence, seed=count)}\n")
