"""What graders are given and what judges say: whether a passage supports a claim."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from msgspec import Struct

from surefoot.records import attempts_in
from surefoot.table import Support
from surefoot.types import Item, Question, Trace


class Pair(Struct, frozen=True):
    """A claim to be held against a text. `context` helps to read the claim: the question it answers."""

    passage: str
    claim: str
    title: str = ""
    context: str = ""


class Asked(NamedTuple):
    """A question to be held against a passage, which is read under the title of its document."""

    passage: str
    question: str
    title: str = ""


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


def best(judged: Mapping[str, Judgement], label: Support) -> tuple[str, Judgement] | None:
    """The passage that says so most surely."""
    found = [(name, judgement) for name, judgement in judged.items() if judgement.label == label]
    return max(found, key=lambda pair: pair[1].confidence) if found else None


class Judge(Protocol):
    """Batch in, batch out; the name carries version and weights."""

    @property
    def name(self) -> str: ...

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]: ...

    def answering(self, asked: Sequence[Asked]) -> list[float | None]:
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
