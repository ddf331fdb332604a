"""Answers counted as they stand: how many are in which bucket, and which of them moved. None of it decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, get_args

from surefoot.core.table import ACCEPTABLE, BUCKETS
from surefoot.core.types import Question
from surefoot.gate.metrics import UNGRADED
from surefoot.gate.sides import Said, Side, SideName

Counted = dict[str, int]
Turn = Literal["became bad", "not graded", "bad in both", "other change", "became acceptable", "as before"]
_TURNS: tuple[Turn, ...] = get_args(Turn)  # the worst first
Asked = Mapping[str, Question | None]


class Pair(NamedTuple):
    """An answer of the baseline beside one of the candidate to the same question."""

    question_id: str
    attempt: int  # which of them it is, where there are several
    question: Question | None
    base: Said
    cand: Said

    def side(self, name: SideName) -> Said:
        return self.base if name == "base" else self.cand

    @property
    def stratum(self) -> str:
        return self.question.stratum if self.question else ""

    @property
    def has_moved(self) -> bool:
        return self.base.bucket != self.cand.bucket

    @property
    def turn(self) -> Turn:
        """What became of the answer for whoever reads it."""
        if self.cand.bucket is None:
            return "not graded"
        was, now = self.base.bucket in ACCEPTABLE, self.cand.bucket in ACCEPTABLE
        if not now:
            return "bad in both" if self.base.bucket and not was else "became bad"
        if self.base.bucket and not was:
            return "became acceptable"
        return "other change" if self.has_moved else "as before"


def pairs_of(base: Side, cand: Side, asked: Asked) -> list[Pair]:
    """Answer beside answer, as far as both sides have as many: what people look at, not what decides."""
    return [
        Pair(id, number, question, before, after)
        for id, question in asked.items()
        for number, (before, after) in enumerate(zip(base.answers[id], cand.answers[id], strict=False), 1)
    ]


def by_stratum(sides: Mapping[SideName, Side], asked: Asked) -> dict[str, dict[SideName, Counted]]:
    strata = sorted({question.stratum if question else "" for question in asked.values()})
    if strata in ([], [""]):
        return {}
    chosen = {name: [id for id, q in asked.items() if (q.stratum if q else "") == name] for name in strata}
    return {name: {side: buckets(of, ids) for side, of in sides.items()} for name, ids in chosen.items()}


def buckets(side: Side, asked: Iterable[str]) -> Counted:
    found = Counter(said.bucket or UNGRADED for id in asked for said in side.answers[id])
    return {bucket: found[bucket] for bucket in (*BUCKETS, UNGRADED)}


def worst_first(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple(sorted(pairs, key=lambda pair: (_TURNS.index(pair.turn), _was_wrong(pair), pair[:2])))


def _was_wrong(pair: Pair) -> bool:
    """Sorts wrong answers before unsupported ones."""
    return pair.cand.bucket != "wrong"
