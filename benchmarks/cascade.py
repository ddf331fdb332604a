"""What a cascade gains: the local grader decides what it is sure of, and a better judge reads the rest.

    python benchmarks/cascade.py [--grader local|rules]

On the labelled answers of grading.py. The judge is simulated: one that is always right, and one that is right nine
times in ten whatever the answer, of which the expected value is shown. The verdicts of the lowest confidence are sent
first.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from grading import load
from surefoot.graders.grader import JUDGES, FindingsGrader
from surefoot.jobs.grade import DEFAULT

SHOWN = (0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
SHARES = (0.1, 0.2, 0.3, 0.5)
GOOD = 0.9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--grader", choices=list(JUDGES), default=DEFAULT)
    rows, items = load()
    grader = FindingsGrader(JUDGES[parser.parse_args().grader]())
    graded = grader.read(items)
    sure = np.array([one.verdicts[0].confidence or 1.0 for one in graded])
    right = np.array([one.bucket == row["expected"]["factuality"] for row, one in zip(rows, graded, strict=True)])
    order = np.argsort(sure, kind="stable")
    print(
        f"grader {grader.name}, {len(rows)} answers\n\n| sent | of these misjudged | always right | right nine in ten |"
    )
    print("|---|---|---|---|")
    for share in (0.0, *SHARES, 1.0):
        sent = np.zeros(len(rows), dtype=bool)
        sent[order[: round(share * len(rows))]] = True
        print(_row(f"{share:.0%}", sent, right))
    for level in SHOWN:
        print(_row(f"`sure_from = {level:g}`", sure < level, right))


def _row(name: str, sent: NDArray[np.bool_], right: NDArray[np.bool_]) -> str:
    of_these = f"{int((sent & ~right).sum())} of {int(sent.sum())}"
    return f"| {name} | {of_these} | {(sent | right).mean():.1%} | {np.where(sent, GOOD, right).mean():.1%} |"


if __name__ == "__main__":
    main()
