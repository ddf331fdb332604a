"""What graders are given and what judges say: whether a passage supports a claim."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import exp, log
from typing import Protocol, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.records import attempts_in
from surefoot.core.types import Item, Question, Support, Trace
from surefoot.text.normal import is_denial, spelled_out

_EDGE = 1e-4  # a probability of 0 or 1 has no finite log-odds
_LIKELY = 0.5


class Pair(Struct, frozen=True):
    """A claim, or a question, to be held against a text. The title is that of its document; `context` helps to read a
    claim: the question it answers."""

    passage: str
    claim: str
    title: str = ""
    context: str = ""


class Judgement(Struct, frozen=True):
    """`label` None means: left open, for the next judge or a person; `reason` says why, or what was not read."""

    label: Support | None
    confidence: float = 0.0
    quote: str = ""
    via: str = ""
    probabilities: tuple[float, float, float] | None = None  # supported, contradicted, not enough
    reason: str = ""

    @property
    def support(self) -> Support:
        return self.label or "not_enough"


def log_odds(probability: float) -> float:
    inside = min(max(probability, _EDGE), 1 - _EDGE)
    return log(inside / (1 - inside))


def moved(judgement: Judgement, shift: float, scale: float = 1.0) -> Judgement:
    """The judgement with its log-odds of support scaled and shifted; what is not support is split as it was. Without
    probabilities, its label is taken to be as likely as it is sure."""
    if judgement.label is None or (not shift and scale == 1):
        return judgement
    supported, against, silent = judgement.probabilities or _as_sure(judgement)
    after = 1 / (1 + exp(-(shift + scale * log_odds(supported))))
    share = against / max(against + silent, _EDGE)
    found = {"supported": after, "contradicted": (1 - after) * share, "not_enough": (1 - after) * (1 - share)}
    label = judgement.label
    if (label == "supported") != (after >= _LIKELY):
        others: tuple[Support, Support] = ("contradicted", "not_enough")
        label = "supported" if after >= _LIKELY else max(others, key=found.__getitem__)
    three = (found["supported"], found["contradicted"], found["not_enough"]) if judgement.probabilities else None
    return replace(judgement, label=label, confidence=found[label], probabilities=three)


def _as_sure(judgement: Judgement) -> tuple[float, float, float]:
    sure, rest = judgement.confidence, 1 - judgement.confidence
    if judgement.label == "supported":
        return sure, 0.0, rest
    return (rest, sure, 0.0) if judgement.label == "contradicted" else (rest, 0.0, sure)


def best(judged: Mapping[str, Judgement], label: Support) -> tuple[str, Judgement] | None:
    """The passage that says so most surely."""
    found = [(name, judgement) for name, judgement in judged.items() if judgement.label == label]
    return max(found, key=lambda pair: pair[1].confidence) if found else None


def read_in_full(pairs: Sequence[Pair], judge: Callable[[Sequence[Pair]], list[Judgement]]) -> list[Judgement]:
    """A bare yes or no is read as the statement that its question asks about; what contradicts that supports a no."""
    statements = [spelled_out(pair.context, pair.claim) for pair in pairs]
    full = [replace(pair, claim=said or pair.claim) for pair, said in zip(pairs, statements, strict=True)]
    return [
        _denied(found) if said and is_denial(pair.claim) else found
        for pair, said, found in zip(pairs, statements, judge(full), strict=True)
    ]


def _denied(found: Judgement) -> Judgement:
    """The contradiction must be likelier than not: a passage that says little does not support a no."""
    if found.label == "contradicted" and found.confidence < _LIKELY:
        return replace(found, label="not_enough")
    opposite: dict[Support | None, Support] = {"supported": "contradicted", "contradicted": "supported"}
    turned = found.probabilities and (found.probabilities[1], found.probabilities[0], found.probabilities[2])
    return replace(found, label=opposite.get(found.label, found.label), probabilities=turned)


class Judge(Protocol):
    """Batch in, batch out; the name carries version and weights."""

    @property
    def name(self) -> str: ...

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]: ...

    def answering(self, asked: Sequence[Pair]) -> list[float | None]:
        """How likely each passage answers its question; None where the judge does not say."""
        ...


@runtime_checkable
class ReadsWhole(Protocol):
    """A judge of one answer that has read all of it, and says whether it answers its question; None: it cannot tell."""

    is_answered: bool | None


def items_of(
    questions: Sequence[Question], traces: Iterable[Trace], repeats: int, uneven: bool = False
) -> Iterator[Item]:
    """One item per question and attempt; where there is no trace, an item without an answer, unless the questions were
    asked unequally often."""
    given: defaultdict[str | None, dict[int, Trace]] = defaultdict(dict)
    for trace in traces:
        given[trace.question_id][trace.attempt] = trace
    for question in questions:
        found = given[question.id]
        for attempt in attempts_in(found, repeats, uneven):
            yield Item(question, found.get(attempt) or Trace(question_id=question.id, attempt=attempt))
