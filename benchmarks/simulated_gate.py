"""The gate itself, on made-up pipelines.

Most questions are answered alike in every run, one in ten now and then wrong. The grader finds most wrong answers and
raises few false alarms. People label what it flags first, then others by lot.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.table import BUCKETS
from surefoot.gate.change import Answer, Draws, Evidence, Occurrence, draw
from surefoot.gate.judge import spent
from surefoot.gate.metrics import Value
from surefoot.gate.next_steps import MOST_LABELS, in_doubt

Outcome = Literal["SHIP", "BLOCK", "INCONCLUSIVE"]
_WORTH: dict[Value, float] = {bucket: float(bucket == "wrong") for bucket in BUCKETS}


class Setting(Struct, frozen=True, kw_only=True):
    """A pipeline, its change, and what people do about it."""

    questions: int = 130
    runs: int = 3  # of each version
    labels: int = 80
    wrong: float = 0.03  # before the change
    rise: float = 0.0
    sensitivity: float = 0.9
    specificity: float = 0.97
    sees_rise: bool = True  # False: what is newly wrong looks right to the grader
    fragile: float = 0.1  # questions that are wrong in some runs and right in others
    reworded: float = 0.25  # answers that are told in other words than in other runs
    margin: float = 0.03
    rules: int = 5  # against the baseline, as the bundled gate has: each may block by a part of alpha
    label_side: int | None = None  # 1: only the candidate's answers are labelled


class Programme(Struct):
    """One made-up pair of versions: what was answered, what is true of it, and how far the true rates lie apart."""

    setting: Setting
    evidence: Evidence
    truth: list[str]
    rise: float

    def labelled(self, chosen: Collection[int]) -> None:
        answers = [
            replace(one, label=self.truth[n], drawn=True) if n in chosen else one
            for n, one in enumerate(self.evidence.answers)
        ]
        self.evidence = replace(self.evidence, answers=answers)


def programme(setting: Setting, seed: int) -> Programme:
    """A pair of versions, with the labels that people give first."""
    luck = np.random.default_rng(seed)
    before = _rates(setting, luck)
    after = before.copy()
    sound = np.flatnonzero(before == 0)
    newly = set(luck.choice(sound, min(len(sound), round(setting.rise * setting.questions)), replace=False).tolist())
    after[list(newly)] = 1.0
    known: dict[tuple[object, ...], int] = {}
    sides: list[set[int]] = []
    verdicts: list[str] = []
    truth: list[str] = []
    occurrences: list[Occurrence] = []
    for question in range(setting.questions):
        for side, chance in ((0, before[question]), (1, after[question])):
            for run in range(setting.runs):
                wrong = bool(luck.random() < chance)
                key: tuple[object, ...] = (question, wrong)
                key = (*key, side, run) if luck.random() < setting.reworded else key
                if key not in known:
                    finds = setting.sensitivity if setting.sees_rise or not (side and question in newly) else 0.0
                    flagged = luck.random() < (finds if wrong else 1 - setting.specificity)
                    known[key] = len(truth)
                    truth.append("wrong" if wrong else "correct")
                    verdicts.append("wrong" if flagged else "correct")
                    sides.append(set())
                sides[known[key]].add(side)
                occurrences.append(Occurrence(question, side, known[key]))
    answers = [
        Answer(f"{number:06}", min(side) if len(side) == 1 else None, verdict)
        for number, (side, verdict) in enumerate(zip(sides, verdicts, strict=True))
    ]
    evidence = Evidence(answers, occurrences, setting.questions, _WORTH, (setting.runs, setting.runs))
    made = Programme(setting, evidence, truth, float((after - before).mean()))
    made.labelled(_first_labels(made, luck))
    return made


def _rates(setting: Setting, luck: np.random.Generator) -> np.typing.NDArray[np.float64]:
    """How often each question is answered wrongly."""
    fragile = luck.random(setting.questions) < setting.fragile
    return np.where(fragile, min(1.0, setting.wrong / setting.fragile), 0.0)


def _first_labels(made: Programme, luck: np.random.Generator) -> set[int]:
    side, answers = made.setting.label_side, made.evidence.answers
    order = [int(n) for n in luck.permutation(len(answers)) if side is None or answers[n].side in (None, side)]
    flagged = [n for n in order if answers[n].verdict == "wrong"][: made.setting.labels // 2]
    others = [n for n in order if answers[n].verdict != "wrong"][: made.setting.labels - len(flagged)]
    return {*flagged, *others}


def decided(draws: Draws, setting: Setting, look: int = 1) -> Outcome:
    """By the rule `wrong <= baseline`, one of several."""
    alpha = spent(look)
    if draws.quantile(alpha / setting.rules) > 0:
        return "BLOCK"
    return "SHIP" if draws.quantile(1 - alpha) <= setting.margin else "INCONCLUSIVE"


def outcome_of(setting: Setting, seed: int, *, more_labels: bool = False) -> Outcome:
    made = programme(setting, seed)
    draws = draw(made.evidence)
    outcome = decided(draws, setting)
    if outcome == "INCONCLUSIVE" and more_labels:
        made.labelled(in_doubt(made.evidence.answers, draws)[:MOST_LABELS])
        outcome = decided(draw(made.evidence), setting)
    return outcome
