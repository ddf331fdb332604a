"""What a team meets: the whole bundled gate on made-up pipelines, labelling what it asks for until it decides.

    python -m benchmarks.gate_team [--programmes N] [--jobs N]

130 questions, one in five not answerable, 3 runs of each version. 3 % of the answers are wrong and 3 % unsupported, on
fragile questions, one in ten. The grader finds 90 % of the bad answers (and takes one kind for the other now and then),
flags 3 % of the good ones, and is a little off on refusal quality and uncited claims. People label the 60 answers that
the gate asks for first, then what it asks for next, up to three times.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.types import Question, Trace, Verdict
from surefoot.gate.decide import Comparison, compare
from surefoot.gate.judge import Request
from surefoot.gate.rules import Rule
from surefoot.gate.sides import Run
from surefoot.io import gatefiles

GRADER = "grader@1"
RULES = [Rule.parse(text, name) for name, text in gatefiles.load("ship").items()]
BAD = ("wrong", "unsupported")
ROUNDS = 4
Truth = dict[str, str | int]  # by axis


class Setting(Struct, frozen=True, kw_only=True):
    questions: int = 130
    runs: int = 3
    rise: float = 0.0  # of wrong answers
    bad: float = 0.03  # of each kind, before the change
    fragile: float = 0.1
    reworded: float = 0.25


CELLS = (
    ("unchanged", Setting()),
    ("unchanged, every answer in other words each time", Setting(reworded=1.0)),
    ("unchanged, 5 runs of each", Setting(runs=5)),
    ("unchanged, 400 questions, 2 runs", Setting(questions=400, runs=2)),
    ("wrong rises by the margin", Setting(rise=0.03)),
    ("wrong rises by 6 points", Setting(rise=0.06)),
)


class World:
    """Two versions of a pipeline, and what is true of each of their answers."""

    def __init__(self, setting: Setting, seed: int) -> None:
        self.luck = luck = np.random.default_rng(seed)
        self.truth: dict[tuple[str, str], Truth] = {}  # by question and words
        self._graded: dict[tuple[str, str], list[Verdict]] = {}
        asked = [Question(f"q{n:03}", f"Question {n}?", "refusal" if n % 5 == 4 else "answer")
                 for n in range(setting.questions)]  # fmt: skip
        good = ["refused" if one.expects == "refusal" or luck.random() < 0.08 else "correct" for one in asked]
        fragile = luck.random(setting.questions) < setting.fragile
        newly = set(luck.choice(setting.questions, round(setting.rise * setting.questions), replace=False).tolist())
        share = setting.bad / setting.fragile
        self.sides: tuple[list[Run], list[Run]] = ([], [])
        for side, runs in enumerate(self.sides):
            for number in range(setting.runs):
                words = {}
                for n, question in enumerate(asked):
                    kind = str(luck.choice([good[n], *BAD], p=[1 - 2 * share, share, share])) if fragile[n] else good[n]
                    kind = "wrong" if side and n in newly else kind
                    told = kind if luck.random() >= setting.reworded else f"{kind} {side} {number}"
                    words[question.id] = told
                    self._grade(question.id, told, kind, good[n])
                runs.append(self._run(f"{side}-{number}", asked, words))

    def _grade(self, question: str, told: str, kind: str, good: str) -> None:
        if (question, told) in self.truth:
            return
        luck, seen = self.luck, kind
        if kind in BAD:
            other = BAD[1 - BAD.index(kind)]
            seen = str(luck.choice([kind, other, good], p=[0.81, 0.09, 0.1]))
        elif luck.random() > 0.97:
            seen = str(luck.choice(BAD))
        quality, claims = (
            int(luck.choice([1, 2, 3], p=[0.2, 0.3, 0.5])),
            int(luck.choice([0, 1, 2], p=[0.8, 0.15, 0.05])),
        )
        said = quality if luck.random() < 0.85 else int(luck.choice([1, 2, 3]))
        counted = claims if luck.random() < 0.9 else int(luck.choice([0, 1]))
        self.truth[question, told] = _axes(kind, quality, claims)
        self._graded[question, told] = [Verdict(question, axis, value, GRADER)
                                        for axis, value in _axes(seen, said, counted).items()]  # fmt: skip

    def _run(self, name: str, asked: Sequence[Question], words: dict[str, str]) -> Run:
        verdicts = [verdict for id, told in words.items() for verdict in self._graded[id, told]]
        traces = {(id, 1): Trace(id, answer=told) for id, told in words.items()}
        return Run(name, verdicts, {one.id: one for one in asked}, traces, graders=(GRADER,))

    def decide(self) -> Comparison:
        # Copies, because a run remembers what it has worked out.
        base, cand = ([replace(run) for run in runs] for runs in self.sides)
        return compare(base, cand, RULES, Request())

    def label(self, found: Comparison) -> int:
        runs = {run.name: run for side in self.sides for run in side}
        told = {(one.question_id, str(runs[one.run].traces[one.question_id, 1].answer)) for one in found.label_next}
        for run in runs.values():
            for key, trace in run.traces.items():
                if (key[0], str(trace.answer)) in told:
                    for axis, value in self.truth[key[0], str(trace.answer)].items():
                        run.labels[key, axis] = Verdict(key[0], axis, value, "human/ann")
                        run.drawn.add((key, axis))
        return len(told)


def _axes(kind: str, quality: int, claims: int) -> Truth:
    return {"factuality": kind} | ({"refusal_quality": quality} if kind == "refused" else {"extra_claim_count": claims})


def rounds(setting: Setting, seed: int) -> list[tuple[str, int]]:
    """After the first labels, and after each of those asked for then: the outcome, and all labels so far."""
    world, labels, found = World(setting, seed), 0, []
    for _ in range(ROUNDS + 1):
        comparison = world.decide()
        found.append((comparison.decision.outcome, labels))
        if comparison.decision.outcome != "INCONCLUSIVE" or not comparison.label_next:
            break
        labels += world.label(comparison)
    return [found[min(n, len(found) - 1)] for n in range(1, ROUNDS + 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programmes", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    print("| | labels | SHIP | BLOCK | in the end: labels | SHIP | BLOCK |\n|---|---|---|---|---|---|---|", flush=True)
    with ProcessPoolExecutor(given.jobs) as pool:
        for name, setting in CELLS:
            found = list(pool.map(partial(rounds, setting), range(given.programmes), chunksize=2))
            cells = []
            for place in (0, -1):
                ends = Counter(one[place][0] for one in found)
                labels = sum(one[place][1] for one in found) / len(found)
                cells += [f"{labels:.0f}", *(f"{ends[end] / len(found):.2f}" for end in ("SHIP", "BLOCK"))]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
