"""Which questions of a public dataset are asked: the strata of the bundled set, as far as the data allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from surefoot.datasets.documents import Case, Says
from surefoot.datasets.protocol import KINDS, Kind, counts_of
from surefoot.types import Question

# What each kind is drawn from, in the order in which they are filled: those with the smallest choice first.
_SOURCES: dict[str, tuple[Says, ...]] = {
    "bait_wrong": ("contradicts",),
    "adversarial": ("nearly",),
    "bait_unsupported": ("usual",),
    "unanswerable": ("silent", "usual", "nearly"),
    "refuse": ("silent", "usual", "nearly"),
    "plain": ("answers",),
    "retrieval_null": ("answers",),
}
_RESERVES = {"answer": "plain", "refusal": "refuse"}  # what makes up for a kind that the data cannot fill


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
    quotas = counts_of(size)
    taken: dict[str, list[Candidate]] = {}
    short, missing = [], Counter[str]()
    for name, sources in _SOURCES.items():
        kind, is_reserve = KINDS[name], name in _RESERVES.values()
        wanted = quotas[name] + (missing[kind.expects] if is_reserve else 0)
        taken[name] = [one for one in waiting if _kind(one.case, usual) in sources][:wanted]
        ids = {one.case.id for one in taken[name]}
        waiting = [one for one in waiting if one.case.id not in ids]
        missing[kind.expects] += 0 if is_reserve else quotas[name] - len(ids)
        if len(ids) < quotas[name]:
            short.append(f"{name}: {len(ids)} of {quotas[name]}")
    questions = [_question(one, KINDS[name]) for name, found in taken.items() for one in found]
    return Chosen(tuple(questions), tuple(short))


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


def _kind(case: Case, usual: set[str]) -> Says:
    return "usual" if case.kind == "silent" and case.topic in usual else case.kind


def _question(one: Candidate, kind: Kind) -> Question:
    probes = "lookalike_topic" if kind.name == "adversarial" else kind.probes
    case = one.case
    return Question(
        case.id, case.question, kind.expects, kind.stratum, probes, one.gold_ids, case.claims, kind.retrieval
    )
