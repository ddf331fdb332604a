"""Do the intervals of `surefoot calibrate` hold the truth as often as they say, and is the grader worth having?

    python benchmarks/calibration.py [--simulations N] [--quick]

A grader that errs gives verdicts on a run, and people label some of its answers: flagged ones first, up to half of the
labels, and a random sample of the others. The truth is what another run on other questions of the same kind would show
too. Beside the rate stands what the same number of labels gives without a grader: a simple random sample with Jeffreys'
interval. The last rows have answers that go together: attempts at one question are right or wrong together, and
documents differ in how often answers on them are bad and are misread.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from surefoot.core.draws import jeffreys
from surefoot.core.intervals import wilson
from surefoot.gate.calibrate import Group, Sample, bad_found, false_correct

NAMES = ("rate of bad", "called correct, but not", "bad ones found")
SIMULATIONS, SEED = 300, 11


class Case(NamedTuple):
    bad: float = 0.1
    sensitivity: float = 0.9
    specificity: float = 0.95
    questions: int = 130
    labels: int = 50
    attempts: int = 1
    documents: int = 0  # that the questions are about; 0: each about its own
    correlation: float = 0.0

    def __str__(self) -> str:
        together = f" x {self.attempts}" if self.attempts > 1 else ""
        together += f", {self.documents} documents, {self.correlation:g}" if self.documents else ""
        return f"{self.bad:g} | {self.sensitivity:g}, {self.specificity:g} | {self.questions}{together} | {self.labels}"


PLAIN = [
    Case(bad, sensitivity, specificity, questions, labels)
    for bad in (0.02, 0.05, 0.1, 0.2)
    for sensitivity, specificity in ((0.7, 0.9), (0.9, 0.95), (0.98, 0.98))
    for questions, labels in ((130, 50), (130, 100), (500, 100), (2000, 100))
]
TOGETHER = [
    Case(0.2, 0.8, 0.9, 20, 100, attempts=10),
    Case(0.2, 0.8, 0.9, 130, 200, attempts=3),
    Case(0.1, 0.9, 0.95, 130, 390, attempts=3),
    Case(0.2, 0.8, 0.9, 200, 80, documents=20, correlation=0.3),
    Case(0.1, 0.9, 0.95, 130, 80, documents=40, correlation=0.1),
]
# Where an interval is most easily too short: rare buckets with good graders, and few labels on many answers.
QUICK = [Case(0.02, 0.98, 0.98, 2000, 100), Case(0.05, 0.9, 0.95, 130, 50), Case(0.2, 0.7, 0.9, 500, 100), TOGETHER[0]]


def truth(case: Case) -> tuple[float, float, float]:
    missed = case.bad * (1 - case.sensitivity)
    return case.bad, missed / (missed + (1 - case.bad) * case.specificity), case.sensitivity


def simulated(case: Case, rng: np.random.Generator) -> tuple[Sample, int]:
    """A run with labels as the queue draws them, and how many of its answers are flagged."""
    documents = rng.integers(0, case.documents, case.questions) if case.documents else np.arange(case.questions)
    spread = 1 / case.correlation - 1 if case.correlation else 0.0
    bad, sensitivity, specificity = (
        np.full(len(documents), share) if not case.correlation
        else rng.beta(share * spread, (1 - share) * spread, case.documents)[documents]
        for share in case[:3]
    )  # fmt: skip
    is_bad = rng.random(case.questions) < bad
    flagged = rng.random(case.questions) < np.where(is_bad, sensitivity, 1 - specificity)
    rows = [(question, attempt) for question in range(case.questions) for attempt in range(case.attempts)]
    order = [rows[at] for at in rng.permutation(len(rows))]
    first = [row for row in order if flagged[row[0]]][: case.labels // 2]
    others = [row for row in order if not flagged[row[0]]][: case.labels - len(first)]
    labelled = {*first, *others}
    labelled |= {*[row for row in order if row not in labelled][: case.labels - len(labelled)]}
    groups = []
    for verdict, said in (("correct", False), ("wrong", True)):
        asked = [question for question, _ in labelled if flagged[question] == said]
        labels = Counter("wrong" if is_bad[question] else "correct" for question in asked)
        size = int((flagged == said).sum()) * case.attempts
        groups += [Group(verdict, False, said, False, size, labels, len({*asked}))] if size else []
    return Sample(tuple(groups), case.questions), int(flagged.sum())


def measure(case: Case, simulations: int) -> tuple[Mapping[str, float], float, float]:
    """How often each interval holds the truth, the width of the rate's as a share of labels alone, and how often the
    grader's own rate with Wilson's interval holds it."""
    rng, true = np.random.default_rng([SEED, *(round(1000 * value) for value in case)]), truth(case)
    hits, known, widths, naive = Counter[str](), Counter[str](), [0.0, 0.0], 0
    for _ in range(simulations):
        sample, flagged = simulated(case, rng)
        rate = sample.share(lambda _, label: label == "wrong", mean=True)
        for name, found, value in zip(NAMES, (rate, false_correct(sample), bad_found(sample)), true, strict=True):
            known[name] += found is not None
            hits[name] += found is not None and found.low <= value <= found.high
        labels = min(case.labels, case.questions)
        low, high = jeffreys(int(rng.binomial(labels, case.bad)), labels)
        widths[0] += rate.high - rate.low if rate else 0.0
        widths[1] += high - low
        ends = wilson(flagged, case.questions)
        naive += ends[0] <= case.bad <= ends[1]
    return {name: hits[name] / known[name] for name in NAMES}, widths[0] / widths[1], naive / simulations


def rows(cases: list[Case], simulations: int) -> Iterator[str]:
    yield f"| bad | sensitivity, specificity | questions | labels | {' | '.join(NAMES)} | width | grader's own rate |"
    yield "|---" * (6 + len(NAMES)) + "|"
    for case in cases:
        covered, width, naive = measure(case, simulations)
        yield f"| {case} | {' | '.join(f'{covered[name]:.3f}' for name in NAMES)} | {width:.2f} | {naive:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="per case (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="a handful of the hardest cases")
    options = parser.parse_args()
    for row in rows(QUICK if options.quick else PLAIN + TOGETHER, options.simulations):
        print(row, flush=True)


if __name__ == "__main__":
    main()
