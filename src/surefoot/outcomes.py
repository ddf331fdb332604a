"""One answer, read: everything the metrics need to know about it, and its label.

Outcomes are few and small: answers with equal outcomes are counted, not kept, which is why a million
traces fit in memory and why every metric can be a plain function of one outcome (`metrics`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from msgspec import Struct, json

from surefoot.text import citations, containment
from surefoot.text.normal import is_empty
from surefoot.text.refusals import Refusal
from surefoot.types import Question, RefusalValue, Trace

State = Literal["usable", "missing", "error", "duplicate"]
Label = Literal[
    "OK", "REFUSAL_OK", "OVER_REFUSAL", "PARTIAL_REFUSAL", "HALLUCINATION", "ANS_NO_HIT", "ANS_UNKNOWN", "MISSING",
    "ERROR", "DUPLICATE", "ANSWERED", "REFUSED",
]  # fmt: skip
ACCEPTABLE: frozenset[Label] = frozenset({"OK", "REFUSAL_OK"})


class Outcome(NamedTuple):
    answerable: bool | None  # None: nobody said, as in a log without a question set
    state: State = "usable"
    refusal: RefusalValue | None = None
    hit: bool | None = False  # a gold id is cited; None: passages without ids are, so it is unknown
    contained: bool | None = False  # a phrase of a gold claim stands in what is claimed; None: there is no gold claim
    listed: bool = False  # the answer has citations, or an empty list of them
    cited: int = 0
    cited_gold: int | None = 0
    cited_retrieved: int | None = None  # None: the log does not say what was retrieved, or not by what ids
    retrieved_gold: bool | None = None

    @property
    def usable(self) -> bool:
        return self.state == "usable"

    @property
    def counted(self) -> bool:
        """Several traces for one question are left out of every metric but coverage."""
        return self.state != "duplicate"

    @property
    def refused(self) -> bool:
        return self.refusal == "refused"

    @property
    def answered(self) -> bool:
        """A partial refusal makes claims, so it counts as an answer."""
        return self.refusal in ("answered", "partial")


class Expected(Struct, frozen=True, gc=False):
    """A question's gold side, prepared once for all its traces; empty where there is no question set."""

    answerable: bool | None = None
    gold: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()

    @classmethod
    def of(cls, question: Question) -> Expected:
        return cls(question.answerable, frozenset(question.gold_ids), containment.phrases_of(question.gold_claims))


class Reading(Struct, frozen=True, gc=False):
    """An outcome with the details a person wants to see beside it."""

    outcome: Outcome
    citations: tuple[str, ...] | None = None
    refusal: Refusal | None = None
    reason: str | None = None

    def span_in(self, answer: str | None) -> str | None:
        """The words of an answer that made it a refusal."""
        if self.refusal is None or self.refusal.value == "answered" or answer is None:
            return None
        return answer[self.refusal.start : self.refusal.end]


class ScoredRow(Struct, frozen=True):
    """One line of the per-question table."""

    qid: str
    label: str
    refusal: str | None = None
    hit: bool | None = False
    contained: bool = False
    citations: tuple[str, ...] | None = None
    refusal_span: str | None = None  # the words that made it a refusal
    reason: str | None = None
    source: str | None = None
    line: int | None = None


def row_head(qid: str, reading: Reading, span: str | None) -> bytes:
    """A row's JSON up to where it stands in the input: `source`, `line` and the closing brace follow."""
    outcome = reading.outcome
    row = ScoredRow(
        qid,
        label(outcome),
        outcome.refusal,
        outcome.hit,
        bool(outcome.contained),
        reading.citations,
        span,
        reading.reason,
    )
    return json.encode(row).removesuffix(_ROW_TAIL)


def outcome_of(row: ScoredRow, question: Question) -> Outcome:
    """The outcome that a row tells of; what was retrieved is not in it."""
    for state, name in _STATE_LABELS.items():
        if name == row.label:
            return Outcome(question.answerable, state)
    cited = row.citations or ()
    gold = None if row.hit is None else sum(map(question.gold_ids.__contains__, cited))
    refusal: Any = row.refusal
    return Outcome(
        question.answerable, "usable", refusal, row.hit, row.contained, row.citations is not None, len(cited), gold
    )


_ROW_TAIL = b',"source":null,"line":null}'


def read(expected: Expected, trace: Trace, refusal_of: Callable[[str], Refusal]) -> Reading:
    """What one trace says, measured against what its question expects."""
    gold, answer = expected.gold, trace.answer
    known = trace.retrieved.ids if trace.retrieved is not None else None
    names = known if known is not None else trace.names
    retrieved_gold = None if known is None else not gold.isdisjoint(known)
    if trace.error or answer is None:
        return _failed(expected, retrieved_gold, trace.error or "no answer")

    refusal = refusal_of(answer)
    contained = refusal.value != "refused" and containment.contains(expected.phrases, answer)
    passages = trace.retrieved or ()
    if trace.citations is None:
        cited = citations.parse(answer, names, gold, passages)
    else:
        cited = citations.resolve(trace.citations, names, gold, passages)
    if not contained and is_empty(answer):  # a phrase that was found is proof of words
        return _failed(expected, retrieved_gold, "no answer")
    cited_gold = sum(map(gold.__contains__, cited)) if cited else 0
    by_place = bool(cited and gold) and known is None and not _places(trace).isdisjoint(cited or ())
    key = (
        expected.answerable, "usable", refusal.value, cited_gold > 0 or (None if by_place else False), contained,
        cited is not None, len(cited) if cited else 0, None if by_place else cited_gold,
        _cited_retrieved(trace, cited or (), names), retrieved_gold,
    )  # fmt: skip
    return Reading(interned(key), cited, refusal)


def interned(key: tuple[Any, ...]) -> Outcome:
    """One object per distinct outcome: making a named tuple costs more than finding one."""
    outcome = _OUTCOMES.get(key)
    if outcome is None:
        outcome = _OUTCOMES[key] = Outcome._make(key)
    return outcome


_OUTCOMES: dict[tuple[Any, ...], Outcome] = {}


def _places(trace: Trace) -> set[str]:
    """What passages without an id are called by: nothing that could be held against gold ids."""
    passages = trace.retrieved or ()
    return {name for name, passage in zip(trace.names, passages, strict=True) if not passage.id}


def _cited_retrieved(trace: Trace, cited: tuple[str, ...], names: tuple[str, ...]) -> int | None:
    """An id cannot be looked for among passages whose ids were not logged; a place can."""
    if trace.retrieved is None:
        return None
    found = sum(map(names.__contains__, cited))
    is_known = trace.retrieved.ids is not None or all(name in names or name.isdecimal() for name in cited)
    return found if is_known else None


def _failed(expected: Expected, retrieved_gold: bool | None, reason: str) -> Reading:
    outcome = Outcome(expected.answerable, "error", retrieved_gold=retrieved_gold)
    return Reading(interned(outcome), reason=reason)


def label(outcome: Outcome) -> Label:
    if outcome.state != "usable":
        return _STATE_LABELS[outcome.state]
    if outcome.answerable is None:
        return _LABELS_WITHOUT_GOLD[outcome.refusal]
    if outcome.refused:
        return "OVER_REFUSAL" if outcome.answerable else "REFUSAL_OK"
    if not outcome.answerable:
        return "PARTIAL_REFUSAL" if outcome.refusal == "partial" else "HALLUCINATION"
    return _ANSWER_LABELS[outcome.hit]


_ANSWER_LABELS: dict[bool | None, Label] = {True: "OK", False: "ANS_NO_HIT", None: "ANS_UNKNOWN"}
_LABELS_WITHOUT_GOLD: dict[RefusalValue | None, Label] = {
    "refused": "REFUSED", "partial": "PARTIAL_REFUSAL", "answered": "ANSWERED", None: "ANSWERED",
}  # fmt: skip
_STATE_LABELS: dict[State, Label] = {"missing": "MISSING", "error": "ERROR", "duplicate": "DUPLICATE"}
