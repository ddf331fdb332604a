"""The two tiers of the local grader over many pairs: the quick one reads all, the strong one what that leaves open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from surefoot.graders.combine import Calibration, inputs_of, load_calibration, probabilities_of
from surefoot.graders.features import features, veto
from surefoot.graders.judging import Asked, Pair
from surefoot.graders.reading import (
    Probabilities,
    Reading,
    Sum,
    prepare,
    prepare_question,
    readable_claim,
    sum_up,
)
from surefoot.models.encoder import Encoder, encoder_of
from surefoot.text.alike import worded_alike
from surefoot.text.normal import spoken

_VETOED, _HELD = 0.2, 0.8


# From what the quick tier leaves open, by place, to the places that the strong one reads.
Again = Callable[[dict[int, float]], list[int]]


class Finding(Struct, frozen=True):
    """Calibrated probabilities, and the windows that decide for and against."""

    probabilities: Probabilities
    supporting: str
    opposing: str
    read: int
    skipped: int


class Answer(Struct, frozen=True):
    """How likely a passage answers a question, how much of it was read, and whether by the strong tier."""

    probability: float
    read: int
    skipped: int
    strong: bool


class _Task(Struct):
    """One pair on its way through the tiers."""

    reading: Reading
    features: list[float]
    veto: str
    by_window: list[Probabilities]
    quick: Sum
    probabilities: Probabilities = (0.0, 0.0, 0.0)

    def finding(self, reading: Reading, found: Sum) -> Finding:
        supporting, opposing = reading.windows[found.supporting], reading.windows[found.opposing]
        probabilities = _vetoed(self.probabilities, self.veto)
        return Finding(probabilities, supporting, opposing, self.reading.read, self.reading.skipped)

    def likeliest(self, most: int) -> list[int]:
        """The windows that, to the quick tier, say most about any part of the claim, for it or against."""
        size = len(self.reading.windows)
        telling = [max(1 - found[2] for found in self.by_window[place::size]) for place in range(size)]
        return sorted(range(size), key=lambda place: -telling[place])[:most]


class Tiers:
    def __init__(self, folder: Path) -> None:
        self.calibration: Calibration = load_calibration(folder)
        self._quick, self._strong = encoder_of(folder, "quick"), encoder_of(folder, "strong")

    def read(self, pairs: Sequence[Pair]) -> list[Finding]:
        """Pairs that can be read, judged by the tier that is sure of them."""
        tasks = self._read_quickly(pairs)
        findings = [task.finding(task.reading, task.quick) for task in tasks]
        low, high = self.calibration.quick_low, self.calibration.quick_high
        left_open = [place for place, task in enumerate(tasks) if low <= task.probabilities[0] <= high]
        for place, finding in zip(left_open, self._read_again([tasks[place] for place in left_open]), strict=True):
            findings[place] = finding
        return findings

    def load(self) -> None:
        for encoder in (self._quick, self._strong):
            encoder.load()

    def unknown_share(self, text: str) -> float:
        return self._quick.unknown_share(text)

    def answers(self, asked: Sequence[Asked], again: Again = list) -> list[Answer]:
        """The window that answers best counts; `again` says which of those left open the strong tier reads."""
        readings = [prepare_question(one, self._quick.offsets) for one in asked]
        found = self.calibration.answering("quick", self._answering(self._quick, readings))
        low, high = self.calibration.answers_low, self.calibration.answers_high
        chosen = again({place: probability for place, probability in enumerate(found) if low <= probability <= high})
        logits = self._answering(self._strong, [readings[place] for place in chosen])
        strong = dict(zip(chosen, self.calibration.answering("strong", logits), strict=True))
        return [
            Answer(strong.get(place, found[place]), reading.read, reading.skipped, place in strong)
            for place, reading in enumerate(readings)
        ]

    def _read_quickly(self, pairs: Sequence[Pair]) -> list[_Task]:
        pairs = [replace(pair, claim=worded_alike(pair.claim, pair.passage)) for pair in pairs]
        readings = [
            prepare(pair.passage, readable_claim(pair.claim, pair.context), self._quick.offsets) for pair in pairs
        ]
        tasks = [
            _Task(reading, *_counted(pair, reading), found, sum_up(reading, found))
            for pair, reading, found in zip(pairs, readings, _scored(self._quick, readings), strict=True)
        ]
        rows = [inputs_of(task.features, task.quick.probabilities) for task in tasks]
        for task, probabilities in zip(tasks, self.calibration.combined("quick", rows), strict=True):
            task.probabilities = probabilities
        return tasks

    def _read_again(self, tasks: list[_Task]) -> list[Finding]:
        most = self.calibration.strong_windows
        readings = [task.reading.narrowed(task.likeliest(most)) for task in tasks]
        sums = [sum_up(*both) for both in zip(readings, _scored(self._strong, readings), strict=True)]
        rows = [
            inputs_of(task.features, task.quick.probabilities, again.probabilities)
            for task, again in zip(tasks, sums, strict=True)
        ]
        for task, probabilities in zip(tasks, self.calibration.combined("strong", rows), strict=True):
            task.probabilities = probabilities
        return [task.finding(reading, found) for task, reading, found in zip(tasks, readings, sums, strict=True)]

    def _answering(self, encoder: Encoder, readings: Sequence[Reading]) -> list[float]:
        logits = iter(encoder.score([pair for reading in readings for pair in reading.pairs]).answers.tolist())
        return [max(next(logits) for _ in reading.pairs) for reading in readings]


def _vetoed(probabilities: Probabilities, veto: str) -> Probabilities:
    supported, contradicted, not_enough = probabilities
    if veto == "against":
        away = max(supported - _VETOED, 0.0)
        return supported - away, contradicted + away, not_enough
    if veto == "for" and supported < _HELD:
        share = (1 - _HELD) / (1 - supported)
        return _HELD, contradicted * share, not_enough * share
    return probabilities


@lru_cache(maxsize=2)
def tiers_of(folder: Path) -> Tiers:
    return Tiers(folder)


def _scored(encoder: Encoder, readings: Sequence[Reading]) -> list[list[Probabilities]]:
    """All pairs of all readings in one go, so that equal ones are read once and no core waits."""
    pairs = [(spoken(claim), spoken(window)) for reading in readings for claim, window in reading.pairs]
    found = iter(probabilities_of(encoder.score(pairs).support) if pairs else ())
    return [[next(found) for _ in reading.pairs] for reading in readings]


def _counted(pair: Pair, reading: Reading) -> tuple[list[float], str]:
    """Of the whole passage; of a document that is too long to be read whole, the part that is read."""
    passage = "\n".join(reading.windows) if reading.skipped else pair.passage
    return features(passage, pair.claim, pair.context), veto(passage, pair.claim, pair.context)
