"""Personal data becomes placeholders before anything is written: [EMAIL], [PHONE], [CARD] and so on.

Within one answer, with its question and passages, the same value is the same placeholder, and a second value of its
kind is [EMAIL 2]: what an answer says can still be held against what a passage says. Such placeholders are
not read as citations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import UNSET
from msgspec.structs import replace

from surefoot.monitor.identifiers import MONTHS, email_hits, hits_in, names_in
from surefoot.safety.folded import Folded
from surefoot.text.normal import hashed_subject
from surefoot.types import Item, Retrieved, Trace

_ROUNDS = 10  # what a placeholder stands beside may look different then


class Redactor:
    """The placeholders of one answer and all that belongs to it."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """`texts` are all that belong together: who is called by name in one of them is known in the others."""
        self._names: dict[tuple[str, str], str] = {}
        self._called: set[str] = set()
        self._people: re.Pattern[str] | None = None
        self.learn(texts)

    def learn(self, texts: Iterable[str]) -> None:
        """More that belongs to it, where it comes in pieces."""
        known = len(self._called)
        for name in (name for text in texts for name in names_in(text)):
            self._called |= {name, name.split()[-1]} - MONTHS
        if len(self._called) > known:
            people = sorted(self._called, key=len, reverse=True)
            self._people = re.compile(rf"\b(?:{'|'.join(map(re.escape, people))})\b")

    def text(self, text: str) -> str:
        for _ in range(_ROUNDS):
            shorter = self._once(text)
            if shorter == text:
                break
            text = shorter
        return text

    def name(self, name: str) -> str:
        """An id, by which other rows are found: it stays as it is but for e-mail addresses."""
        return self._replaced(name, email_hits(name))

    def _once(self, text: str) -> str:
        folded = Folded(text)
        found = [(kind, *folded.original(start, end)) for kind, start, end in hits_in(folded.text)]
        if self._people:
            found += [("name", *match.span()) for match in self._people.finditer(text)]
        return self._replaced(text, found)

    def _replaced(self, text: str, hits: Iterable[tuple[str, int, int]]) -> str:
        parts, at = list[str](), 0
        for kind, start, end in sorted(hits, key=lambda hit: (hit[1], -hit[2])):
            if start >= at:
                parts += [text[at:start], self._placeholder(kind, text[start:end])]
                at = end
        return "".join([*parts, text[at:]])

    def _placeholder(self, kind: str, value: str) -> str:
        value = value.split()[-1] if kind == "name" else value  # who is called by a surname later is the same person
        key = kind, "".join(filter(str.isalnum, value.lower()))
        if key not in self._names:
            number = sum(other == kind for other, _ in self._names) + 1
            self._names[key] = f"[{kind.upper()}]" if number == 1 else f"[{kind.upper()} {number}]"
        return self._names[key]


def redact(text: str) -> str:
    """A text without personal data."""
    return Redactor([text]).text(text)


def redact_item(item: Item) -> Item:
    """A question and its answer, with all that was retrieved. Ids stay as they are: answers cite by them."""
    redactor = Redactor([item.question.text, *_texts(item.trace)])
    claims = tuple(map(redactor.text, item.question.gold_claims))
    question = replace(item.question, text=redactor.text(item.question.text), gold_claims=claims)
    return Item(question, _redacted(item.trace, redactor))


def redact_trace(trace: Trace, redactor: Redactor | None = None) -> Trace:
    """`redactor` knows what came before of the same trace."""
    return _redacted(trace, redactor or Redactor(_texts(trace)))


def _texts(trace: Trace) -> list[str]:
    passages = [passage.text for passage in trace.retrieved or ()]
    return [text for text in (trace.question, trace.answer, trace.error, *passages) if text]


def _redacted(trace: Trace, redactor: Redactor) -> Trace:
    kept = trace.retrieved
    return replace(
        trace,
        question=trace.question and redactor.text(trace.question),
        answer=trace.answer and redactor.text(trace.answer),
        error=trace.error and redactor.text(trace.error),
        retrieved=kept and Retrieved(replace(passage, text=redactor.text(passage.text)) for passage in kept),
        subject=hashed_subject(trace.subject) if trace.subject else UNSET,
    )
