"""Personal data becomes placeholders before anything is graded or written: EMAIL-1, PHONE-2 and so on.

Within one answer, with its question, its passages and their ids, equal values have equal placeholders and different
ones different placeholders: a grader tells a wrong number from the right one, and a citation still leads to its
passage (ADR 27). What is found in one of these texts is known in all of them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256

from msgspec import UNSET
from msgspec.structs import replace

from surefoot.core.types import Item, Retrieved, Trace
from surefoot.text import personal
from surefoot.text.normal import hashed_subject, id_of_text
from surefoot.text.numbers import placeholder
from surefoot.text.personal import MONTHS, Hit, month_in
from surefoot.text.safety import Folded

_ROUNDS = 10  # what a placeholder stands beside may look different then
_WORD = re.compile(r"[^\W_]+")
_FOUND_ANYWHERE = frozenset({"email", "iban"})  # whatever stands around them
_LAST_DIGITS = 7  # which phone numbers share that differ by a prefix alone


class Redactor:
    """The placeholders of one answer and all that belongs to it."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """`texts` are all that belong together."""
        self._counts = Counter[str]()
        self._given = defaultdict[tuple[str, str], dict[str, str]](dict)  # placeholders by what alike values share
        self._known = dict[str, str]()  # kinds of values
        self._lengths = defaultdict[str, set[int]](set)  # of known values, by their first word
        self.learn(texts)

    def learn(self, texts: Iterable[str]) -> None:
        """More that belongs to it, where it comes in pieces."""
        for text in (Folded(one).text for one in texts):
            for kind, start, end, _ in personal.read(text):
                value = text[start:end]
                if kind not in _FOUND_ANYWHERE and value[0].isalnum():
                    for known in {value, *(value.split()[-1:] if kind == "name" else ())} - MONTHS:
                        self._known[known] = kind
                        self._lengths[_WORD.findall(known)[0]].add(len(known))

    def text(self, text: str) -> str:
        for _ in range(_ROUNDS):
            shorter = self._once(text)
            if shorter == text:
                break
            text = shorter
        return text

    def _once(self, text: str) -> str:
        folded, parts, at = Folded(text), list[str](), 0
        hits = [*personal.read(folded.text), *self._known_in(folded.text)]
        for kind, first, last, _ in sorted(hits, key=lambda hit: (hit[1], -hit[2])):
            start, end = folded.original(first, last)
            if start >= at:
                parts += [text[at:start], self._placeholder(kind, folded.text[first:last])]
                at = end
        return "".join([*parts, text[at:]])

    def _known_in(self, text: str) -> Iterator[Hit]:
        for word in _WORD.finditer(text) if self._known else ():
            for end in (word.start() + length for length in self._lengths.get(word[0], ())):
                kind = self._known.get(text[word.start() : end])
                if kind and not text[end : end + 1].isalnum():
                    yield Hit(kind, word.start(), end)

    def _placeholder(self, kind: str, value: str) -> str:
        value = _plain(kind, value)
        alike = self._given[kind, _shared(kind, value)]
        same = next((other for other in alike if _is_same(kind, value, other)), "")
        if not same:
            self._counts[kind] += 1
            alike[value] = placeholder(kind, self._counts[kind])
        elif len(value) > len(same):  # the fuller one tells more apart
            alike[value] = alike.pop(same)
        return alike[value if value in alike else same]


def _plain(kind: str, value: str) -> str:
    """A value without the ways in which it may be written."""
    if kind == "name":
        return value
    if kind == "phone":
        return re.sub(r"\(0\)|\D", "", value).lstrip("0")
    if kind == "birth":
        numbers = (month_in(part) or part.lstrip("0") for part in re.findall(r"\d+|[a-z]{3,}", value.lower()))
        return " ".join(sorted(part for part in numbers if part.isdecimal()))
    if kind in ("email", "host", "address"):
        return " ".join(value.lower().replace("%40", "@").split())
    return "".join(filter(str.isalnum, value.lower()))


def _shared(kind: str, value: str) -> str:
    return value.split()[-1] if kind == "name" else value[-_LAST_DIGITS:] if kind == "phone" else value


def _is_same(kind: str, one: str, other: str) -> bool:
    """Of two that share what alike values share: a surname may stand for the whole name, and a number may lack its
    country."""
    if kind == "name":
        first, second = one.split()[:-1], other.split()[:-1]
        return not first or not second or first[0] == second[0]
    return one.endswith(other) or other.endswith(one)


def redact(text: str) -> str:
    """A text without personal data."""
    return Redactor([text]).text(text)


def redact_name(name: str) -> str:
    """What a trace is called, by which it is counted once: a hash where somebody is called in it."""
    return name if redact(name) == name else sha256(name.encode("utf-8", "replace")).hexdigest()


def redact_item(item: Item) -> Item:
    """A question and its answer, with all that was retrieved."""
    asked = item.question
    redactor = Redactor([asked.id, asked.text, *asked.gold_ids, *asked.gold_claims, *texts_of(item.trace)])
    text = redactor.text(asked.text)
    is_named = asked.id != id_of_text(asked.text)  # else its hash would give the text away to whoever guesses
    question = replace(
        asked,
        id=redactor.text(asked.id) if is_named else id_of_text(text),
        text=text,
        gold_ids=tuple(map(redactor.text, asked.gold_ids)),
        gold_claims=tuple(map(redactor.text, asked.gold_claims)),
    )
    return Item(question, redacted(item.trace, redactor))


def texts_of(trace: Trace) -> list[str]:
    passages = (text for passage in trace.retrieved or () for text in (passage.id, passage.doc, passage.text))
    said = (trace.question_id, trace.question, trace.answer, trace.error)
    return [text for text in (*said, *passages, *(trace.citations or ())) if text]


def redacted(trace: Trace, redactor: Redactor) -> Trace:
    """With the placeholders of `redactor`, which has learned all texts that belong to it."""
    clean, passages, cited = redactor.text, trace.retrieved, trace.citations
    return replace(
        trace, question_id=trace.question_id and clean(trace.question_id),
        question=trace.question and clean(trace.question), answer=trace.answer and clean(trace.answer),
        error=trace.error and clean(trace.error), citations=cited and tuple(map(clean, cited)),
        retrieved=passages
        and Retrieved(replace(one, id=clean(one.id), text=clean(one.text), doc=clean(one.doc)) for one in passages),
        subject=hashed_subject(trace.subject) if trace.subject else UNSET,
    )  # fmt: skip
