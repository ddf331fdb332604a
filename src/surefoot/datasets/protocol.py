"""Which questions of a public dataset are asked: the strata of the bundled set, as far as the data allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from surefoot.datasets.documents import Case
from surefoot.types import Question

Wanted = Literal["answers", "contradicts", "silent", "nearly", "usual"]


class Stratum(Struct, frozen=True):
    name: str
    probes: str
    share: int  # of 130
    kinds: tuple[Wanted, ...]
    retrieval: Literal["normal", "null"] = "normal"

    @property
    def has_answers(self) -> bool:
        return self.kinds[0] in ("answers", "contradicts") and self.retrieval == "normal"


# In the order in which they are filled: those with the smallest choice first.
STRATA = (
    Stratum("grounded", "bait_wrong", 20, ("contradicts",)),
    Stratum("adversarial", "lookalike_topic", 10, ("nearly",)),
    Stratum("grounded", "bait_unsupported", 20, ("usual",)),
    Stratum("unanswerable", "unanswerable", 10, ("silent", "usual", "nearly")),
    Stratum("grounded", "refuse", 20, ("silent", "usual", "nearly")),
    Stratum("grounded", "plain", 40, ("answers",)),
    Stratum("retrieval_null", "retrieval_null", 10, ("answers",), "null"),
)
_WHOLE = sum(stratum.share for stratum in STRATA)


class Candidate(Struct, frozen=True):
    """A case whose evidence was found in the passages of its document."""

    case: Case
    document: str
    gold_ids: tuple[str, ...]


class Chosen(Struct, frozen=True):
    questions: tuple[Question, ...]
    short: tuple[str, ...]  # which strata the data could not fill


def choose(candidates: Sequence[Candidate], size: int, seed: int) -> Chosen:
    """So many questions, spread over topics and documents. What a stratum lacks, a plainer one makes up for."""
    waiting = list(_spread(candidates, seed))
    usual = _usual(candidates)
    taken: dict[Stratum, list[Candidate]] = {}
    short, missing = [], Counter[bool]()
    for stratum, quota in _quotas(size):
        has_reserve = stratum.probes in ("plain", "refuse")
        wanted = quota + (missing[stratum.has_answers] if has_reserve else 0)
        taken[stratum] = [one for one in waiting if _kind(one.case, usual) in stratum.kinds][:wanted]
        names = {one.case.id for one in taken[stratum]}
        waiting = [one for one in waiting if one.case.id not in names]
        missing[stratum.has_answers] += 0 if has_reserve else quota - len(names)
        if len(names) < quota:
            short.append(f"{stratum.probes}: {len(names)} of {quota}")
    questions = [_question(one, stratum) for stratum, found in taken.items() for one in found]
    return Chosen(tuple(questions), tuple(short))


def _quotas(size: int) -> Iterator[tuple[Stratum, int]]:
    """The shares of a set of this size, whole numbers that add up to it."""
    done = given = 0
    for stratum in STRATA:
        done += stratum.share
        quota = round(size * done / _WHOLE) - given
        given += quota
        yield stratum, quota


def _spread(candidates: Sequence[Candidate], seed: int) -> Iterable[Candidate]:
    """In an order of chance in which every topic, or else every document, has its turn."""
    turns = Counter[str]()
    ranked = []
    for place in np.random.default_rng(abs(seed)).permutation(len(candidates)):
        one = candidates[int(place)]
        turn = one.case.topic or one.document
        turns[turn] += 1
        ranked.append((turns[turn], one))
    return (one for _, one in sorted(ranked, key=lambda pair: pair[0]))


def _usual(candidates: Iterable[Candidate]) -> set[str]:
    """Topics on which most documents have something to say: where one is silent, habit suggests an answer."""
    said, asked = Counter[str](), Counter[str]()
    for one in candidates:
        asked[one.case.topic] += 1
        said[one.case.topic] += one.case.kind in ("answers", "contradicts")
    return {topic for topic, count in asked.items() if topic and 2 * said[topic] > count}


def _kind(case: Case, usual: set[str]) -> Wanted:
    return "usual" if case.kind == "silent" and case.topic in usual else case.kind


def _question(one: Candidate, stratum: Stratum) -> Question:
    return Question(
        one.case.id,
        one.case.question,
        "answer" if stratum.has_answers else "refusal",
        stratum.name,
        stratum.probes,
        one.gold_ids,
        one.case.claims,
        stratum.retrieval,
    )
