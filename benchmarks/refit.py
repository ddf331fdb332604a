"""What refitting the local grader gains: on some labelled answers of grading.py, tried on the others of the same kind.

    python benchmarks/refit.py [--times 100]

As `surefoot calibrate --refit` does it, for each split by itself. `kept` is how often cross-validation shows a gain
beyond chance, so that the new grader is written; what it gains is measured on the answers that were not drawn.
"""

from __future__ import annotations

import argparse

import numpy as np

from grading import load
from surefoot.graders.grader import FindingsGrader
from surefoot.graders.local import LocalJudge
from surefoot.graders.refit import SHIFTS, fit

SIZES = (20, 30, 50)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--times", type=int, default=100)
    times, luck = parser.parse_args().times, np.random.default_rng(1)
    rows, items = load()
    answers = list(zip(rows, FindingsGrader(LocalJudge()).buckets_at(items, SHIFTS), strict=True))
    print("| split | labels | kept | agreement of the others | gain if kept |\n|---|---|---|---|---|")
    for split in ("development", "free wording", "held-out"):
        mine = [(row["expected"]["factuality"], at) for row, at in answers if row["split"] == split]
        mine = [(label, at) for label, at in mine if label is not None]
        same = np.array([[bucket == label for bucket in at] for label, at in mine])
        shipped = same[:, SHIFTS.index(0.0)]
        for size in SIZES:
            gains = []
            for _ in range(times):
                order = luck.permutation(len(mine))
                drawn, rest = [mine[n] for n in order[:size]], order[size:]
                found = fit([at for _, at in drawn], [label for label, _ in drawn], [1.0] * size)
                if found.is_better:
                    place = int(np.abs(np.array(SHIFTS) - found.shift / found.scale).argmin())
                    gains.append(same[rest, place].mean() - shipped[rest].mean())
            gain = f"{100 * np.mean(gains):+.1f} points" if gains else "-"
            print(f"| {split} | {size} | {len(gains) / times:.0%} | {shipped.mean():.1%} | {gain} |", flush=True)


if __name__ == "__main__":
    main()
