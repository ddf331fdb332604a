"""The two tiers of the local grader over many pairs: the quick one reads all, the strong one what that leaves open.

`calibration.json` holds what was fitted: per tier small boosted trees that make calibrated probabilities of what the
model says and of the features they name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from surefoot.core.errors import Incomplete
from surefoot.core.types import Support
from surefoot.graders.encoder import Encoder, encoder_of
from surefoot.graders.features import (
    FEATURE_NAMES,
    Answered,
    Probabilities,
    Reading,
    Sum,
    features,
    prepare,
    prepare_question,
    readable_claim,
    sum_up,
)
from surefoot.graders.figures import worded_as
from surefoot.graders.judges import Pair
from surefoot.graders.local import verified
from surefoot.text.normal import spoken

LABELS: tuple[Support, Support, Support] = ("supported", "contradicted", "not_enough")
Floats = NDArray[np.float64]
_SMALLEST = 1e-6
_ROWS_AT_ONCE = 1_000


def input_names(tier: str) -> tuple[str, ...]:
    """What a combiner may name: probabilities and their logarithms by tier, and the features."""
    tiers = ("quick", "strong") if tier == "strong" else ("quick",)
    return tuple(f"{one}_{kind}{label}" for one in tiers for kind in ("", "log_") for label in LABELS) + FEATURE_NAMES


def inputs_of(features: Sequence[float], *by_tier: Probabilities) -> list[float]:
    """One row of inputs in the order of `input_names`; the quick tier first."""
    row: list[float] = []
    for probabilities in by_tier:
        row += probabilities
        row += [float(np.log(max(value, _SMALLEST))) for value in probabilities]
    return [*row, *features]


class Tree(Struct, frozen=True, forbid_unknown_fields=True):
    """Nodes in parallel lists; a node whose feature is below 0 is a leaf. A row goes left if it is at most the
    threshold."""

    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]


class Trees(Struct, frozen=True, forbid_unknown_fields=True):
    """Small boosted trees that say how likely a claim is supported."""

    inputs: list[str]
    base: float
    trees: list[Tree]

    @property
    def splits_on(self) -> frozenset[str]:
        """The inputs that decide something; others may be named that are not counted any more."""
        return frozenset(self.inputs[place] for tree in self.trees for place in tree.feature if place >= 0)

    def supported(self, rows: Floats) -> Floats:
        margins: Floats = np.full(len(rows), self.base)
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            for values in self._values(rows[start : start + _ROWS_AT_ONCE]) if self.trees else ():
                margins[start : start + _ROWS_AT_ONCE] += values
        return _sigmoid(margins)

    def _values(self, rows: Floats) -> Floats:
        """What each tree makes of each row. All go down all trees at once: numpy costs by the call."""
        lists = [(one.feature, one.threshold, one.left, one.right, one.value) for one in self.trees]
        most = max(len(tree.feature) for tree in self.trees)
        feature, threshold, left, right, value = (
            np.array([[*nodes, *[-1] * (most - len(nodes))] for nodes in kind]) for kind in zip(*lists, strict=True)
        )
        tree, everyone = np.arange(len(self.trees))[:, None], np.arange(len(rows))
        at = np.zeros((len(self.trees), len(rows)), dtype=np.int64)
        for _ in range(most):  # no path is longer
            inner = feature[tree, at] >= 0
            goes_left = rows[everyone, np.maximum(feature[tree, at], 0)] <= threshold[tree, at]
            at = np.where(inner, np.where(goes_left, left[tree, at], right[tree, at]), at)
        found: Floats = value[tree, at]
        return found


class TierFit(Struct, frozen=True):
    combiner: Trees
    answers_temperature: float
    answers_bias: float


class Calibration(Struct, frozen=True):
    """What the weights were fitted to: who reads what, and from where on a label is given."""

    quick: TierFit
    strong: TierFit
    quick_low: float  # between these two of p(supported) the strong tier reads
    quick_high: float
    supported_from: float
    contradicted_from: float  # share of contradicted in what is not supported
    answers_low: float  # from here on the strong tier reads whether a passage answers a question
    strong_windows: int

    def combined(self, tier: Literal["quick", "strong"], rows: Sequence[Sequence[float]]) -> list[Probabilities]:
        """Calibrated probabilities of rows made by `inputs_of`; what is not supported is split as the model says."""
        if not rows:
            return []
        fit: TierFit = getattr(self, tier)
        names, table = input_names(tier), np.array(rows, dtype=np.float64)
        columns = [names.index(name) if name in names else 0 for name in fit.combiner.inputs]
        supported = fit.combiner.supported(table[:, columns])
        against, silent = (table[:, names.index(f"{tier}_{label}")] for label in LABELS[1:])
        share = against / np.maximum(against + silent, _SMALLEST)
        split = np.column_stack([supported, (1 - supported) * share, (1 - supported) * (1 - share)])
        return [(row[0], row[1], row[2]) for row in split.tolist()]

    def answering(self, tier: Literal["quick", "strong"], logits: Sequence[float]) -> list[float]:
        fit: TierFit = getattr(self, tier)
        margins = np.array(logits, dtype=np.float64) / fit.answers_temperature + fit.answers_bias
        found: list[float] = _sigmoid(margins).tolist()
        return found

    def label(self, probabilities: Probabilities) -> tuple[Support, float]:
        """The label with its probability."""
        supported, contradicted, not_enough = probabilities
        place = 0 if supported >= self.supported_from else 2
        if place and contradicted >= self.contradicted_from * (contradicted + not_enough):
            place = 1
        return LABELS[place], probabilities[place]


def load_calibration(folder: Path) -> Calibration:
    path = verified(folder / "calibration.json")
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Calibration)
    except msgspec.MsgspecError as error:
        raise Incomplete(f"{path}: {error}", "install surefoot again") from error
    for tier in ("quick", "strong"):
        unknown = getattr(found, tier).combiner.splits_on - set(input_names(tier))
        if unknown:
            raise Incomplete(f"{path}: {tier} names an unknown input {sorted(unknown)[0]!r}", "install surefoot again")
    return found


def _sigmoid(margins: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-np.clip(margins, -500, 500)))
    return found


def probabilities_of(logits: Floats) -> list[Probabilities]:
    """Softmax, row by row."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    found = (shifted / shifted.sum(axis=1, keepdims=True)).tolist()
    return [(row[0], row[1], row[2]) for row in found]


# From what the quick tier leaves open, by place, to the places that the strong one reads.
Again = Callable[[dict[int, float]], list[int]]


class Finding(Struct, frozen=True):
    """Calibrated probabilities, and the windows that decide for and against."""

    probabilities: Probabilities
    supporting: str
    opposing: str
    part_read: str  # of a context that is too long to be read whole


class _Task(Struct):
    """One pair on its way through the tiers."""

    reading: Reading
    features: list[float]
    by_window: list[Probabilities]
    quick: Sum
    probabilities: Probabilities = (0.0, 0.0, 0.0)

    def finding(self, reading: Reading, found: Sum) -> Finding:
        supporting, opposing = reading.windows[found.supporting], reading.windows[found.opposing]
        return Finding(self.probabilities, supporting, opposing, self.reading.part_read("context"))

    def is_open(self, calibration: Calibration) -> bool:
        """The strong tier may say something else than the quick one."""
        supported = self.probabilities[0]
        return calibration.quick_low <= supported <= calibration.quick_high

    def has_more(self, calibration: Calibration) -> bool:
        """Windows beyond the first that may say what that one does not."""
        return self.probabilities[0] < calibration.supported_from and len(self.reading.windows) > 1

    def likeliest(self, most: int) -> list[int]:
        """The windows that, to the quick tier, say most about any part of the claim, for it or against."""
        size = len(self.reading.windows)
        evidence = [max(1 - found[2] for found in self.by_window[place::size]) for place in range(size)]
        return sorted(range(size), key=lambda place: -evidence[place])[:most]


class Tiers:
    def __init__(self, folder: Path) -> None:
        self.calibration: Calibration = load_calibration(folder)
        self._quick, self._strong = encoder_of(folder, "quick"), encoder_of(folder, "strong")

    def read(self, pairs: Sequence[Pair]) -> list[Finding]:
        """Pairs that can be read, judged by the tier that is sure of them."""
        tasks = self._read_quickly(pairs)
        findings = [task.finding(task.reading, task.quick) for task in tasks]
        left_open = [place for place, task in enumerate(tasks) if task.is_open(self.calibration)]
        for place, finding in zip(left_open, self._read_again([tasks[place] for place in left_open]), strict=True):
            findings[place] = finding
        return findings

    def load(self) -> None:
        for encoder in (self._quick, self._strong):
            encoder.load()

    def unknown_share(self, text: str) -> float:
        return self._quick.unknown_share(text)

    def answers(self, asked: Sequence[Pair], again: Again = list) -> list[Answered]:
        """The window that answers best counts; `again` says which of those left open the strong tier reads."""
        readings = [prepare_question(one, self._quick.offsets) for one in asked]
        found = self.calibration.answering("quick", _highest(self._quick, readings, "answers"))
        low = self.calibration.answers_low
        chosen = again({place: probability for place, probability in enumerate(found) if probability >= low})
        logits = _highest(self._strong, [readings[place] for place in chosen], "answers")
        strong = dict(zip(chosen, self.calibration.answering("strong", logits), strict=True))
        return [
            Answered(strong.get(place, found[place]), reading.part_read("passage"), place in strong)
            for place, reading in enumerate(readings)
        ]

    def unsafe(self, said: Sequence[Pair]) -> list[bool]:
        """Whether some window of an answer does harm; the strong tier reads those that the quick one does not pass."""
        readings = [prepare_question(one, self._quick.offsets) for one in said]
        doubtful = [place for place, logit in enumerate(_highest(self._quick, readings, "unsafe")) if logit > 0]
        again = _highest(self._strong, [readings[place] for place in doubtful], "unsafe")
        found = {place for place, logit in zip(doubtful, again, strict=True) if logit > 0}
        return [place in found for place in range(len(said))]

    def _read_quickly(self, pairs: Sequence[Pair]) -> list[_Task]:
        pairs = [replace(pair, claim=worded_as(pair.claim, pair.passage)) for pair in pairs]
        readings = [
            prepare(pair.passage, readable_claim(pair.claim, pair.context), self._quick.offsets) for pair in pairs
        ]
        tasks = [
            _Task(reading, _counted(pair, reading), found, sum_up(reading, found))
            for pair, reading, found in zip(pairs, readings, _scored(self._quick, readings), strict=True)
        ]
        rows = [inputs_of(task.features, task.quick.probabilities) for task in tasks]
        for task, probabilities in zip(tasks, self.calibration.combined("quick", rows), strict=True):
            task.probabilities = probabilities
        return tasks

    def _read_again(self, tasks: list[_Task]) -> list[Finding]:
        """The likeliest window and the digest; the other windows where these do not support the claim."""
        found = self._read_strongly(tasks, 1)
        further = [place for place, task in enumerate(tasks) if task.has_more(self.calibration)]
        again = self._read_strongly([tasks[place] for place in further], self.calibration.strong_windows)
        for place, finding in zip(further, again, strict=True):
            found[place] = finding
        return found

    def _read_strongly(self, tasks: list[_Task], most: int) -> list[Finding]:
        readings = [task.reading.narrowed(task.likeliest(most)) for task in tasks]
        sums = [sum_up(*both) for both in zip(readings, _scored(self._strong, readings), strict=True)]
        rows = [
            inputs_of(task.features, task.quick.probabilities, again.probabilities)
            for task, again in zip(tasks, sums, strict=True)
        ]
        for task, probabilities in zip(tasks, self.calibration.combined("strong", rows), strict=True):
            task.probabilities = probabilities
        return [task.finding(reading, found) for task, reading, found in zip(tasks, readings, sums, strict=True)]


@lru_cache(maxsize=2)
def tiers_of(folder: Path) -> Tiers:
    return Tiers(folder)


def _scored(encoder: Encoder, readings: Sequence[Reading]) -> list[list[Probabilities]]:
    """All pairs of all readings in one go, so that equal ones are read once and no core waits."""
    pairs = [(spoken(claim), spoken(window)) for reading in readings for claim, window in reading.pairs]
    found = iter(probabilities_of(encoder.score(pairs).support) if pairs else ())
    return [[next(found) for _ in reading.pairs] for reading in readings]


def _highest(encoder: Encoder, readings: Sequence[Reading], head: Literal["answers", "unsafe"]) -> list[float]:
    """Of all windows of a text."""
    scores = encoder.score([pair for reading in readings for pair in reading.pairs])
    logits = iter(getattr(scores, head).tolist())
    return [max(next(logits) for _ in reading.pairs) for reading in readings]


def _counted(pair: Pair, reading: Reading) -> list[float]:
    """Of the whole passage; of a document that is too long to be read whole, the part that is read."""
    passage = "\n".join(reading.windows) if reading.skipped else pair.passage
    return features(passage, pair.claim, pair.context, reading.among)
