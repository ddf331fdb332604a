"""The systems that are measured: each gives probabilities for (passage, claim) pairs and (question, passage) pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from msgspec import Struct

from grader_stats import Bools, Floats, best_threshold
from surefoot.graders.judges import Judge, Judgement, Pair
from surefoot.graders.local import LocalJudge
from surefoot.graders.rules import Rules

LABELS = ("supported", "contradicted", "not_enough")
Asked = tuple[str, str]  # question, passage
_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(
    _WORD.findall(
        """a an and any are as at be been but by can did do does for from had has have he her his how i if in into is it
        its may must no not of on or our shall she should so such than that the their them then there these they this
        to was we were what when where which who whom whose why will with would you your"""
    )
)


class Scored(Struct, frozen=True):
    """Probability of support; three-way labels where the system has them; which pairs it did not grade."""

    supported: Floats
    said: Bools
    labels: list[str | None] | None = None
    raw: Floats | None = None
    ungraded: int = 0
    left_open: int = 0


class System(Protocol):
    name: str

    def support(self, pairs: Sequence[Pair]) -> Scored: ...

    def answers(self, asked: Sequence[Asked]) -> tuple[Floats, Bools] | None: ...


class Similarity:
    """A score with thresholds fitted once, on rows that are not held out."""

    def __init__(self, name: str, score: Callable[[Sequence[tuple[str, str]]], Floats]) -> None:
        self.name = name
        self._score = score
        self._cut, self._answer_cut = 0.5, 0.5

    def fit(self, pairs: Sequence[Pair], truth: Bools, asked: Sequence[Asked], answered: Bools) -> None:
        """Rows are given in equal numbers per source, so that none drowns the others."""
        if len(pairs):
            self._cut = best_threshold(truth, self.support(pairs).supported)
        if len(asked):
            self._answer_cut = best_threshold(answered, self._score(asked))

    def support(self, pairs: Sequence[Pair]) -> Scored:
        scores = self._score([(pair.claim, pair.passage) for pair in pairs])
        return Scored(scores, scores >= self._cut)

    def answers(self, asked: Sequence[Asked]) -> tuple[Floats, Bools]:
        scores = self._score(asked)
        return scores, scores >= self._answer_cut


def words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in _STOP}


def overlap_of(pairs: Sequence[tuple[str, str]]) -> Floats:
    """The share of the first text's content words, numbers among them, that the second one has."""
    found: list[float] = []
    seen: dict[str, set[str]] = {}
    for short, long in pairs:
        own = words(short)
        if long not in seen:
            seen[long] = words(long)
        found.append(len(own & seen[long]) / len(own) if own else 0.0)
    return np.array(found)


class Judged:
    """Any judge of the package. Its own label is its decision; what it leaves open, the likelier side decides."""

    def __init__(self, name: str, judge: Judge, answerer: Any = None) -> None:  # noqa: ANN401
        self.name = name
        self._judge = judge
        self._answerer = answerer

    def support(self, pairs: Sequence[Pair]) -> Scored:
        judged = self._judge.judge(pairs)
        labels = [label_of(one) for one in judged]
        raw = [0.5 if label is None else _raw_of(one) for one, label in zip(judged, labels, strict=True)]
        return Scored(
            supported=np.array([supported_of(one) for one in judged]),
            said=np.array([label == "supported" for label in labels]),
            labels=labels,
            raw=None if None in raw else np.array(raw, dtype=float),
            ungraded=sum(label is None for label in labels),
            left_open=sum(one.label is None and label is not None for one, label in zip(judged, labels, strict=True)),
        )

    def answers(self, asked: Sequence[Asked]) -> tuple[Floats, Bools] | None:
        if self._answerer is None:
            return None
        found = self._answerer.answers([Pair(passage, question) for question, passage in asked])
        read = [one.probability for one in found]
        scores = np.array([0.5 if p is None else p for p in read], dtype=float)
        return scores, np.array([p is not None and p >= 0.5 for p in read])


def label_of(judgement: Judgement) -> str | None:
    """The label; the likeliest one where the judge was not sure enough; None where it did not read the pair."""
    if judgement.label is not None or judgement.probabilities is None:
        return judgement.label
    return LABELS[int(np.argmax(judgement.probabilities))]


def supported_of(judgement: Judgement) -> float:
    """The probability of support; from label and confidence where a judge gives no more; .5 where it did not read."""
    if judgement.probabilities is not None:
        return float(judgement.probabilities[0])
    if judgement.label is None:
        return 0.5
    sure = judgement.confidence
    return sure if judgement.label == "supported" else (1 - sure) / 2


def _raw_of(judgement: Judgement) -> float | None:
    given = getattr(judgement, "raw", None)  # probabilities before calibration, from a judge that keeps them
    return None if given is None else float(given[0])


def rules() -> Judged:
    return Judged("rules", Rules())


def local(folder: Path | None = None) -> Judged:
    """The default grader, or the same one with models from a folder (full precision, to see what int8 costs)."""
    judge = LocalJudge(folder)
    return Judged("local" if folder is None else "local-fp32", judge, judge)


def cosine(folder: Path) -> Similarity:
    from grader_cosine import Encoder

    return Similarity("cosine", Encoder(folder).similarity)


def overlap() -> Similarity:
    return Similarity("overlap", overlap_of)
