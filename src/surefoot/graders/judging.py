"""Judges say whether a passage supports a claim. A cascade asks the cheapest first and passes on what is left open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from msgspec import Struct

from surefoot.table import Support


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

    answers: bool | None


class Cascade:
    """Later judges fill what earlier ones leave open, or are not sure enough of."""

    def __init__(self, judges: Sequence[Judge], sure_from: float = 0.0, name: str = "") -> None:
        self.name = name or "+".join(judge.name for judge in judges)
        self._judges = tuple(judges)
        self._sure_from = sure_from

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        found: list[Judgement] = [Judgement(None)] * len(pairs)
        waiting = list(range(len(pairs)))
        for number, judge in enumerate(self._judges):
            if not waiting:
                break
            last = number == len(self._judges) - 1
            for place, judgement in zip(waiting, judge.judge([pairs[i] for i in waiting]), strict=True):
                if judgement.label is not None or found[place].label is None:
                    found[place] = judgement
            waiting = (
                [] if last else [i for i in waiting if found[i].label is None or found[i].confidence < self._sure_from]
            )
        return found

    def answering(self, asked: Sequence[Asked]) -> list[float | None]:
        found: list[float | None] = [None] * len(asked)
        for judge in self._judges:
            left = [place for place, one in enumerate(found) if one is None]
            for place, one in zip(left, judge.answering([asked[place] for place in left]), strict=True):
                found[place] = one
        return found
