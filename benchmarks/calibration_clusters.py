"""Do the intervals hold the truth where answers go together: attempts at one question, questions on one document?

    python benchmarks/calibration_clusters.py [--simulations N]

Documents differ in how often answers on them are bad and in how often the grader misreads them, with a correlation of
0.3 or none; attempts at one question are right or wrong together. People label what the label page would put before
them, or everything. Counted is how often the 95 % intervals hold the truth; in brackets, how often they would if every
answer were to a question of its own, on a document of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from surefoot.calibration.answers import FACTUALITY, Answer
from surefoot.calibration.confusion import Confusion, Kind, confusion_of
from surefoot.calibration.estimates import accepted_but_bad, corrected, good_or_bad, kappa_of, only, sensitivity_of
from surefoot.core import rubric

MISSED, FALSE_ALARM = 0.2, 0.1
WITHIN = {"acceptable": {"correct": 0.75, "refused": 0.25}, "bad": {"wrong": 0.6, "unsupported": 0.4}}
SIMULATIONS = 400
AXIS = next(axis for axis in rubric.load().axes if axis.name == FACTUALITY)
NAMES = ("accepted but bad", "bad caught", "rate of wrong", "kappa")


class Case(NamedTuple):
    documents: int
    questions: int  # on each
    attempts: int = 1  # at each
    labels: int = 80
    bad: float = 0.2
    icc: float = 0.0

    def __str__(self) -> str:
        labels = "all" if self.labels >= self.answers else str(self.labels)
        return f"| {self.documents} x {self.questions} x {self.attempts} | {labels} | {self.bad:g} | {self.icc:g} |"

    @property
    def answers(self) -> int:
        return self.documents * self.questions * self.attempts


CASES = [
    Case(20, 10, labels=80, icc=0.3),
    Case(20, 10, labels=200, icc=0.3),
    Case(20, 10, labels=100, bad=0.1, icc=0.3),
    Case(40, 5, labels=100, icc=0.3),
    Case(20, 10, labels=80),
    Case(200, 1, labels=80),
    Case(200, 1, labels=200),
    Case(200, 1, labels=100, bad=0.1),
    Case(20, 1, 10, labels=100),
    Case(130, 1, 3, labels=200),
]


def simulated(case: Case, generator: np.random.Generator) -> list[Answer]:
    """Truth and verdict of each question, the same for all attempts at it, and the labels of a queue."""
    bad, missed, alarmed = (_by_document(case, rate, generator) for rate in (case.bad, MISSED, FALSE_ALARM))
    rows = []
    for document in range(case.documents):
        for question in range(case.questions):
            truth = "bad" if generator.random() < bad[document] else "acceptable"
            errs = generator.random() < (missed if truth == "bad" else alarmed)[document]
            label = _one_of(truth, generator)
            verdict = _one_of("acceptable" if truth == "bad" else "bad", generator) if errs else label
            rows += [
                (f"d{document}", f"d{document}q{question}", attempt, verdict, label) for attempt in range(case.attempts)
            ]
    order = generator.permutation(len(rows))
    flagged = [at for at in order if good_or_bad(rows[at][3]) == "bad"]
    others = [at for at in order if good_or_bad(rows[at][3]) != "bad"]
    first = flagged[: max(case.labels // 2, case.labels - len(others))]
    asked = {*first, *others[: case.labels - len(first)]}
    return [
        Answer(question, attempt, verdict, label if at in asked else None, document=document)
        for at, (document, question, attempt, verdict, label) in enumerate(rows)
    ]


def _by_document(case: Case, rate: float, generator: np.random.Generator) -> np.ndarray:
    if not case.icc:
        return np.full(case.documents, rate)
    spread = 1 / case.icc - 1
    return generator.beta(rate * spread, (1 - rate) * spread, case.documents)


def _one_of(kind: str, generator: np.random.Generator) -> str:
    return str(generator.choice(list(WITHIN[kind]), p=list(WITHIN[kind].values())))


def truth(case: Case) -> dict[str, float]:
    """Shares of the whole of which the simulated answers are a sample."""
    kinds = {"bad": case.bad, "acceptable": 1 - case.bad}
    right = {"bad": 1 - MISSED, "acceptable": 1 - FALSE_ALARM}
    both = sum(kinds[kind] * right[kind] for kind in kinds)
    said = {"bad": case.bad * (1 - MISSED) + (1 - case.bad) * FALSE_ALARM}
    said["acceptable"] = 1 - said["bad"]
    chance = sum(kinds[kind] * said[kind] * sum(share**2 for share in WITHIN[kind].values()) for kind in kinds)
    values = (case.bad * MISSED / said["acceptable"], 1 - MISSED, case.bad * 0.6, (both - chance) / (1 - chance))
    return dict(zip(NAMES, values, strict=True))


def held(answers: Sequence[Answer], true: Mapping[str, float]) -> dict[str, bool | None]:
    """Whether the intervals hold the truth; None where there is none."""
    two = _table(answers, good_or_bad)
    said = (
        accepted_but_bad(two),
        sensitivity_of(two),
        corrected(_table(answers, only("wrong")), "wrong"),
        kappa_of(_table(answers)),
    )
    return {
        name: None if one is None or one.low is None or one.high is None else one.low <= true[name] <= one.high
        for name, one in zip(NAMES, said, strict=True)
    }


def _table(answers: Sequence[Answer], kind: Kind = str) -> Confusion:
    return confusion_of(answers, AXIS, kind)


def apart(answers: Sequence[Answer]) -> list[Answer]:
    return [answer._replace(question_id=f"{at}", document="", attempt=1) for at, answer in enumerate(answers)]


def rows(simulations: int) -> Iterator[str]:
    yield f"| documents x questions x attempts | labels | bad | correlation | {' | '.join(NAMES)} |"
    yield "|---" * (4 + len(NAMES)) + "|"
    for case in CASES:
        generator, true = np.random.default_rng(1), truth(case)
        runs = [simulated(case, generator) for _ in range(simulations)]
        as_one = [held(run, true) for run in runs]
        as_many = as_one if case.answers == case.documents else [held(apart(run), true) for run in runs[::4]]
        cells = (f"{_share(as_one, name)} ({_share(as_many, name)})" for name in NAMES)
        yield f"{case} {' | '.join(cells)} |"


def _share(found: Sequence[Mapping[str, bool | None]], name: str) -> str:
    known = [one[name] for one in found if one[name] is not None]
    return f"{sum(map(bool, known)) / len(known):.3f}" if known else "-"


def show(simulations: int) -> None:
    print("\nAnswers that go together: coverage (and if they were taken for independent)\n")
    for row in rows(simulations):
        print(row, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="per case (default: %(default)s)")
    show(parser.parse_args().simulations)
    return 0


if __name__ == "__main__":
    sys.exit(main())
