"""Do the intervals hold the truth where questions are asked several times?

    python benchmarks/calibration_repeats.py [--simulations N]

Attempts at one question may be right or wrong together. A grader that errs, by question or by attempt, gives verdicts
on all answers, people label half of them or all, and `calibrate` makes its intervals. Counted is how often these hold
the truth; in brackets, how often they would if every attempt were a question of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from surefoot import rubric
from surefoot.calibration.axes import calibrate_axis
from surefoot.calibration.joining import FACTUALITY, Answer

RATE, SENSITIVITY, SPECIFICITY = 0.2, 0.8, 0.9
SIMULATIONS = 400
NAMES = ("rate of wrong", "kappa", "sensitivity", "specificity")
_AXIS = next(axis for axis in rubric.load().axes if axis.name == FACTUALITY)


class Case(NamedTuple):
    questions: int
    attempts: int
    labelled: float
    truth_by_question: bool
    errs_by_question: bool

    def __str__(self) -> str:
        by = ["question" if one else "attempt" for one in (self.truth_by_question, self.errs_by_question)]
        share = "all" if self.labelled == 1 else "half"
        return f"| {self.questions} x {self.attempts} | {share} | by {by[0]} | by {by[1]} |"


CASES = [
    Case(questions, attempts, labelled, truth, errs)
    for questions, attempts in ((20, 10), (130, 3))
    for labelled, truth, errs in ((0.5, True, True), (0.5, True, False), (1.0, True, False), (0.5, False, False))
]


def simulated(case: Case, generator: np.random.Generator) -> list[Answer]:
    def drawn(by_question: bool) -> np.ndarray:
        shape = (case.questions, 1 if by_question else case.attempts)
        return np.broadcast_to(generator.random(shape), (case.questions, case.attempts))

    wrong, luck = drawn(case.truth_by_question) < RATE, drawn(case.errs_by_question)
    flagged = np.where(wrong, luck < SENSITIVITY, luck >= SPECIFICITY)
    asked = generator.random(wrong.shape) < case.labelled
    return [
        _answer(f"q{q}", 1 + k, bool(flagged[q, k]), bool(wrong[q, k]), bool(asked[q, k]))
        for q in range(case.questions)
        for k in range(case.attempts)
    ]


def _answer(question: str, attempt: int, flagged: bool, wrong: bool, labelled: bool) -> Answer:
    verdict, label = ("wrong" if one else "correct" for one in (flagged, wrong))
    return Answer(question, attempt, verdict, label if labelled else None, {"anna": label} if labelled else {})


def truth() -> dict[str, float]:
    both = RATE * SENSITIVITY + (1 - RATE) * SPECIFICITY
    flagged = RATE * SENSITIVITY + (1 - RATE) * (1 - SPECIFICITY)
    by_chance = flagged * RATE + (1 - flagged) * (1 - RATE)
    values = (RATE, (both - by_chance) / (1 - by_chance), SENSITIVITY, SPECIFICITY)
    return dict(zip(NAMES, values, strict=True))


def held(answers: list[Answer], true: Mapping[str, float]) -> dict[str, bool | None]:
    """Whether the intervals hold the truth; None where there is none."""
    found = calibrate_axis(answers, _AXIS)
    bucket = found.per_bucket["wrong"]
    said = (found.corrected["wrong"], found.kappa, bucket.sensitivity, bucket.specificity)
    return {
        name: None if one is None or one.low is None or one.high is None else one.low <= true[name] <= one.high
        for name, one in zip(NAMES, said, strict=True)
    }


def apart(answers: Sequence[Answer]) -> list[Answer]:
    return [answer._replace(question_id=f"{at}", attempt=1) for at, answer in enumerate(answers)]


def rows(simulations: int) -> Iterator[str]:
    true = truth()
    for case in CASES:
        generator = np.random.default_rng(1)
        runs = [simulated(case, generator) for _ in range(simulations)]
        as_one = [held(run, true) for run in runs]
        as_many = [held(apart(run), true) for run in runs]
        cells = (f"{_share(as_one, name)} ({_share(as_many, name)})" for name in NAMES)
        yield f"{case} {' | '.join(cells)} |"


def _share(found: Sequence[Mapping[str, bool | None]], name: str) -> str:
    known = [one[name] for one in found if one[name] is not None]
    return f"{sum(map(bool, known)) / len(known):.3f}" if known else "-"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    simulations = max(1, parser.parse_args().simulations)
    print(f"| questions x attempts | labelled | truth | grader errs | {' | '.join(NAMES)} |")
    print("|---" * (4 + len(NAMES)) + "|")
    for row in rows(simulations):
        print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
