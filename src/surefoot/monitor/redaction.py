"""Personal data becomes placeholders before anything is written: [EMAIL], [PHONE], [CARD] and so on.

Within one answer, with its question and passages, the same value is the same placeholder, and a second value of its
kind is [EMAIL 2]: what an answer says can still be held against what a passage says.
"""

from __future__ import annotations

from msgspec.structs import replace

from surefoot.safety import personal
from surefoot.types import Item, Retrieved, Trace


class Redactor:
    """The placeholders of one answer and all that belongs to it."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}

    def text(self, text: str) -> str:
        for hit in reversed(personal.find(text)):
            text = text[: hit.start] + self._placeholder(hit.kind, text[hit.start : hit.end]) + text[hit.end :]
        return text

    def name(self, name: str) -> str:
        """An id, by which other rows are found: it stays as it is but for e-mail addresses."""
        return name

    def _placeholder(self, kind: str, value: str) -> str:
        key = kind, "".join(filter(str.isalnum, value.lower()))
        if key not in self._names:
            number = sum(other == kind for other, _ in self._names) + 1
            self._names[key] = f"[{kind.upper()}]" if number == 1 else f"[{kind.upper()} {number}]"
        return self._names[key]


def redact(text: str) -> str:
    return Redactor().text(text)


def redact_item(item: Item) -> Item:
    """Ids of questions and passages stay as they are: answers cite by them."""
    redactor = Redactor()
    question = replace(item.question, text=redactor.text(item.question.text))
    return Item(question, _trace(item.trace, redactor))


def redact_trace(trace: Trace) -> Trace:
    return _trace(trace, Redactor())


def _trace(trace: Trace, redactor: Redactor) -> Trace:
    retrieved = trace.retrieved
    if retrieved is not None:
        retrieved = Retrieved(replace(passage, text=redactor.text(passage.text)) for passage in retrieved)
    return replace(
        trace,
        question=None if trace.question is None else redactor.text(trace.question),
        answer=None if trace.answer is None else redactor.text(trace.answer),
        error=None if trace.error is None else redactor.text(trace.error),
        retrieved=retrieved,
    )
